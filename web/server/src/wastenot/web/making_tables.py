"""The child process that makes tables of a trace that are made on demand, with progress as `importing` reports it.

python -P -m wastenot.web.making_tables T.duckdb overview|all|balance

A process of its own, because it can be ended at any time, and takes neither the server's memory nor its interpreter.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from wastenot._native import WastenotError
from wastenot.analyzer.errors import AnalyzerError
from wastenot.analyzer.store.recheck import make_tables
from wastenot.analyzer.store.tables import TABLE_SETS, TableSet
from wastenot.analyzer.trace import open_trace
from wastenot.web.errors import status_of
from wastenot.web.importing import ProgressReport, keep_stdout, say

NICE = 10
"""Requests are answered meanwhile, by a process that does not wait for this one."""


def main(path: Path, tables: TableSet) -> int:
    """Make them; the last line is `{"done": true}` or `{"error": ..., "status": ...}`."""
    progress = ProgressReport()
    try:
        if tables == "balance":
            with open_trace(path, progress=progress.checking) as trace:
                trace.make_tables(tables)
        else:
            make_tables(path, progress.checking, tables=tables)
    except (AnalyzerError, WastenotError) as e:
        say(error=" ".join(str(e).split()), status=status_of(e))
        return 1
    say(done=True)
    return 0


if __name__ == "__main__":
    keep_stdout()
    # The copy that is being written is removed on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the server, which ends this one
    os.nice(NICE)
    raise SystemExit(main(Path(sys.argv[1]), TABLE_SETS[TABLE_SETS.index(sys.argv[2])]))

"""The child process of an upload: makes a trace of a file and reports progress, a JSON object per line on stdout.

python -P -m wastenot.web.importing SOURCE TARGET MEMORY [NAME=CPULIST ...]

MEMORY is what it may map, in bytes; beyond it the kernel gives none.

A process of its own, because it can be ended at any time, and because what it reads comes from strangers.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import time
from pathlib import Path

from wastenot._native import WastenotError
from wastenot.analyzer import CheckOptions, ImportOptions, ensure_checked, import_source
from wastenot.analyzer.errors import AnalyzerError
from wastenot.analyzer.store.opening import is_trace

EVERY_S = 0.1


class ProgressReport:
    """Reports progress at most every EVERY_S; the start of a phase at once, before there is anything to count."""

    def __init__(self) -> None:
        self._last, self._phase = 0.0, ""

    def reading(self, events: int, share: float) -> None:
        """Called by an import."""
        self._report("reading", events, share)

    def checking(self, done: int, total: int) -> None:
        """Called by a check."""
        self._report("checking", done, done / total if total else 1.0)

    def _report(self, phase: str, events: int, share: float) -> None:
        now = time.monotonic()
        if phase != self._phase:
            self._phase, self._last = phase, now
            say(phase=phase, events=0, share=0.0)
        elif now - self._last >= EVERY_S:
            self._last = now
            say(phase=phase, events=events, share=min(max(share, 0.0), 1.0))


def keep_stdout() -> None:
    """Keep what stdout is for `say` alone: DuckDB draws progress bars on it when a statement takes long."""
    own = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = os.fdopen(own, "w", encoding="utf-8")


def say(**facts: object) -> None:
    """One line for the server."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def without_paths(text: str, source: Path) -> str:
    """One line in which the server's folders are not named."""
    inside = re.compile(re.escape(str(source.parent.parent)) + r"[^\s:\"')]*")
    return " ".join(inside.sub(source.name, text).split())


def main(source: Path, target: Path, affinity: tuple[str, ...]) -> int:
    """Import; the last line is `{"done": true}` or `{"error": ...}`."""
    progress, options = ProgressReport(), CheckOptions(tables="all")  # it will be shown
    try:
        if is_trace(source):
            source.rename(target)
            ensure_checked(target, options, progress.checking)
        else:
            import_source(source, target, ImportOptions(affinity), options, progress.checking, progress.reading)
    except (AnalyzerError, WastenotError) as e:
        say(error=without_paths(str(e), source))
        return 1
    except MemoryError:
        say(error=f"{source.name}: needs more memory than the server gives an import; use `wastenot import`")
        return 1
    except Exception as e:
        say(error=f"internal error: {type(e).__name__}: {e}")
        return 1
    say(done=True)
    return 0


if __name__ == "__main__":
    keep_stdout()
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[3]), int(sys.argv[3])))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    raise SystemExit(main(Path(sys.argv[1]), Path(sys.argv[2]), tuple(sys.argv[4:])))

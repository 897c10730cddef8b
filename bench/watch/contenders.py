"""What may watch a machine all the time, as recorders that run a command (`bench/recorders.py`)."""

from __future__ import annotations

import re
import shutil
import sys
from functools import partial
from pathlib import Path

from bench.recorders import EVENTS, Recorder, Recording, nothing, perf, run, trace_cmd, watching
from bench.watch.process import NEVER, WatchProcess

NOTHING = "nothing"
SENTINEL = "sentinel alone"
WATCH = "wastenot watch"
EXACT = "wastenot watch --exact"
OURS = (SENTINEL, WATCH, EXACT)


def watch_process(extra: tuple[str, ...], folder: Path, command: list[str]) -> Recording:
    """The whole `wastenot watch`, with a condition that does not come true; details have its last status and memory."""
    home = folder / "watch"
    shutil.rmtree(home, ignore_errors=True)
    with WatchProcess(home, "--on", NEVER, *extra) as watch:
        run(command)
        found = watch.status()
        found["resident_bytes"] = watch.resident_bytes()
    status = found["status"]
    lost = status["lost"] + (found["exact"]["lost"] if found["exact"] else 0)
    return Recording(None, status["written_bytes"], lost, found)


def perf_overwrite(folder: Path, command: list[str]) -> Recording:
    """`perf record --overwrite`: perf's own flight recorder, which writes what its rings hold at the end."""
    data = folder / "perf.data"
    out = run(["perf", "record", "-a", "--overwrite", "-e", ",".join(EVENTS), "-o", str(data), *command])
    samples = re.search(r"\((\d+) samples\)", out)
    return Recording(int(samples[1]) if samples else None, data.stat().st_size, 0)


def contenders() -> dict[str, Recorder]:
    """Everything that can run here, and one line on stderr for what cannot."""
    found: dict[str, Recorder] = {
        NOTHING: nothing,
        SENTINEL: watching('{"sentinel_only": true}'),
        WATCH: partial(watch_process, ()),
        EXACT: partial(watch_process, ("--exact",)),
    }
    peers: list[tuple[str, str, Recorder]] = [
        ("perf record", "perf", perf),
        ("perf record --overwrite", "perf", perf_overwrite),
        ("trace-cmd record", "trace-cmd", trace_cmd),
    ]
    for name, tool, recorder in peers:
        if shutil.which(tool):
            found[name] = recorder
        else:
            print(f"SKIPPED bench: {name}: {tool} is not installed", file=sys.stderr)
    return found

"""The contenders: ways to record the whole machine while a command runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EVENTS = ("sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new", "sched:sched_migrate_task")
"""The four events that every contender can record."""

FOUR = '{"events": ["switch", "migrate"], "stacks": false}'
"""Options of our recorder for those four events and nothing else."""


SENTINEL = "wastenot, sentinel alone"
BLACK_BOX = "wastenot, sentinel and black box"


class BenchError(RuntimeError):
    """A contender did not run; the message ends with what it printed."""


@dataclass(frozen=True)
class Recording:
    """What one recording left behind."""

    events: int | None
    bytes: int
    lost: int
    details: dict[str, Any] = field(default_factory=dict)


Recorder = Callable[[Path, list[str]], Recording]
"""Records a command, with a scratch folder for its files."""


def run(command: list[str]) -> str:
    """Output of a command, both streams. Raises BenchError."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise BenchError(f"{' '.join(command[:6])} ...: exit status {done.returncode}: {done.stdout[-400:]}")
    return done.stdout


def nothing(_: Path, command: list[str]) -> Recording:
    """No recorder: the base line."""
    run(command)
    return Recording(0, 0, 0)


def perf(folder: Path, command: list[str]) -> Recording:
    """`perf record -a` of the four events."""
    data = folder / "perf.data"
    out = run(["perf", "record", "-a", "-e", ",".join(EVENTS), "-o", str(data), *command])
    samples = re.search(r"\((\d+) samples\)", out)
    lost = sum(int(n) for n in re.findall(r"lost (\d+) (?:chunks|samples|events)", out, flags=re.I))
    return Recording(int(samples[1]) if samples else None, data.stat().st_size, lost)


def trace_cmd(folder: Path, command: list[str]) -> Recording:
    """`trace-cmd record` of the four events, with buffers that hold them, in a mount namespace of its own."""
    data = folder / "trace.dat"
    events = [word for event in EVENTS for word in ("-e", event)]
    wrapper = ["unshare", "--mount", str(Path(__file__).with_name("peer_namespace.sh"))]
    out = run([*wrapper, "trace-cmd", "record", "-b", "16384", "-o", str(data), *events, *command])
    lost = sum(int(n) for n in re.findall(r"CPU \d+: (\d+) events lost", out))
    return Recording(None, data.stat().st_size, lost)


def trace_cmd_events(path: Path) -> int:
    """Events in a trace.dat, counted by trace-cmd's own report (slow)."""
    lines = subprocess.Popen(["trace-cmd", "report", str(path)], stdout=subprocess.PIPE, text=True)
    assert lines.stdout is not None
    return sum(1 for line in lines.stdout if ": sched_" in line)


def wastenot(options: str) -> Recorder:
    """Our recorder with these options, into a part folder."""

    def record(folder: Path, command: list[str]) -> Recording:
        part, report = folder / "trace.duckdb.part", folder / "report.json"
        shutil.rmtree(part, ignore_errors=True)
        run([sys.executable, "-m", "bench.record_part", str(part), options, str(report), "--", *command])
        found = json.loads(report.read_text())
        size = sum(f.stat().st_size for f in part.rglob("*") if f.is_file())
        stats = found["stopped"]["stats"]
        return Recording(sum(stats["records"].values()), size, stats["lost"], found)

    return record


def watching(options: str) -> Recorder:
    """Our sentinel, with the black box unless the options leave it out; its events are those of a box saved then."""

    def watch(folder: Path, command: list[str]) -> Recording:
        report = folder / "report.json"
        run([sys.executable, "-m", "bench.watch_command", options, str(report), "--", *command])
        found = json.loads(report.read_text())
        saved = found["saved"]
        if saved is None:
            return Recording(0, 0, 0, found)
        return Recording(saved["events"], saved["stats"]["stored_bytes"], saved["lost"], found)

    return watch


def contenders() -> dict[str, Recorder]:
    """Everything that can run here, and one line on stderr for what cannot."""
    found: dict[str, Recorder] = {
        "nothing": nothing,
        "wastenot": wastenot("{}"),
        "wastenot, four events": wastenot(FOUR),
        SENTINEL: watching('{"sentinel_only": true}'),
        BLACK_BOX: watching("{}"),
    }
    for name, tool, recorder in (("perf record", "perf", perf), ("trace-cmd record", "trace-cmd", trace_cmd)):
        if shutil.which(tool):
            found[name] = recorder
        else:
            print(f"SKIPPED bench: {name}: {tool} is not installed", file=sys.stderr)
    return found

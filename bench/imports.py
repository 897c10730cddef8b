"""From another tool's trace to a verdict, beside what reads the format natively: events per second and peak memory.

Every trace holds switches, wakeups and migrations of `perf bench sched messaging`, recorded here by the tool itself;
CTF, which needs LTTng's kernel modules, is written by `collector/formats/ctf/examples/generate.rs`, and Perfetto by
`wastenot export`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb

from bench.captures import WASTENOT, messaging, run_quietly
from bench.recorders import EVENTS, BenchError, run, trace_cmd_events
from bench.report import Section
from bench.rounds import Spread, interleaved

ROOT = Path(__file__).parents[1]
CHOSEN = [word for event in EVENTS for word in ("-e", event)]
LOOPS_PROBED = 300
RECORDED_AT_MOST = 4
"""Recordings of a workload until one has about as many events as are wanted."""


@dataclass(frozen=True)
class Format:
    """A format: how a trace of about so many events is made, and the commands that read it natively."""

    make: Callable[[Path, int], Path]
    natives: Callable[[Path], dict[str, list[str]]]


def perf_data(folder: Path, events: int) -> Path:
    """`perf record` of the workload."""

    def record(path: Path, loops: int) -> int:
        out = run(["perf", "record", "-a", "-m", "2048", *CHOSEN, "-o", str(path), *messaging(loops)])
        return int(out.rsplit("(", 1)[1].split(" samples")[0])

    return _of_size(folder / f"{events}.perf.data", events, record)


def trace_dat(folder: Path, events: int) -> Path:
    """`trace-cmd record` of the workload."""
    wrapper = ["unshare", "--mount", str(Path(__file__).with_name("peer_namespace.sh"))]

    def record(path: Path, loops: int) -> int:
        run([*wrapper, "trace-cmd", "record", "-b", "65536", *CHOSEN, "-o", str(path), *messaging(loops)])
        return trace_cmd_events(path)

    return _of_size(folder / f"{events}.trace.dat", events, record)


def ctf(folder: Path, events: int) -> Path:
    """A trace as LTTng writes it, generated."""
    path = folder / f"{events}.ctf"
    if not path.exists():
        example = ["cargo", "run", "--quiet", "--release", "-p", "wastenot-ctf", "--example", "generate", "--"]
        run([*example, str(path), str(events), "8"])
    return path


def ftrace_text(folder: Path, events: int) -> Path:
    """What `trace-cmd report` prints of such a trace."""
    path = folder / f"{events}.txt"
    if not path.exists():
        with path.open("w") as f:
            subprocess.run(["trace-cmd", "report", str(trace_dat(folder, events))], stdout=f, check=True)
    return path


def perfetto(folder: Path, events: int) -> Path:
    """Our export of the perf trace."""
    path, trace = folder / f"{events}.pftrace", folder / f"{events}.export.duckdb"
    if not path.exists():
        run([WASTENOT, "import", "-q", "--force", str(perf_data(folder, events)), "-o", str(trace)])
        run([WASTENOT, "export", "-q", str(trace), "--to", "perfetto", "-o", str(path)])
    return path


FORMATS: dict[str, Format] = {
    "ctf": Format(
        ctf,
        lambda p: {
            "babeltrace2, dummy sink": ["babeltrace2", str(p), "--component=sink.utils.dummy"],
            "babeltrace2, text": ["babeltrace2", str(p)],
        },
    ),
    "trace.dat": Format(trace_dat, lambda p: {"trace-cmd report": ["trace-cmd", "report", str(p)]}),
    "ftrace text": Format(ftrace_text, lambda _: {}),
    "perf.data": Format(
        perf_data,
        lambda p: {
            "perf script": ["perf", "script", "-i", str(p)],
            "perf sched timehist": ["perf", "sched", "timehist", "-i", str(p)],
        },
    ),
    "perfetto": Format(
        perfetto,
        lambda p: {
            "trace processor (WebAssembly)": ["node", str(ROOT / "tests/perfetto/query.mjs"), str(p), "SELECT 1"]
        },
    ),
}


def measure(folder: Path, rounds: int, size: int, sizes: tuple[int, int]) -> list[Section]:
    """All formats at `size` events, in interleaved rounds; ours again at two `sizes`, for the memory."""
    return [_rates(folder, rounds, size), _memory(folder, sizes)]


def _rates(folder: Path, rounds: int, size: int) -> Section:
    section = Section(
        "Import",
        "Another tool's trace to a verdict (`wastenot import`, start-up, store and check included), beside what reads "
        "the same file natively, its output thrown away; events of the trace per second of wall-clock time, median "
        f"(range) of {rounds} interleaved rounds.",
        ["format, program", "events", "M events/s", "range", "CPU, s", "peak memory, MB"],
    )
    for name, format_ in FORMATS.items():
        try:
            source = format_.make(folder, size)
        except BenchError as e:
            print(f"SKIPPED bench: imports of {name}: {e}", file=sys.stderr)
            continue
        target = folder / "import.duckdb"
        ours = [WASTENOT, "import", "-q", "--force", str(source), "-o", str(target)]
        todo = {"wastenot import": ours, **format_.natives(source)}
        there = {what: command for what, command in todo.items() if shutil.which(command[0])}
        runs = interleaved({w: partial(run_quietly, c, folder / "log") for w, c in there.items()}, rounds, name)
        events = _events(target)
        for what, took in runs.items():
            rate = Spread.of([events / t["wall_s"] / 1e6 for t in took])
            section.add(
                f"{name}: {what}",
                events,
                f"{rate.median:.2f}",
                f"{rate.low:.2f} … {rate.high:.2f}",
                f"{Spread.of([t['cpu_s'] for t in took]).median:.1f}",
                f"{Spread.of([t['peak_bytes'] / 1e6 for t in took]).median:.0f}",
            )
    return section


def _memory(folder: Path, sizes: tuple[int, int]) -> Section:
    section = Section(
        "Memory of an import",
        "Peak memory of `wastenot import` as the trace grows.",
        ["format", "events", "peak memory, MB", "events", "peak memory, MB"],
    )
    for name, format_ in FORMATS.items():
        cells: list[object] = []
        for size in sizes:
            try:
                source = format_.make(folder, size)
            except BenchError:
                break
            target = folder / "import.duckdb"
            took = run_quietly([WASTENOT, "import", "-q", "--force", str(source), "-o", str(target)], folder / "log")
            cells += [_events(target), f"{took['peak_bytes'] / 1e6:.0f}"]
        if len(cells) == 4:
            section.add(name, *cells)
    return section


def _events(trace: Path) -> int:
    """Events that were read, our rows of names and masks left out."""
    with duckdb.connect(str(trace), read_only=True) as con:
        row = con.execute("SELECT options FROM trace").fetchone()
    assert row is not None
    return sum(json.loads(row[0])["read"].values())


def _of_size(path: Path, events: int, record: Callable[[Path, int], int]) -> Path:
    """A recording of about so many events: at least three quarters of them, by what shorter ones had."""
    loops = LOOPS_PROBED
    for _ in range(0 if path.exists() else RECORDED_AT_MOST):
        there = record(path, loops)
        if there >= events * 3 / 4:
            break
        loops = max(1, round(loops * events / max(there, 1)))
    return path

"""What recording deadlines costs: `python -m bench.deadlines [--rounds N] [--round-trips N] [--keep]`; needs root.

Two processes wake each other (`bench.ping_pong`) as fair, SCHED_FIFO and SCHED_DEADLINE threads. Of the last the
recorder writes parameters and the state of the server at each switch and wakeup; the others cost it a compare. Cost is
what the kernel says the BPF programs took (`kernel.bpf_stats_enabled`) and the CPU time of the recording process, per
switch recorded: other work on the machine hardly shows in either. `--keep` writes `bench/results/deadlines.md`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.recorders import Recorder, wastenot
from bench.report import HEAD, RESULTS, Section, provenance
from bench.rounds import Spread, interleaved

CLASSES = {"fair": "fair", "fifo": "SCHED_FIFO", "deadline": "SCHED_DEADLINE"}


@dataclass(frozen=True)
class Cost:
    """One recording, per switch: ns in BPF programs and in the recording process, bytes on disk, dl_parameters rows."""

    bpf_ns: float
    consumer_ns: float
    bytes: float
    rows: float

    @property
    def ns(self) -> float:
        """Both together."""
        return self.bpf_ns + self.consumer_ns


def once(recorder: Recorder, name: str, round_trips: int, folder: Path) -> Cost:
    """Record the two processes once, with the kernel's statistics of BPF programs."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["BENCH_BPF_STATS"] = "1"
    try:
        found = recorder(folder, [sys.executable, "-m", "bench.ping_pong", name, str(round_trips)])
    finally:
        del os.environ["BENCH_BPF_STATS"]
    details = found.details
    switches = next(p["runs"] for p in details["programs"] if p["name"] == "on_switch")
    return Cost(
        sum(p["ns"] for p in details["programs"]) / switches,
        details["consumer_cpu_s"] * 1e9 / switches,
        found.bytes / switches,
        details["stopped"]["stats"]["records"].get("Deadline", 0) / switches,
    )


def measure(folder: Path, rounds: int, round_trips: int) -> Section:
    """The three classes, interleaved."""
    options = '{"stacks": false, "schedstat": "off"}'
    todo = {name: partial(once, wastenot(options), name, round_trips, folder / name) for name in CLASSES}
    costs = interleaved(todo, rounds, "deadlines")
    section = Section(
        "Deadlines",
        f"Two processes that wake each other {round_trips:,} times, recorded; per switch recorded, median (range) of "
        f"{rounds} interleaved rounds. BPF programs by the kernel's own count, which adds some 20 ns to each run.",
        [
            "class of the processes", "BPF programs, ns", "recording process, ns", "both, ns", "range", "adds, ns",
            "rows of dl_parameters", "bytes",
        ],
    )  # fmt: skip
    base = statistics.median(c.ns for c in costs["fifo"])
    for name, of in costs.items():
        both = Spread.of([c.ns for c in of])
        section.add(
            CLASSES[name],
            f"{statistics.median(c.bpf_ns for c in of):.0f}",
            f"{statistics.median(c.consumer_ns for c in of):.0f}",
            f"{both.median:.0f}",
            f"{both.low:.0f} … {both.high:.0f}",
            f"{both.median - base:+.0f}" if name == "deadline" else "",
            f"{statistics.median(c.rows for c in of):.2f}",
            f"{statistics.median(c.bytes for c in of):.1f}",
        )
    return section


def main() -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--round-trips", type=int, default=50_000)
    parser.add_argument("--keep", action="store_true", help="write bench/results/deadlines.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wastenot-deadlines-") as folder:
        section = measure(Path(folder), asked.rounds, asked.round_trips)
    text = section.markdown(provenance(f"python -m bench.deadlines --rounds {asked.rounds}"))
    print(text)
    if asked.keep:
        (RESULTS / "deadlines.md").write_text(HEAD + text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What all evidence adds to a recording, on kernels whose functions can be probed: in guests of the rig.

`fixtures/rig/run SCENARIO KERNEL 8 cost` records the scenario in turns with evidence and without; `python -m
bench.evidence_in_guests [--keep]` prints what these runs left in `out/rig`, and with `--keep` writes
`bench/results/evidence_in_guests.md`. The CPUs of a guest are emulated: only the ratios mean something.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from bench.report import RESULTS, Section, revision
from bench.rounds import Spread

RIG = Path(__file__).parents[1] / "out/rig"
KINDS = {
    "without": "without evidence",
    "evidence": "with evidence",
    "scans": "with evidence, CPUs scanned too",
}


@dataclass(frozen=True)
class Round:
    """One recording."""

    kind: str
    programs_ns: int
    """Run time of all BPF programs, by the kernel's count."""
    consumer_ns: int
    """CPU time of the recording process."""
    switches: int
    attempts: int
    placements: int

    def per_switch(self) -> tuple[float, float, float]:
        """ns in programs, in the recording process, and in both, per switch recorded."""
        programs, consumer = self.programs_ns / self.switches, self.consumer_ns / self.switches
        return programs, consumer, programs + consumer


def read(file: Path) -> list[Round]:
    """The rounds that `run` left. Raises ValueError for a file of other columns."""
    with file.open(encoding="ascii", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    columns = ("programs_ns", "consumer_ns", "switches", "attempts", "placements")
    return [Round(row["kind"], *(int(row[column] or 0) for column in columns)) for row in rows]


def section(files: dict[str, list[Round]]) -> Section:
    """A row per kernel and kind; `files` by scenario and kernel."""
    out = Section(
        "Evidence, on kernels whose functions can be probed",
        "Per switch recorded, ns in an emulated guest of 8 CPUs: run time of the BPF programs by the kernel's own "
        "count (`kernel.bpf_stats_enabled`), CPU time of the recording process, and both; medians (range of both) of "
        "five rounds in turns. Without evidence: switches, wakeups, moves, counts of queues, lives, hotplug and "
        "interrupts. With it: kernel stacks at moves, load-balance attempts with the loads and threads that they "
        "examined, placements, counters of the balancer.",
        [
            "recording",
            "programs",
            "recording process",
            "both",
            "range",
            "adds",
            "attempts per switch",
            "placements per switch",
        ],
    )
    for name, rounds in files.items():
        by_kind = defaultdict(list)
        for one in rounds:
            by_kind[one.kind].append(one)
        base = Spread.of([one.per_switch()[2] for one in by_kind["without"]]).median
        for kind, words in KINDS.items():
            of = by_kind[kind]
            costs = zip(*(one.per_switch() for one in of), strict=True)
            programs, consumer, both = (Spread.of(list(values)) for values in costs)
            switches = sum(one.switches for one in of)
            out.add(
                f"{name}, {words}",
                f"{programs.median:,.0f}".replace(",", " "),
                f"{consumer.median:,.0f}".replace(",", " "),
                f"{both.median:,.0f}".replace(",", " "),
                f"{both.low:,.0f} … {both.high:,.0f}".replace(",", " "),
                "" if kind == "without" else f"{both.median / base - 1:+.1%}",
                f"{sum(one.attempts for one in of) / switches:.2f}",
                f"{sum(one.placements for one in of) / switches:.2f}",
            )
    return out


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write bench/results/evidence_in_guests.md")
    arguments = parser.parse_args()
    files = {
        file.parent.name.removesuffix("-8-cost").replace("-", " on ", 1): read(file)
        for file in sorted(RIG.glob("*-cost/rounds.tsv"))
    }
    if not files:
        print("evidence_in_guests: nothing in out/rig; fixtures/rig/run placements 7.2 8 cost", file=sys.stderr)
        return 2
    text = section(files).markdown(f"`python -m bench.evidence_in_guests --keep` at revision {revision()}.")
    print(text)
    if arguments.keep:
        (RESULTS / "evidence_in_guests.md").write_text(f"# Measured: evidence in guests\n\n{text}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

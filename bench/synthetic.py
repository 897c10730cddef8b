"""The whole check on synthetic machines, over events made in memory (`checker/examples/synthetic.rs`)."""

from __future__ import annotations

import re

from bench.recorders import BenchError, run
from bench.report import Section

LINE = re.compile(
    r"^(?P<machine>.+?)\s{2,}(?P<rate>[\d.]+) M events/s\s+(?P<without>[\d.]+) without causes"
    r"\s+(?P<adds>\S+ %) time for them\s+(?P<memory>[\d.]+) MB\s+(?P<figures>.+)$",
    flags=re.M,
)


def measure(events: int) -> list[Section]:
    """A row per machine; the example itself takes the median of five runs."""
    command = ["cargo", "run", "--quiet", "--release", "-p", "wastenot-checker", "--example", "synthetic", "--"]
    out = run([*command, str(events)])
    section = Section(
        "Check of large machines",
        f"`{' '.join(command[:-1])} -- {events}`: a random scheduler's events in memory, checked without the "
        "tables that are made on demand; median of five runs with causes and five without, in turns, in CPU time.",
        [
            "machine",
            "M events/s",
            "without causes",
            "causes add",
            "memory, MB",
            "the events it was given, and the rows it made",
        ],
    )
    rows = LINE.findall(out)
    if not rows:
        raise BenchError(f"checker/examples/synthetic.rs printed nothing that can be read: {out[-200:]}")
    for row in rows:
        section.add(*row)
    return [section]

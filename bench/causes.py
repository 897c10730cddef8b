"""What determining causes adds to the check of real recordings: the shipped ones of guests and of kernels with faults.

Each is read into memory once, with all the evidence that its kernel gave, and checked with causes and without, in
turns.
"""

from __future__ import annotations

import json
import resource
import statistics
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from wastenot._native import checker
from wastenot.analyzer import CheckOptions, Trace
from wastenot.analyzer.store.tables import CHECKER_ENTITIES, event_tables

from bench.attribution import recordings
from bench.report import Section

TRACES = Path(__file__).parents[1] / "fixtures/traces"
LISTED = 6
"""Recordings that have a row of their own: those with most events."""


def measure(rounds: int) -> list[Section]:
    """A row for each of the longest recordings, and one for all together."""
    section = Section(
        "Causes in real recordings",
        "Shipped recordings of guests and of kernels with faults (`fixtures/traces/rig`, "
        "`fixtures/traces/kernel-faults`), read into memory, checked without the tables that are made on demand, in "
        "user CPU time, with causes and without in "
        f"turns: the median of {rounds} rounds. Causes may add 25 %.",
        ["recording", "events", "with causes, ms", "without, ms", "causes add", "range of the rounds"],
    )
    found = sorted(seconds_of_all(rounds), key=lambda row: -row[1])
    for name, events, pairs in found[:LISTED]:
        section.add(name, events, *cells(pairs))
    together = [
        (sum(with_causes), sum(without))
        for with_causes, without in (zip(*round_, strict=True) for round_ in zip(*(p for *_, p in found), strict=True))
    ]
    section.add(f"all {len(found)}", sum(events for _, events, _ in found), *cells(together))
    return [section]


def cells(pairs: list[tuple[float, float]]) -> list[str]:
    """The medians, what causes add, and its range over the rounds."""
    with_causes, without = (statistics.median(times) for times in zip(*pairs, strict=True))
    adds = [100 * (a / b - 1) for a, b in pairs]
    shown = [f"{with_causes * 1e3:.1f}", f"{without * 1e3:.1f}", f"{statistics.median(adds):+.1f} %"]
    return [*shown, f"{min(adds):+.1f} … {max(adds):+.1f} %"]


def seconds_of_all(rounds: int) -> Iterator[tuple[str, int, list[tuple[float, float]]]]:
    """Of each recording: its name, events, and by round the seconds with causes and without."""
    for part in sorted([*TRACES.glob("rig/*.part"), *TRACES.glob("kernel-faults/*.part")]):
        with recordings.checked(part) as trace:
            tables = tables_of(trace)
        events = sum(tables[name].num_rows for name in event_tables())
        seconds(tables, False)  # warms what the first check would
        yield part.stem, events, [round_of(tables, number) for number in range(rounds)]


def round_of(tables: dict[str, pa.Table], number: int) -> tuple[float, float]:
    """Seconds with causes and without; which comes first changes from round to round."""
    if number % 2:
        without = seconds(tables, True)
        return seconds(tables, False), without
    with_causes = seconds(tables, False)
    return with_causes, seconds(tables, True)


def tables_of(trace: Trace) -> dict[str, pa.Table]:
    """What the check reads."""
    with trace.cursor() as cursor:
        names = (*event_tables(), *CHECKER_ENTITIES)
        return {name: cursor.sql(f"SELECT * FROM {name}").to_arrow_table() for name in names}


def seconds(tables: dict[str, pa.Table], without_causes: bool) -> float:
    """User CPU time of a check whose results are dropped."""
    options = json.loads(CheckOptions().to_json()) | {"without_causes": without_causes}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    checker.check(tables, json.dumps(options), lambda _table, _stream: None, None)
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - before

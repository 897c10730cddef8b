"""What determining causes adds to the check of real recordings: the shipped ones of guests and of kernels with faults.

Of the checker alone: each is read into memory once, with all the evidence that its kernel gave, and checked with causes
and without, in turns. Of what a person waits for: each is finished as `wastenot check` finishes it, and a long trace of
64 CPUs is checked again.
"""

from __future__ import annotations

import json
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
from wastenot._native import checker
from wastenot.analyzer import CheckOptions, Trace, build, ensure_checked
from wastenot.analyzer.store.tables import CHECKER_ENTITIES, event_tables

from bench.attribution import recordings
from bench.report import Section
from bench.web import traces

TRACES = Path(__file__).parents[1] / "fixtures/traces"
LISTED = 6
"""Recordings that have a row of their own: those with most events."""


class WithoutCauses(CheckOptions):
    """Options of a check that determines no causes, which only measurements want."""

    def to_json(self) -> str:
        """The options as the checker takes them."""
        return json.dumps(json.loads(super().to_json()) | {"without_causes": True})


Rounds = list[tuple[float, float]]
"""By round: seconds with causes, and without."""


def measure(folder: Path, rounds: int, events: int) -> list[Section]:
    """A row for each of the longest recordings, and one for all together: of the checker alone, and of the whole."""
    return [by_checker(rounds), by_command(folder, rounds, events)]


def by_checker(rounds: int) -> Section:
    """User CPU time of the checker."""
    section = Section(
        "Causes in real recordings",
        "Shipped recordings of guests and of kernels with faults (`fixtures/traces/rig`, "
        "`fixtures/traces/kernel-faults`), read into memory, checked without the tables that are made on demand, in "
        "user CPU time, with causes and without in "
        f"turns: the median of {rounds} rounds.",
        ["recording", "events", "with causes, ms", "without, ms", "causes add", "range of the rounds"],
    )
    found = sorted(seconds_of_all(rounds), key=lambda row: -row[1])
    for name, events, pairs in found[:LISTED]:
        section.add(name, events, *cells(pairs))
    section.add(f"all {len(found)}", sum(events for _, events, _ in found), *cells(together(p for *_, p in found)))
    return section


def by_command(folder: Path, rounds: int, events: int) -> Section:
    """CPU time of what `wastenot check` does once it has started: the clock would time the disk too."""
    section = Section(
        "Causes in the whole check",
        "The same recordings finished as `wastenot check` does it, from what the recorder wrote to the trace with its "
        "findings, and a simulated trace of 64 CPUs with all evidence, in which much is wasted, checked again: in "
        "CPU time, without the start of the command, "
        f"with causes and without in turns: the median of {rounds} rounds. Causes may add 25 %.",
        ["trace", "with causes, ms", "without, ms", "causes add", "range of the rounds"],
    )
    recorded = recordings_shipped()
    of_each: dict[str, Rounds] = {}
    for part in recorded:
        finish(part, False)  # warms what the first one would
        of_each[part.stem] = [in_turns(number, partial(finish, part)) for number in range(rounds)]
    longest = sorted(of_each, key=lambda name: -statistics.median(with_causes for with_causes, _ in of_each[name]))
    for name in longest[:LISTED]:
        section.add(name, *cells(of_each[name]))
    section.add(f"all {len(of_each)}", *cells(together(iter(of_each.values()))))
    most = max(of_each, key=lambda name: statistics.median(added(of_each[name])))
    section.add(f"most added: {most}", *cells(of_each[most]))
    trace = traces.build(folder, events, evidence_level="L2")
    pairs = [in_turns(number, partial(check_again, trace)) for number in range(rounds)]
    section.add(f"simulated, {events / 1e6:g} M events", *cells(pairs))
    return section


def recordings_shipped() -> list[Path]:
    """Their folders."""
    return sorted([*TRACES.glob("rig/*.part"), *TRACES.glob("kernel-faults/*.part")])


def finish(part: Path, without_causes: bool) -> float:
    """Seconds in which a copy of a recording becomes a trace with findings."""
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        copy = Path(folder) / "T.duckdb.part"
        shutil.copytree(part, copy)
        began = time.process_time()
        build(copy, Path(folder) / "T.duckdb", WithoutCauses() if without_causes else CheckOptions())
        return time.process_time() - began


def check_again(trace: Path, without_causes: bool) -> float:
    """Seconds of a check with other thresholds than the last one's."""
    threshold = {"in_flight": 60_000 + time.monotonic_ns() % 1000}
    began = time.process_time()
    ensure_checked(trace, (WithoutCauses if without_causes else CheckOptions)(thresholds_ns=threshold))
    return time.process_time() - began


def in_turns(number: int, seconds_of: Callable[[bool], float]) -> tuple[float, float]:
    """Seconds with causes and without; which comes first changes from round to round."""
    if number % 2:
        without = seconds_of(True)
        return seconds_of(False), without
    with_causes = seconds_of(False)
    return with_causes, seconds_of(True)


def together(of_each: Iterator[Rounds]) -> Rounds:
    """The sums over the recordings, by round."""
    rounds = zip(*of_each, strict=True)
    return [(sum(with_causes), sum(without)) for with_causes, without in (zip(*of, strict=True) for of in rounds)]


def added(pairs: Rounds) -> list[float]:
    """What causes add in each round, per cent."""
    return [100 * (a / b - 1) for a, b in pairs]


def cells(pairs: Rounds) -> list[str]:
    """The medians, what causes add, and its range over the rounds."""
    with_causes, without = (statistics.median(times) for times in zip(*pairs, strict=True))
    adds = added(pairs)
    shown = [f"{with_causes * 1e3:.1f}", f"{without * 1e3:.1f}", f"{statistics.median(adds):+.1f} %"]
    return [*shown, f"{min(adds):+.1f} … {max(adds):+.1f} %"]


def seconds_of_all(rounds: int) -> Iterator[tuple[str, int, Rounds]]:
    """Of each recording: its name, events, and by round the seconds with causes and without."""
    for part in recordings_shipped():
        with recordings.checked(part) as trace:
            tables = tables_of(trace)
        events = sum(tables[name].num_rows for name in event_tables())
        seconds(tables, False)  # warms what the first check would
        yield (
            part.stem,
            events,
            [in_turns(number, partial(seconds, tables)) for number in range(rounds)],
        )


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

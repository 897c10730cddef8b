"""Speed of the check, beside oracles that answer only one of its questions."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb
import pyarrow as pa
from wastenot import _native
from wastenot.analyzer.store.checking import CheckOptions, run_check
from wastenot.analyzer.store.tables import CHECKER_ENTITIES, CHECKER_TABLES, MADE_LATER, TableSet, event_tables

from bench.captures import messaging, operations_for, record
from bench.report import Section
from bench.rounds import Spread, interleaved
from tests.oracle.idle_while_waiting_sweep import idle_while_waiting_ns

VERDICT = CheckOptions().to_json()
"""A check as it is by default."""

ORACLES = Path(__file__).parents[1] / "tests/oracle"


def time_call(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and CPU seconds of all threads of this process."""
    began = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began[0], time.process_time() - began[1]


def drop(_: str, stream: object) -> None:
    """Read what the checker emits, and forget it."""
    for _batch in pa.RecordBatchReader.from_stream(stream):
        pass


def in_sql(con: duckdb.DuckDBPyConnection) -> int:
    """The SQL oracle."""
    row = con.execute((ORACLES / "idle_while_waiting.sql").read_text()).fetchone()
    assert row is not None
    return int(row[0])


def measure(folder: Path, rounds: int, events: int) -> list[Section]:
    """Rates over one capture, interleaved."""
    capture = record(folder / "check.duckdb", operations_for(events, folder, messaging, 1000), messaging)
    copy = folder / "copy.duckdb"
    shutil.copy(capture.trace, copy)
    stored = duckdb.connect(str(copy))
    con = duckdb.connect(str(capture.trace), read_only=True)
    names = [*event_tables(), *CHECKER_ENTITIES]
    in_memory = {name: _native.Rows(con.sql(f"SELECT * FROM {name}")) for name in names}

    def streamed() -> None:
        cursors = {name: con.cursor() for name in names}
        streams = {n: c.sql(f"SELECT * FROM {n}") for n, c in cursors.items()}
        _native.checker.check(streams, VERDICT, drop)

    def anew(tables: TableSet) -> None:
        for table in set(CHECKER_TABLES) - set(MADE_LATER):
            stored.execute(f"TRUNCATE {table}")
        run_check(stored, CheckOptions(tables=tables))

    contenders: dict[str, Callable[[], object]] = {
        "check, Arrow in memory, findings dropped": lambda: _native.checker.check(in_memory, VERDICT, drop),
        "check, streamed from DuckDB, findings dropped": streamed,
        "check, streamed from DuckDB, findings stored": partial(anew, tables="verdict"),
        "check, streamed from DuckDB, overview stored": partial(anew, tables="overview"),
        "check, streamed from DuckDB, all tables stored": partial(anew, tables="all"),
        "idle_while_waiting alone, plain SQL": lambda: in_sql(con),
        "idle_while_waiting alone, numpy sweep": lambda: idle_while_waiting_ns(con),
    }
    times = interleaved({n: partial(time_call, work) for n, work in contenders.items()}, rounds, "checking")
    section = Section(
        "Check",
        f"A capture of `perf bench sched messaging` with the default event set, {capture.events:,} events; median "
        f"(range) of {rounds} interleaved rounds. The check finds what a verdict needs; in the row of all tables also "
        "those that are made on demand. The oracles find one number. "
        "CPU seconds are those of all threads: "
        "the figure that other work on the machine hardly disturbs.",
        ["what", "M events/s", "range", "M events per CPU second", "range"],
    )
    for name, seconds in times.items():
        clock = Spread.of([capture.events / wall / 1e6 for wall, _ in seconds])
        cpu = Spread.of([capture.events / cpu / 1e6 for _, cpu in seconds])
        cells = [(f"{s.median:.1f}", f"{s.low:.1f} … {s.high:.1f}") for s in (clock, cpu)]
        section.add(name, *cells[0], *cells[1])
    agreement = con.execute("SELECT idle_while_waiting_ns FROM verdict").fetchone()
    assert agreement is not None
    checker, numpy, sql = agreement[0], idle_while_waiting_ns(con), in_sql(con)
    agree = Section("Oracles", "`idle_while_waiting` integrated over the same capture, ns.", ["by", "ns"])
    for name, value in (("checker", checker), ("numpy sweep", numpy), ("plain SQL", sql)):
        agree.add(name, value)
    con.close()
    stored.close()
    return [section, agree]

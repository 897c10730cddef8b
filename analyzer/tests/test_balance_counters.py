"""Hardware counters of ranks (evidence H2): which runs count, and what is said of the rank that computes most."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest
from drawing import build_drawn
from programs import SpinningProgram, iterations
from wastenot.analyzer import CheckOptions, open_trace
from wastenot.analyzer.balance.application import Application, Balance
from wastenot.analyzer.balance.counters import RankCounters, Readings, rank_counters
from wastenot.analyzer.balance.decomposition import RUNNING, SLEEPING, States
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.balance.timelines import EMPTY, Timeline
from wastenot.analyzer.render.balance import balance_json, counters_words, headline_of


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


RUNS = States(
    ints(0, 50, 60, 90) * 1000,
    ints(50, 60, 90, 100) * 1000,
    ints(RUNNING, SLEEPING, RUNNING, RUNNING),
    ints(0, 0, 0, 0),
)
US = 1000


def readings(*rows: tuple[int, int, int]) -> Readings:
    """When, instructions, cycles: cycles are read 40 ns later, as each counter has a time of its own."""
    ordered = sorted([(at, 0, i) for at, i, _ in rows] + [(at + 40, 1, c) for at, _, c in rows])
    return Readings(*(ints(*column) for column in zip(*ordered, strict=True)))


READINGS = readings((50 * US - 300, 500, 250), (90 * US, 30, 30), (100 * US + 200, 7, 7))


def test_whole_runs_between_the_bounds_are_added_up() -> None:
    assert rank_counters(RUNS, EMPTY, READINGS, 0, 100 * US) == RankCounters(537, 287, 90 * US)
    assert rank_counters(RUNS, EMPTY, READINGS, 200 * US, 300 * US) is None


def test_a_run_that_touches_a_call_does_not_count() -> None:
    waiting = Timeline.of(ints(70 * US), ints(75 * US))
    assert rank_counters(RUNS, waiting, READINGS, 0, 100 * US) == RankCounters(507, 257, 60 * US)


def test_a_reading_without_a_run_does_not_count() -> None:
    assert rank_counters(RUNS, EMPTY, readings((50 * US, 500, 250), (10**8, 9, 9)), 0, 10**9) == RankCounters(
        500, 250, 50 * US
    )


def test_a_run_with_one_counter_alone_does_not_count() -> None:
    alone = Readings(ints(50 * US), ints(0), ints(500))
    assert rank_counters(RUNS, EMPTY, alone, 0, 100 * US) is None


def counted(folder: Path, drawing: str, per_us: dict[int, tuple[int, int]]) -> Application:
    """A drawn program; by thread so many instructions and cycles for each µs that it ran."""
    path = folder / "T.duckdb"
    build_drawn(drawing, path, CheckOptions(tables="all"))
    with duckdb.connect(str(path)) as con:
        for tid, (instructions, cycles) in per_us.items():
            for counter, rate in (("instructions", instructions), ("cycles", cycles)):
                con.execute(
                    """INSERT INTO perf_counter (id, ts_ns, cpu, tid, counter, value)
                    SELECT 1000000 + row_number() OVER (), s.start_ns + s.dur_ns, s.cpu, t.tid, $counter,
                        s.dur_ns // 1000 * $rate
                    FROM cpu_slice s JOIN thread t USING (utid) WHERE t.tid = $tid""",
                    {"counter": counter, "rate": rate, "tid": tid},
                )
    with open_trace(path) as trace:
        (app,) = balance_of(trace, Selection(app="app")).applications
    return app


def test_a_rank_with_more_work_executes_more_instructions_at_the_same_rate(tmp_path: Path) -> None:
    app = counted(tmp_path, iterations([10_000, 40_000], 6), {101: (3000, 2000), 102: (3000, 2000)})
    assert app.has_counters and app.evidence == "H0"
    words = counters_words(app)
    assert words.startswith("Hardware counters: rank 1 executes 1.60 times the mean of instructions at 1.00 times")
    assert "which may hold spinning" in words
    rank = balance_json_of(app)
    assert rank["counters"]["instructions"] * 2 == rank["counters"]["cycles"] * 3


def test_a_slow_rank_executes_as_many_instructions_at_a_lower_rate(tmp_path: Path) -> None:
    app = counted(tmp_path, iterations([20_000, 40_000], 6), {101: (4000, 2000), 102: (2000, 2000)})
    assert counters_words(app).startswith(
        "Hardware counters: rank 1 executes 1.00 times the mean of instructions at 0.67"
    )


def test_with_calls_the_evidence_is_h2(tmp_path: Path) -> None:
    program, at = SpinningProgram(2), 0
    for _ in range(6):  # each rank is preempted before its barrier, so that a run ends while it computes
        at = program.meeting(at, [10_000, 40_000], {0: 100, 1: 100})
    app = counted(tmp_path, program.drawing(at, daemons=[0, 1]), {101: (3000, 2000), 102: (3000, 2000)})
    assert (app.level, app.evidence) == ("H1", "H2")
    assert headline_of(app, Balance((app,), (), 0, True, ())).endswith("(H2: calls of PMPI_Barrier; hardware counters)")


def test_without_counters_nothing_is_said(tmp_path: Path) -> None:
    app = counted(tmp_path, iterations([10_000, 40_000], 6), {101: (3000, 2000)})
    assert not app.has_counters and counters_words(app) == ""


def balance_json_of(app: Application) -> dict[str, dict[str, int]]:
    """The first rank of its JSON."""

    rank: dict[str, dict[str, int]] = balance_json(Balance((app,), (), 0, True, ()))["applications"][0]["rank"][1]
    return rank


@pytest.mark.parametrize("instructions", [0, 10])
def test_ipc_is_instructions_by_cycles(instructions: int) -> None:
    assert RankCounters(instructions, 5, 1).ipc == instructions / 5

"""A program beside a reference run: scalabilities by hand, and what they are multiplied to."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from drawing import build_drawn
from programs import iterations
from wastenot.analyzer import CheckOptions, errors, open_trace
from wastenot.analyzer.balance.application import Balance
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.balance.scalability import Scalability, scalability, the_same
from wastenot.analyzer.render.scalability import scalability_json, scalability_text
from wastenot.analyzer.render.terminal import as_text

US = 1000
TWO = [30_000, 40_000]
FOUR = [15_000, 20_000, 16_000, 22_000]
"""What each rank computes in an iteration (µs). The last one to end computes for 10 µs more, until all run again."""


def run_of(folder: Path, computes: list[int], rates: tuple[int, int] | None = None, count: int = 8) -> Balance:
    """The balance of a drawn program; `rates`: instructions and cycles of each ns on a CPU."""
    path = folder / f"{len(computes)}-{count}.duckdb"
    build_drawn(iterations(computes, count), path, CheckOptions(tables="all"))
    with duckdb.connect(str(path)) as con:
        for counter, rate in zip(("instructions", "cycles"), rates or (), strict=False):
            con.execute(
                """INSERT INTO perf_counter (id, ts_ns, cpu, tid, counter, value)
                SELECT 1000000 + row_number() OVER (), s.start_ns + s.dur_ns, s.cpu, t.tid, $counter, s.dur_ns * $rate
                FROM cpu_slice s JOIN thread t USING (utid) WHERE t.name = 'app'""",
                {"counter": counter, "rate": rate},
            )
    with open_trace(path) as trace:
        return balance_of(trace, Selection(app="app"))


def beside(own: Balance, reference: Balance) -> Scalability:
    return scalability(the_same(own), the_same(reference, the_same(own)))


def test_scalabilities_are_those_of_an_iteration_by_hand(tmp_path: Path) -> None:
    found = beside(run_of(tmp_path, FOUR, (4, 3)), run_of(tmp_path, TWO, (6, 4)))
    computed, before = sum(FOUR) + 10, sum(TWO) + 10
    assert found.basis == "iteration" and found.is_bound
    assert (found.own.length_ns, found.reference.length_ns) == (22_010 * US, 40_010 * US)
    assert (found.own.compute_ns, found.reference.compute_ns) == (computed * US, before * US)
    assert found.computation == pytest.approx(before / computed)
    assert found.instructions == pytest.approx(6 * before / (4 * computed))
    assert found.ipc == pytest.approx((4 / 3) / (6 / 4))
    assert found.frequency == pytest.approx(3 / 4)
    assert found.speedup == pytest.approx(40_010 / 22_010) and found.ideal == 2.0
    assert found.global_efficiency == pytest.approx(before / (4 * 22_010))
    # What the model of POP says of them.
    assert found.instructions is not None and found.ipc is not None and found.frequency is not None
    assert found.instructions * found.ipc * found.frequency == pytest.approx(found.computation)
    reached = found.global_efficiency / found.reference.parallel_efficiency
    assert found.speedup / found.ideal == pytest.approx(reached)


def test_a_run_beside_itself_scales_by_one(tmp_path: Path) -> None:
    balance = run_of(tmp_path, TWO, (6, 4))
    found = beside(balance, balance)
    assert (found.speedup, found.computation, found.instructions, found.ipc, found.frequency) == (1, 1, 1, 1, 1)


def test_without_counters_of_both_only_computing_is_compared(tmp_path: Path) -> None:
    found = beside(run_of(tmp_path, FOUR, (4, 3)), run_of(tmp_path, TWO))
    assert (found.instructions, found.ipc, found.frequency) == (None, None, None)
    text = as_text(scalability_text(found, "two.duckdb"), 200)
    assert "computation scalability" in text and "IPC scalability" not in text
    assert "Why computing grew or shrank is not known" in text
    assert scalability_json(found, "two.duckdb")["computation_scalability"] == found.computation


def test_runs_without_iterations_are_compared_as_a_whole(tmp_path: Path) -> None:
    found = beside(run_of(tmp_path, FOUR, count=2), run_of(tmp_path, TWO))
    assert found.basis == "run"
    assert found.reference.length_ns == 8 * 40_010 * US and found.own.length_ns == 2 * 22_010 * US
    assert found.reference.compute_ns == pytest.approx(8 * (sum(TWO) + 10) * US)


def test_what_cannot_be_compared_is_refused_in_a_line(tmp_path: Path) -> None:
    own = run_of(tmp_path, TWO)
    nothing = Balance((), (), 0, True, ())
    with pytest.raises(errors.BadArgument, match="has no application to compare"):
        the_same(nothing)
    with pytest.raises(errors.BadArgument, match="has several applications"):
        the_same(Balance(own.applications * 2, (), 0, True, ()))
    even = run_of(tmp_path, [40_000, 40_000, 40_000])
    with pytest.raises(errors.BadArgument, match="is not visible in one of the traces"):
        beside(own, even)

"""How `python -m bench.parallel` counts and writes what it measured; the guide has the tables of the kept result."""

from __future__ import annotations

import math
import random
import re

import numpy as np
import pytest

from bench.pages import blocks, differences, unsupported_figures
from bench.parallel import advice, daemon, utilization
from bench.parallel.__main__ import GUIDE, KEPT, page_blocks
from bench.parallel.advice import Followed, outside
from bench.parallel.daemon import phases_of, taken
from bench.parallel.part import counted, repeated, spread
from bench.parallel.utilization import Beside, largest
from bench.recorders import BenchError

GUIDE_PAGE = GUIDE.read_text(encoding="utf-8")


def test_what_a_daemon_took_is_counted_instant_by_instant() -> None:
    draw = random.Random(1)
    for _ in range(100):
        cuts = sorted(draw.sample(range(200), 12))
        phases, bursts = cuts[:6], sorted(draw.sample(range(200), 6))
        rows = np.array(phases, float).reshape(3, 2)
        pairs = [(float(bursts[i]), float(bursts[i + 1])) for i in (0, 2, 4)]
        instants = sum(
            any(a <= t < b for a, b in rows.tolist()) and any(a <= t < b for a, b in pairs) for t in range(200)
        )
        assert taken(pairs, rows) == instants


def test_a_rank_computes_from_the_release_of_a_barrier_to_its_arrival_at_the_next() -> None:
    # Rank 0 is the last at the first barrier (2 s), rank 1 at the second (5 s).
    own = {"ranks": [{"arrived": [2.0, 3.0, 6.0]}, {"arrived": [1.0, 5.0, 7.0]}]}
    assert (phases_of(own, 1, 0.5e9, 6.5e9) / 1e9).tolist() == [[0.5, 1.0], [2.0, 5.0], [5.0, 6.5]]
    assert (phases_of(own, 0, 2.5e9, 9e9) / 1e9).tolist() == [[2.5, 2.5], [2.5, 3.0], [5.0, 6.0]]


@pytest.mark.parametrize(
    ("value", "low", "high", "off"), [(25, 24, 26, 0), (30, 24, 25, 0.2), (18, 20, 25, -0.1), (25, 25, 25, 0)]
)
def test_a_length_is_off_by_what_lies_outside_of_the_prediction(
    value: float, low: float, high: float, off: float
) -> None:
    assert outside(value, low, high) == pytest.approx(off)


def test_savings_are_shares_of_the_iteration_before() -> None:
    followed = Followed(before=40, low=25, high=26, after=27.3, is_advised=True)
    assert followed.promised == pytest.approx(0.375)
    assert followed.saved == pytest.approx(0.3175)
    assert followed.off == pytest.approx(0.05)


def test_figures_are_median_and_range() -> None:
    assert spread([], 1) == "–"
    assert spread([2.04, 2.01], 1) == "2.0"
    assert spread([3, 1, 1.26], 1) == "1.3 (1.0 … 3.0)"
    assert spread([-0.5, 0.25], 2, "+") == "-0.12 (-0.50 … +0.25)"
    assert (counted(3, 3), counted(2, 3)) == ("3", "2 of 3")
    assert largest([0.1, -0.3, 0.2]) == -0.3


def test_a_repetition_that_fails_is_left_out_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = iter([1, None, 3])

    def once() -> int:
        value = next(outcomes)
        if value is None:
            raise BenchError("no iterations found")
        return value

    assert repeated({"a program": once}, 3, "part") == {"a program": [1, 3]}
    assert "bench: a program: no iterations found" in capsys.readouterr().err


def test_ranks_that_are_not_visible_have_no_figures_but_their_own() -> None:
    seen = Beside("H1", 0.625, 0.63, 0.012, -0.004, 0.001, 0.62, 0.6)
    table = utilization.section({"spins": [Beside("H0", 0.62)] * 2, "calls": [seen], "none": []}, 2)
    assert table.rows == [
        ["spins", "H0", "not visible", "62.0", "–", "–", "–", "–", "–", "2"],
        ["calls", "H1", "63.0", "62.5", "+1.20", "-0.40", "+0.10", "62.0", "60.0", "1 of 2"],
        ["none", "–", "–", "–", "–", "–", "–", "–", "–", "0 of 2"],
    ]
    both = utilization.section({"some": [seen, Beside("H1", 0.6)]}, 2)
    assert both.rows[0][2] == "63.0; not visible in 1"
    assert math.isnan(Beside("H0", 0.6).load_balance)


def test_rows_have_a_cell_for_each_column() -> None:
    found = daemon.Attributed("H0", True, (0.11, 0.1), 0.02, 0.98, 0.9, 0.99)
    of_daemon = daemon.section({"a": [found], "b": []}, 1)
    of_advice = advice.section({"a": [Followed(40, 25, 26, 27, True)], "b": []}, 1)
    for table in (of_daemon, of_advice):
        assert {len(row) for row in table.rows} == {len(table.columns)}
    assert of_daemon.rows[0][2:] == ["11.00", "10.00", "98.0", "2.0", "90.0", "99.0", "1", "1"]
    assert of_advice.rows[0][1:] == ["40.0", "25.0 to 26.0", "27.0", "+3.8", "37.5", "32.5", "1", "1"]


def test_the_guide_has_the_tables_that_were_kept() -> None:
    """After measuring anew: `python -m bench.parallel --write`."""
    kept = page_blocks(KEPT.read_text(encoding="utf-8"))
    assert set(kept) == {"utilization", "daemon", "advice"}
    assert differences(GUIDE_PAGE, kept, "docs/guide/balance.md") == []


def test_every_figure_about_them_in_the_guide_is_in_a_table() -> None:
    section = next(part for part in re.split(r"^(?=## )", GUIDE_PAGE, flags=re.M) if part.startswith("## How exact"))
    assert len(blocks(section)) == 3
    assert unsupported_figures(section) == []

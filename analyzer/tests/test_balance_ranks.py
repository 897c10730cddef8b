"""Ranks whose numbers the environment of their processes tells, in drawn programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawn_balance import Measure, measured_in, one, printed
from programs import LAG_US, iterations
from wastenot.analyzer.balance.decomposition import PLACE
from wastenot.analyzer.balance.measuring import Selection
from wastenot.analyzer.render.balance import balance_json

US = 1000


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    """The balance of a drawing."""
    return measured_in(tmp_path)


def numbered(*rows: tuple[int, int, int | None]) -> str:
    """SQL that gives processes (tgid) a rank of so many by their environment."""
    values = ", ".join(
        f"({900_000 + i}, 0, {tgid}, {rank}, {'NULL' if size is None else size}, 0)"
        for i, (tgid, rank, size) in enumerate(rows)
    )
    return f"INSERT INTO process_rank (id, ts_ns, tgid, rank, size, variable) VALUES {values}"


THREE = iterations([10_000, 40_000, 20_000], 10)


def test_ranks_have_the_numbers_of_their_environment(measure: Measure) -> None:
    balance = measure(THREE, Selection(), numbered((101, 2, 3), (102, 0, 3), (103, 1, 3)))
    app = one(balance)
    assert (app.crew.found_by, app.crew.numbered, app.crew.ranks_elsewhere) == ("environment", True, 0)
    assert [(r.rank.place, r.rank.number, r.rank.tid) for r in app.ranks] == [(0, 0, 102), (1, 1, 103), (2, 2, 101)]
    typical = app.segments[1]
    computes = app.by_segment[1][:, PLACE["compute"]] / typical.windows / US
    assert computes.tolist() == pytest.approx([40_000, 20_000, 10_000], abs=2 * LAG_US)
    text = " ".join(printed(balance).split())
    assert "started as ranks by their environment" in text and "Rank 0 computes most" in text
    assert "not in the trace" not in text
    ranks = balance_json(balance)["applications"][0]
    assert [(r["rank"], r["tid"]) for r in ranks["rank"]] == [(0, 102), (1, 103), (2, 101)]
    assert ranks["world_size"] == 3


def test_ranks_of_a_program_that_has_others_keep_their_numbers_and_say_so(measure: Measure) -> None:
    balance = measure(THREE, Selection(), numbered((101, 4, 8), (102, 5, 8), (103, 6, 8)))
    assert [r.rank.number for r in one(balance).ranks] == [4, 5, 6]
    text = " ".join(printed(balance).split())
    assert "They are ranks 4-6 of 8: the others are not in the trace" in text and "Rank 5 computes most" in text
    windows = balance_json(balance)["applications"][0]["iteration"]
    assert 5 in (last := {w["last_rank"] for w in windows}) and last <= {4, 5, 6}


@pytest.mark.parametrize(
    "rows",
    [
        [(101, 0, 2), (102, 1, 2)],  # one of three has none
        [(101, 0, 3), (102, 1, 3), (103, 1, 3)],  # two programs of which one name is common
    ],
)
def test_ranks_are_numbered_by_creation_where_the_environment_does_not_tell_all(
    measure: Measure, rows: list[tuple[int, int, int | None]]
) -> None:
    app = one(measure(THREE, Selection(), numbered(*rows)))
    assert (app.crew.found_by, app.crew.numbered, app.crew.world_size) == ("siblings", False, None)
    assert [(r.rank.number, r.rank.tid) for r in app.ranks] == [(0, 101), (1, 102), (2, 103)]


def test_the_last_program_that_a_process_ran_gives_its_rank(measure: Measure) -> None:
    app = one(measure(THREE, Selection(), numbered((101, 9, 10), (101, 2, None), (102, 0, None), (103, 1, None))))
    assert [r.rank.tid for r in app.ranks] == [102, 103, 101] and app.crew.world_size is None

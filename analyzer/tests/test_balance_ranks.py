"""Ranks whose numbers the environment of their processes tells, in drawn programs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest
from drawn_balance import Measure, measured_in, one, printed
from programs import LAG_US, Program, iterations
from wastenot.analyzer import open_trace
from wastenot.analyzer.balance.decomposition import PLACE
from wastenot.analyzer.balance.measuring import Selection
from wastenot.analyzer.balance.paraver import export_paraver
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
    assert "They are ranks" not in text
    ranks = balance_json(balance)["applications"][0]
    assert [(r["rank"], r["tid"]) for r in ranks["rank"]] == [(0, 102), (1, 103), (2, 101)]
    assert ranks["world_size"] == 3


def test_others_are_noticed_by_the_numbers_where_their_count_is_not_known(measure: Measure) -> None:
    balance = measure(THREE, Selection(), numbered((101, 4, None), (102, 5, None), (103, 6, None)))
    assert one(balance).crew.ranks_elsewhere == 4
    assert "They are ranks 4-6 of more" in " ".join(printed(balance).split())


def test_ranks_of_a_program_that_has_others_keep_their_numbers_and_say_so(measure: Measure) -> None:
    balance = measure(THREE, Selection(), numbered((101, 4, 8), (102, 5, 8), (103, 6, 8)))
    assert [r.rank.number for r in one(balance).ranks] == [4, 5, 6]
    text = " ".join(printed(balance).split())
    assert (
        "They are ranks 4-6 of 8, and figures of balance are of these alone" in text and "Rank 5 computes most" in text
    )
    windows = balance_json(balance)["applications"][0]["iteration"]
    assert 5 in (last := {w["last_rank"] for w in windows}) and last <= {4, 5, 6}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_whatever_the_order_of_creation_each_rank_has_the_same_figures(
    measure: Measure, tmp_path: Path, order: tuple[int, ...]
) -> None:
    program, at = Program(3), 0
    for number in range(12):
        at = program.iteration(at, [20_000, 22_000, 21_000], {1: 5_000} if number % 2 else {})
    drawing = program.drawing(at, daemons=[1])
    plain = one(measure(drawing, Selection()))
    written = tmp_path / "plain.prv"
    with open_trace(tmp_path / "T.duckdb") as trace:
        export_paraver(trace, plain, written)
    lines = sorted_lines(written, range(3))
    app = one(measure(drawing, Selection(), numbered(*((101 + place, rank, 3) for place, rank in enumerate(order)))))
    assert [r.rank.number for r in app.ranks] == [0, 1, 2]
    assert (app.releases, [s.kind for s in app.segments]) == (plain.releases, [s.kind for s in plain.segments])
    by_tid = {r.rank.tid: (r.parts.tolist(), r.avoidable_ns) for r in app.ranks}
    assert by_tid == {r.rank.tid: (r.parts.tolist(), r.avoidable_ns) for r in plain.ranks}
    (daemon,), (same,) = ([s for s in of.sources if s.name == "daemon-1"] for of in (plain, app))
    assert same.extrinsic_ns == pytest.approx(daemon.extrinsic_ns)
    assert same.taken_ns == daemon.taken_ns
    assert app.extrinsic_ns == pytest.approx(plain.extrinsic_ns)
    with open_trace(tmp_path / "T.duckdb") as trace:
        export_paraver(trace, app, tmp_path / "numbered.prv")
    assert sorted_lines(tmp_path / "numbered.prv", [order.index(n) for n in range(3)]) == lines


def sorted_lines(prv: Path, place_of_task: Sequence[int]) -> list[str]:
    """The states of a trace of Paraver, sorted, with each task's place by creation in its place."""
    found = []
    for line in prv.read_text().splitlines():
        fields = line.split(":")
        if fields[0] == "1":
            fields[3] = str(place_of_task[int(fields[3]) - 1])
            found.append(":".join(fields))
    return sorted(found)


def test_a_process_that_makes_a_thread_keeps_its_rank(measure: Measure) -> None:
    more = "UPDATE thread SET start_ns = NULL WHERE tid = 101; INSERT INTO thread BY NAME SELECT * REPLACE "
    more += "(999 AS utid, 999 AS tid, 5000000 AS start_ns, 1 AS run_ns) FROM thread WHERE tid = 101"
    app = one(measure(THREE, Selection(), f"{numbered((101, 2, 3), (102, 0, 3), (103, 1, 3))}; {more}"))
    assert [r.rank.tid for r in app.ranks] == [102, 103, 101]


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

"""Waste is in one row only: a list of episodes adds up to at most what was wasted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from drawing import build_drawn
from wastenot.analyzer import CheckOptions, build, open_trace

TRACES = Path(__file__).resolve().parents[1] / "fixtures/traces"
RECORDINGS = ("format-1", "rig/no-common-domain-6.1-8", "rig/all-hot-6.12-8", "rig/placements-6.1-8")


@pytest.fixture(params=RECORDINGS)
def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A shipped recording as a trace; building one removes the part folder, so it is of a copy."""
    path = tmp_path / "T.duckdb"
    shutil.copytree(TRACES / f"{request.param}.part", tmp_path / "T.duckdb.part")
    build(tmp_path / "T.duckdb.part", path, CheckOptions())
    return path


def test_the_rows_add_up_to_no_more_than_was_wasted_and_leave_out_short_gaps_only(recorded: Path) -> None:
    with open_trace(recorded) as trace:
        rows, everything = trace.episodes(severity="noise").rows(), trace.episodes("all").rows()
        verdict = trace.verdict()
    wasted = verdict.figures["wasted_ns"]
    short = sum(g["core_ns"] for g in verdict.grades if g["grade"] in ("in_flight", "noise"))
    assert sum(row["adds_ns"] for row in rows) == wasted - short
    assert sum(row["adds_ns"] for row in everything) == sum(row["adds_ns"] for row in rows), "others add nothing"
    assert sum(e["total_core_ns"] for e in everything) > sum(row["adds_ns"] for row in rows), "one waste, several times"
    assert {e["within"] for e in everything} <= {None, *(row["episode_id"] for row in rows)}, "within rows only"
    assert all(e["within"] is not None for e in everything if e["part_of"] is not None)
    assert sum(e["core_s"] for e in verdict.to_json()["worst"] if e["grade"] != "recurrent") <= wasted / 1e9


def test_an_interval_between_those_of_another_grade_is_not_part_of_them(tmp_path: Path) -> None:
    # Nine intervals of 2 ms, then one of 42 ms: CPU 1 idles while 101 waits on CPU 0.
    at, lines = 10_000, ["cpus 0-1", "llc 0-1", "node 0-1", "window 0us 400ms", "0us cpu 0 runs 100", "0us cpu 1 idle"]
    for length in [2_000] * 9 + [42_000]:
        lines += [f"{at}us wakeup 101 on 0", f"{at + length}us switch 0: 100 R -> 101"]
        lines += [f"{at + length + 100}us switch 0: 101 S -> 100"]
        at += length + 12_000
    path = tmp_path / "T.duckdb"
    build_drawn("\n".join(lines), path, CheckOptions())
    with open_trace(path) as trace:
        rows, wasted = trace.episodes("all").rows(), trace.verdict().figures["wasted_ns"]
    assert wasted == 61_000_000, "beside each gap 100 waits for the 0.1 ms that 101 runs"
    assert [(e["grade"] == "recurrent", e["total_core_ns"], e["within"]) for e in rows] == [
        (False, 42_100_000, None),
        (True, 18_900_000, None),
    ]


@pytest.mark.parametrize("recorded", RECORDINGS[1:], indirect=True)
def test_an_episode_names_its_row_and_a_row_what_lies_within_it(recorded: Path) -> None:
    with open_trace(recorded) as trace:
        inner = next(e for e in trace.episodes("all") if e["within"] is not None)
        own, row = trace.episode(inner["episode_id"]), trace.episode(inner["within"])
    assert own.row["within"] == row.row["episode_id"] and own.row["adds_ns"] == 0
    assert inner["episode_id"] in row.row["holds"] and "within it" in str(row)
    assert f"episode {row.row['episode_id']}" in str(own)

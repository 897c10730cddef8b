"""One waste is one row: what a list of episodes adds up to is no more than what was wasted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from wastenot.analyzer import CheckOptions, build, open_trace

TRACES = Path(__file__).resolve().parents[1] / "fixtures/traces"
RECORDINGS = ("two-cpus", "rig/no-common-domain-6.1-8", "rig/all-hot-6.12-8", "rig/placements-6.1-8")


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
    assert wasted - short <= sum(row["adds_ns"] for row in rows) <= wasted
    assert sum(row["adds_ns"] for row in everything) == sum(row["adds_ns"] for row in rows), "others add nothing"
    assert sum(e["total_core_ns"] for e in everything) > sum(row["adds_ns"] for row in rows), "one waste, several times"
    assert {e["within"] for e in everything} <= {None, *(row["episode_id"] for row in rows)}, "within rows only"
    assert all(e["within"] is not None for e in everything if e["part_of"] is not None)
    assert sum(e["core_s"] for e in verdict.to_json()["worst"]) <= wasted / 1e9


def test_an_episode_names_its_row_and_a_row_what_lies_within_it(recorded: Path) -> None:
    with open_trace(recorded) as trace:
        inner = next(e for e in trace.episodes("all") if e["within"] is not None)
        own, row = trace.episode(inner["episode_id"]), trace.episode(inner["within"])
    assert own.row["within"] == row.row["episode_id"] and own.row["adds_ns"] == 0
    assert inner["episode_id"] in row.row["holds"] and "within it" in str(row)
    assert f"episode {row.row['episode_id']}" in str(own)

"""Bubbles through the whole way: drawn, checked, listed, and asked for any instant."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from drawing import build_drawn
from wastenot.analyzer import errors, open_trace
from wastenot.analyzer.render.bubbles import bubble_listing, bubble_table
from wastenot.analyzer.render.terminal import as_text

US = 1_000

HEAD = """
cpus 0-3
llc 0-1 2-3
node 0-1 2-3
window 0us 100us
0us cpu 0 idle
0us cpu 1 idle
0us cpu 2 idle
0us cpu 3 idle
"""
TEAM = (
    HEAD
    + """
0us thread 101 left on 0 asleep mask 0-3
0us thread 102 right on 1 asleep mask 0-3
0us bubble init b7 named team
0us bubble init b8 named pair
0us bubble insert_bubble b8 to b7
0us bubble insert_thread t101 to b8
0us bubble insert_thread t102 to b8
0us bubble priority b7 = 5
1us bubble wake b7
2us bubble move b7 to node:0
3us bubble burst b7
10us wakeup 101 on 0
10us switch 0: 0 R -> 101
20us wakeup 102 on 2
20us switch 2: 0 R -> 102
40us switch 2: 102 S -> 0
50us bubble insert_bubble b7 to b8
60us bubble close b7 to machine
"""
)


@pytest.fixture
def team(tmp_path: Path) -> Path:
    path = tmp_path / "T.duckdb"
    build_drawn(TEAM, path)
    return path


def test_top_by_bubble_shows_priority_share_state_place_and_affinity(team: Path) -> None:
    with open_trace(team) as trace:
        rows = {r["name"]: r for r in trace.top("bubble")}
        pair = rows["pair"]
        assert (pair["cpu_share"], pair["state"], pair["threads"], pair["peak_threads"]) == (1.1, "running", 2, 2)
        assert (pair["run_ns"], pair["active_ns"], pair["wait_ns"]) == (110 * US, 90 * US, 0)
        assert (pair["llc_kept"], pair["node_kept"]) == (90 / 110, 90 / 110)
        assert pair["held_share"] == pytest.approx(50 / 110 + 40 / 110), "CPU 0 all the time, on node 0 and the machine"
        assert (rows["team"]["priority"], rows["team"]["holder"]) == (5, "machine")
        assert pair["holder"] == f"bubble {rows['team']['bubble_id']}"
        listing = bubble_listing(trace, "declared", 20)
    assert [(b["name"], b["level"], [t["name"] for t in b["threads_in_it"]]) for b in listing] == [
        ("team", 0, []),
        ("pair", 1, ["left", "right"]),
    ]
    text = as_text(bubble_table(listing, "declared"))
    assert "team" in text and "left" in text


def test_what_is_broken_is_in_the_data_quality_and_in_words(team: Path) -> None:
    with open_trace(team) as trace:
        verdict = trace.verdict()
    assert verdict.to_json()["data_quality"]["bubbles"] == {"cycle": 1}
    assert "1 inconsistent bubble event repaired: cycle 1" in str(verdict)


def test_the_roots_of_natural_and_creation_tree_have_all_the_time_there_is(team: Path) -> None:
    with open_trace(team) as trace:
        assert [r["identity"] for r in trace.metric("check_sums") if not r["holds"]] == []
        for tree in ("natural", "creation"):
            root = trace.bubbles(tree).bubbles.rows()[0]
            assert (root["depth"], root["kind"], root["parent_id"]) == (0, "machine", None)


def test_a_tree_that_is_none_and_a_trace_that_is_not_checked_are_refused(team: Path) -> None:
    with open_trace(team) as trace, pytest.raises(errors.BadArgument, match="declared, natural, creation"):
        trace.bubbles("family")


KINDS = (
    "init", "insert_thread", "insert_bubble", "move", "move_thread", "burst", "close", "destroy", "wake", "priority",
    "regenerate", "remove",
)  # fmt: skip


def random_events(seed: int, n: int) -> str:
    """Lines of a drawing: anything that can happen to twelve bubbles and thirty threads, consistent or not."""
    chance, at, lines = random.Random(seed), 0, []
    for _ in range(n):
        at += chance.choice((0, 1, 1, 5))
        b, other, t = chance.randrange(12), chance.randrange(12), 200 + chance.randrange(30)
        place = chance.choice(
            (f"b{other}", f"node:{chance.randrange(2)}", f"cpu:{chance.randrange(5)}", "machine", "aside")
        )
        kind = chance.choice(KINDS)
        what = {
            "insert_thread": f"insert_thread t{t} to b{other}",
            "insert_bubble": f"insert_bubble b{b} to b{other}",
            "move": f"move b{b} to {place}",
            "move_thread": f"move t{t} to {place}",
            "priority": f"priority b{b} = {chance.randrange(5)}",
        }.get(kind, f"{kind} b{b}")
        lines.append(f"{at}ns bubble {what}")
    return "\n".join(lines)


def test_a_thousand_instants_are_what_the_table_says(tmp_path: Path) -> None:
    path = tmp_path / "R.duckdb"
    build_drawn(HEAD + random_events(11, 3_000), path)
    chance = random.Random(5)
    with open_trace(path) as trace:
        replay = trace.bubble_replay()
        table = trace.table("entity_holder").rows()
        ends = max(r["start_ns"] + r["dur_ns"] for r in table)
        reported = max(r["start_ns"] for r in table)
        for at in sorted(chance.randrange(reported + 10) for _ in range(1_000)):
            under_way = {key(r): where(r) for r in table if r["start_ns"] <= at < r["start_ns"] + r["dur_ns"]}
            assert {key(r): where(r) for r in replay.state(at).to_pylist()} == under_way, at
        state = {key(r): where(r) for r in replay.state(0).to_pylist()}
        moves, whole = replay.moves(1, ends)
        assert whole
        for r in moves.to_pylist():
            if r["holder"] is None:
                del state[key(r)]
            else:
                state[key(r)] = where(r)
        assert state == {key(r): where(r) for r in replay.state(ends).to_pylist()}
        some, whole = replay.moves(1, ends, 10)
        assert (some.num_rows, whole) == (10, False)


def key(row: dict[str, Any]) -> tuple[int | None, int | None]:
    return row["utid"], row["bubble_id"]


def where(row: dict[str, Any]) -> tuple[int, int | None, int | None]:
    return row["holder"], row["holder_id"], row["state"]

"""Bubbles as the browser asks for them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from drawing import build_drawn
from wastenot.web.local import LocalServer

T = "/api/traces/team"


def test_the_moves_of_declared_bubbles_lead_from_state_to_state(
    serve: Callable[..., LocalServer], team_trace: Path
) -> None:
    served = serve([team_trace])

    def rows(address: str) -> list[dict[str, Any]]:
        answer = served.ask(f"{T}/replay/bubbles/{address}")
        assert answer.status == 200, answer.body
        found: list[dict[str, Any]] = answer.arrow().to_pylist()
        return found

    def places(found: list[dict[str, Any]]) -> dict[tuple[int | None, int | None], tuple[int, int | None]]:
        return {(r["utid"], r["bubble_id"]): (r["holder"], r["holder_id"]) for r in found}

    at = [2_000, 12_000, 22_000, 32_000, 42_000]
    for start, end in itertools.pairwise(at):
        state = places(rows(f"state?at={start}"))
        for move in rows(f"moves?start={start}&end={end}"):
            key = (move["utid"], move["bubble_id"])
            if move["holder"] is None:
                del state[key]
            else:
                state[key] = (move["holder"], move["holder_id"])
        assert state == places(rows(f"state?at={end}"))
    found = served.ask(f"{T}/bubbles?kind=declared").json()
    assert [(b["name"], b["parent"], b["end_ns"]) for b in found["bubbles"]] == [("team", None, 40_000)]
    assert [(m["start_ns"], m["end_ns"]) for m in found["members"]] == [(0, 40_000)]


PAIR = """
cpus 0-1
window 0us 50us
0us cpu 0 runs 101
0us cpu 1 runs 102
0us bubble init b1 named pair
0us bubble insert_thread t101 to b1
0us bubble insert_thread t102 to b1
10us wakeup 103 on 0
20us switch 0: 101 R -> 103
30us switch 0: 103 S -> 101
"""
"""A declared bubble with two of three threads."""


def test_a_lane_of_a_bubble_has_the_threads_that_were_last_in_it(
    serve: Callable[..., LocalServer], wasted_trace: Path, tmp_path: Path
) -> None:
    pair = tmp_path / "pair.duckdb"
    build_drawn(PAIR, pair)
    served = serve([wasted_trace, pair])

    def states(trace: str, lanes: str) -> list[dict[str, Any]]:
        answer = served.ask(f"/api/traces/{trace}/states?lanes={lanes}")
        assert answer.status == 200, answer.body
        found: list[dict[str, Any]] = answer.arrow().drop_columns("lane").to_pylist()
        return sorted(found, key=lambda row: (row["utid"], row["start_ns"]))

    for trace, kind, of_several in (("pair", "declared", 1), ("wasted", "natural", 0), ("wasted", "creation", 1)):
        last: dict[int, tuple[float, float, int]] = {}
        for m in served.ask(f"/api/traces/{trace}/bubbles?kind={kind}").json()["members"]:
            latest = last.get(m["utid"], (-1, -1, -1))
            last[m["utid"]] = max(latest, (m["end_ns"], m["start_ns"], m["bubble"]))
        lanes = {bubble: sorted(u for u, of in last.items() if of[2] == bubble) for _, _, bubble in last.values()}
        assert sum(len(threads) > 1 for threads in lanes.values()) >= of_several
        for bubble, threads in list(lanes.items())[:20]:
            rows = states(trace, f"b{bubble}")
            assert rows == states(trace, ",".join(f"t{utid}" for utid in threads))
            tile = served.ask(f"/api/traces/{trace}/tiles/lanes/0/0?lanes=b{bubble}")
            assert tile.status == 200 and (tile.arrow().num_rows > 0 or trace == "wasted")
    assert len({row["utid"] for row in states("pair", "b1")}) == 2
    assert states("pair", "b99999") == []
    by_default = [served.ask(f"/api/traces/{trace}/bubbles").json()["kind"] for trace in ("pair", "wasted")]
    assert by_default == ["declared", "natural"]

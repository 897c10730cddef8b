"""What the replay is played from is what the trace's tables hold."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from wastenot.analyzer import open_trace
from wastenot.web import Settings
from wastenot.web.local import LocalServer

T = "/api/traces/wasted/replay"
MEMORY = Settings().trace_memory


def rows(served: LocalServer, address: str) -> list[dict[str, Any]]:
    """Rows of an Arrow answer."""
    answer = served.ask(f"{T}/{address}")
    assert answer.status == 200, answer.body
    found: list[dict[str, Any]] = answer.arrow().to_pylist()
    return found


def test_state_and_moves_give_the_state_at_any_instant(served: LocalServer, wasted_trace: Path) -> None:
    roll = random.Random(7)
    with open_trace(wasted_trace, MEMORY) as trace:
        start, end = trace.sql("SELECT start_ns, end_ns FROM verdict").rows()[0].values()
        for _ in range(40):
            at, until = sorted(roll.randint(start, end) for _ in range(2))
            state = {r["utid"]: (r["phase"], r["cpu"]) for r in rows(served, f"state?at={at}")}
            for move in rows(served, f"moves?start={at}&end={until + 1}&limit=200000"):
                if move["ts_ns"] <= until:
                    state[move["utid"]] = (move["phase"], move["cpu"])
            known = {utid: placed for utid, placed in state.items() if placed[0] is not None}
            sql = "SELECT utid, phase, cpu FROM thread_state WHERE start_ns <= $at AND start_ns + dur_ns > $at"
            assert known == {r["utid"]: (r["phase"], r["cpu"]) for r in trace.sql(sql, {"at": until}).rows()}


def test_waste_and_unobserved_time_sum_to_what_the_check_says(served: LocalServer, wasted_trace: Path) -> None:
    with open_trace(wasted_trace, MEMORY) as trace:
        sql = "SELECT wasted_ns, certain_ns, online_ns - observed_ns AS unobserved_ns FROM verdict"
        summary = trace.sql(sql).rows()[0]
    waste = rows(served, "waste")
    assert sum(r["dur_ns"] * r["wasted"] for r in waste) == summary["wasted_ns"]
    assert sum(r["dur_ns"] * r["certain"] for r in waste) == summary["certain_ns"]
    assert sum(r["dur_ns"] for r in rows(served, "unobserved")) == summary["unobserved_ns"]


def test_pairs_are_those_of_the_episodes(served: LocalServer, wasted_trace: Path) -> None:
    with open_trace(wasted_trace, MEMORY) as trace:
        reported = trace.sql("SELECT count(*) AS n FROM episode_pair").rows()[0]["n"]
    pairs = rows(served, "pairs")
    assert len(pairs) == reported > 0
    assert [p["episode_id"] for p in pairs] == sorted(p["episode_id"] for p in pairs)


def test_a_move_has_its_path_once(served: LocalServer, wasted_trace: Path) -> None:
    with open_trace(wasted_trace, MEMORY) as trace:
        moves = trace.sql("SELECT count(*) AS n FROM migration").rows()[0]["n"]
    reported = [m for m in rows(served, "moves?limit=200000") if m["path"] is not None]
    assert 0 < len(reported) <= moves
    assert all(m["cpu"] is not None for m in reported)

"""Bubbles as the browser asks for them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

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

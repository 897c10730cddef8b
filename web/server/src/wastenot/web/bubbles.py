"""Bubbles that a trace holds, or that follow from how its threads belong together."""

from __future__ import annotations

from typing import Literal, cast

from wastenot.analyzer import Trace
from wastenot.analyzer.model.bubbles import BubbleReplay
from wastenot.web.library import OpenTrace
from wastenot.web.models import Bubble, Bubbles, Member

Kind = Literal["natural", "creation", "declared"]


def bubbles_of(trace: Trace, kind: Kind | None) -> Bubbles:
    """All bubbles of a kind, by default declared ones where there are some, else natural ones.

    The machine around all others is left out.
    """
    tree = trace.bubbles(kind)
    rows = tree.bubbles.rows()
    whole = {b["bubble_id"] for b in rows if b["kind"] == "machine"}
    bubbles = [
        Bubble(
            id=b["bubble_id"],
            parent=None if b["parent_id"] in whole else b["parent_id"],
            name=b["name"] or f"bubble {b['number']}",
            kind=b["kind"],
            priority=b["priority"],
            start_ns=b["start_ns"],
            end_ns=b["end_ns"],
        )
        for b in rows
        if b["bubble_id"] not in whole
    ]
    members = [
        Member(utid=m["utid"], bubble=m["bubble_id"], start_ns=m["start_ns"], end_ns=m["end_ns"])
        for m in tree.members
        if m["utid"] is not None and m["bubble_id"] not in whole
    ]
    return Bubbles(kind=cast(Kind, tree.tree), bubbles=bubbles, members=members)


def replay_of(trace: Trace, opened: OpenTrace) -> BubbleReplay:
    """Where declared bubbles and their threads were; read once per opened trace."""
    found = opened.kept.get("bubble_replay")
    if not isinstance(found, BubbleReplay):
        found = opened.kept["bubble_replay"] = trace.bubble_replay()
    return found

"""The table of causes of a verdict, the same rows in the terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wastenot.analyzer.text.causes import cause_cells
from wastenot.analyzer.text.units import core_seconds, counted

CAUSES_SHOWN = 6
"""Causes that the verdict shows."""

CAUSE_COLUMNS = ("placed by", "not moved because", "ended by", "episodes", "core-s")
"""The head of the table."""


def has_known_cause(causes: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the table says anything: of some cause it is known how the threads came to wait or why they stayed."""
    return any(c["not_moved_because"] != "unknown" or c["placed_by"] != "unknown" for c in causes)


def cause_rows(causes: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Why, heaviest cause first: those of most waste; a mark where it is of recurrent episodes."""
    return [
        [
            *cause_cells(c),
            f"{c['episodes']:,}",
            core_seconds(c["core_ns"]).removesuffix(" core-s") + ("*" if c["recurrent"] else ""),
        ]
        for c in causes[:CAUSES_SHOWN]
    ]


def causes_note(causes: Sequence[Mapping[str, Any]]) -> str:
    """How many causes more there are, and what the mark means; empty where neither is to be said."""
    notes = [text for is_recurrent in (False, True) if (text := _more_causes(causes[CAUSES_SHOWN:], is_recurrent))]
    if any(c["recurrent"] for c in causes):
        notes.append("* of recurrent episodes")
    return "; ".join(notes)


def _more_causes(causes: Sequence[Mapping[str, Any]], is_recurrent: bool) -> str:
    """`5 more causes: 0.03 core-s`: the timed or the recurrent of them, whose time is counted twice; empty: none."""
    counting = [c["core_ns"] for c in causes if c["recurrent"] == is_recurrent]
    if not counting:
        return ""
    return f"{counted(len(counting), 'more cause')}: {core_seconds(sum(counting))}{'*' if is_recurrent else ''}"

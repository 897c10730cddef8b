"""Tiny traces drawn as text (see the crate wastenot-drawing); only in builds with the feature `drawing`, for tests."""

from wastenot._native import ArrowStream

def draw(text: str) -> dict[str, ArrowStream]:
    """The tables of a drawing, by name. Raises WastenotError naming the line at fault."""

"""Names of the trees of bubbles, apart from what reads them: a command line is refused before anything is read."""

from __future__ import annotations

TREES = ("declared", "natural", "creation")
"""The trees of bubbles, in the order in which one is taken by default."""

"""The checker's door for Python: from Arrow streams of events to the derived tables.

Both functions are those of the native room; `wastenot.analyzer` drives them over a trace file.
"""

from wastenot._native.checker import check, draw

__all__ = ["check", "draw"]

"""The checker's Python API: from Arrow streams of events to the derived tables.

`check`, `check_window` and `deadlines` are those of the native component; `wastenot.analyzer` calls them over a
trace file.
"""

from wastenot._native.checker import check, check_window, deadlines

__all__ = ["check", "check_window", "deadlines"]

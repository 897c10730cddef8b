"""The checker's Python API: from Arrow streams of events to the derived tables.

All of them are those of the native component; `wastenot.analyzer` calls them over a trace file.
"""

from wastenot._native.checker import check, check_window, deadlines, window_waits

__all__ = ["check", "check_window", "deadlines", "window_waits"]

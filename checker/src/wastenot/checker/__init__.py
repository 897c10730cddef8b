"""The checker's Python API: from Arrow streams of events to the derived tables.

`check` is that of the native component; `wastenot.analyzer` calls it over a trace file.
"""

from wastenot._native.checker import check

__all__ = ["check"]

"""Tables of a window, beside those of the whole trace."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from wastenot.analyzer import CheckOptions, Trace, ensure_checked, open_trace

from wastenot.analyzer.store.tables import WINDOW_TABLES

def rows_of(trace: Trace, table: str, condition: str = "true") -> list[tuple[object, ...]]:
    found = trace.sql(f"SELECT * FROM {table} WHERE {condition} ORDER BY ALL")
    return [tuple(row.values()) for row in found.rows()]


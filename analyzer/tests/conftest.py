"""A trace of eight CPUs built by hand: figures that a test can compute in its head."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from wastenot import _native
from wastenot.analyzer import CheckOptions
from wastenot.analyzer.store.tables import schema_sql

MakeTrace = Callable[..., Path]


TIMES = """UPDATE verdict SET
    wall_certain_ns = coalesce((SELECT sum(dur_ns) FROM wasted WHERE certain > 0), 0),
    wall_idle_while_waiting_ns = coalesce((SELECT sum(dur_ns) FROM wasted WHERE idle_while_waiting > 0), 0)"""
"""The times that follow from the rows, after they were changed."""


@pytest.fixture(scope="session")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of `by_hand.sql`, of which tests take copies."""
    rows = Path(__file__).with_name("by_hand.sql").read_text(encoding="utf-8")
    rows = rows.replace("{options}", CheckOptions().to_json()).replace("{version}", _native.version())
    path = tmp_path_factory.mktemp("by_hand") / "T.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(f"BEGIN; {schema_sql()}; {rows}; COMMIT")
    return path


@pytest.fixture
def make_trace(by_hand: Path, tmp_path: Path) -> MakeTrace:
    """Makes the trace of `by_hand.sql` (by default at `T.duckdb`), then runs the statements `more` on it."""

    def make(more: str = "", name: str = "T.duckdb") -> Path:
        path = Path(shutil.copy(by_hand, tmp_path / name))
        with duckdb.connect(str(path)) as con:
            con.execute(f"BEGIN; {more}; {TIMES}; COMMIT")
        return path

    return make


@pytest.fixture
def trace_path(make_trace: MakeTrace) -> Path:
    """A fresh copy of the hand-made trace."""
    return make_trace()

"""The recording that is shipped: what the demo shows where it cannot record, and a real capture for the oracles."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import duckdb
import pytest
from wastenot.analyzer import CheckOptions, build

SHIPPED = Path(__file__).parents[1] / "fixtures/traces/two-cpus.part"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("shipped")
    shutil.copytree(SHIPPED, folder / "T.duckdb.part")
    build(folder / "T.duckdb.part", folder / "T.duckdb", CheckOptions())
    with duckdb.connect(str(folder / "T.duckdb"), read_only=True) as con:
        yield con


def test_the_oracles_agree_with_the_checker(
    store: duckdb.DuckDBPyConnection, oracle: ModuleType, oracle_sql: str
) -> None:
    idle_while_waiting = store.execute("SELECT idle_while_waiting_ns FROM verdict").fetchone()
    assert idle_while_waiting is not None and idle_while_waiting[0] > 0
    assert idle_while_waiting == (oracle.idle_while_waiting_ns(store),)
    assert idle_while_waiting == store.execute(oracle_sql).fetchone()


def test_the_pinned_second_is_excused_by_affinity_and_the_rest_is_waste(store: duckdb.DuckDBPyConnection) -> None:
    row = store.execute(
        "SELECT idle_while_waiting_ns, wasted_ns, "
        "(SELECT core_ns FROM excuse_ledger WHERE excuse_name(excuse) = 'affinity') FROM verdict"
    ).fetchone()
    assert row is not None
    idle_while_waiting, wasted, by_affinity = row
    assert by_affinity > 1e9
    assert 0.1e9 < wasted < 0.5e9
    assert idle_while_waiting - wasted - by_affinity < 0.01e9

"""A real recording of the demo's workload: its waste, its excuse and its cause, and the oracles over it."""

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


def test_the_affinity_change_is_proved_to_be_why_threads_waited_there(store: duckdb.DuckDBPyConnection) -> None:
    causes = store.execute(
        "SELECT placed_by_name(placed_by), proof_name(placed_by_proof), sum(core_ns) FROM episode "
        "WHERE placed_by IS NOT NULL GROUP BY ALL ORDER BY 3 DESC"
    ).fetchall()
    assert causes[0][:2] == ("affinity_change", "proved")
    assert causes[0][2] > sum(core_ns for *_, core_ns in causes[1:])


def test_the_recorder_says_why_it_did_not_record_a_kind_of_evidence(store: duckdb.DuckDBPyConnection) -> None:
    rows = store.execute("SELECT kind, state, why FROM evidence").fetchall()
    states = {kind: state for kind, state, _ in rows}
    assert (states["load_balance_kicks"], states["load_balance_attempts"]) == ("recorded", "absent")
    unsaid = [kind for kind, state, why in rows if state != "recorded" and not why]
    # Which the recorder of that time did not know of.
    assert unsaid == ["balance_searches", "domains_built", "sched_ext", "late_idle_exits", "dl_parameters"]

"""The tables of the balance: what `wastenot balance` finds without options, made when a query first asks for them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from drawing import build_drawn
from programs import iterations, noisy_job
from wastenot.analyzer import CheckOptions, ensure_checked, errors, export_parquet, open_trace
from wastenot.analyzer.balance.measuring import balance_of
from wastenot.analyzer.render.balance import balance_json
from wastenot.analyzer.store.recheck import add_tables
from wastenot.analyzer.store.tables import tables_not_made
from wastenot.analyzer.store.temporary_files import identity_of
from wastenot.schemas.generated.enums import BALANCE_TABLES, ON_DEMAND_TABLES

PARTS = ("compute", "spin", "wait", "preempted", "queued", "irq", "blocked", "throttled", "other")
OF_BALANCE = ("lost_ns", "intrinsic_ns", "extrinsic_ns")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A job of mpirun with noise, which is found without options."""
    build_drawn(noisy_job(), tmp_path / "T.duckdb", CheckOptions())
    return tmp_path / "T.duckdb"


def tables_of(path: Path) -> set[str]:
    with duckdb.connect(str(path), read_only=True) as con:
        return {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


def rounded(row: dict[str, Any]) -> dict[str, int | None]:
    return {name: None if row[name] is None else round(row[name]) for name in OF_BALANCE}


def assert_same(path: Path) -> list[dict[str, Any]]:
    """The tables have what `balance --json` prints without options; returns its applications."""
    with open_trace(path) as trace:
        app, rank, iteration, cells = (
            trace.sql(f"FROM {table}").rows() for table in ("app", "rank", "iteration", "rank_iteration")
        )
        shown: list[dict[str, Any]] = balance_json(balance_of(trace))["applications"]
    assert [row["app"] for row in app] == [a["application"] for a in shown]
    for row, a in zip(app, shown, strict=True):
        for name in ("name", "kind", "found_by", "launcher", "state", "ranks", "start_ns", "end_ns", "length_ns"):
            assert row[name] == a[name], name
        assert row["evidence"] == a["evidence_level"]
        assert {name: row[name] for name in OF_BALANCE} == rounded(a)
        if a["state"] == "not_visible":
            assert row["compute_ns"] is None
        else:
            assert row["compute_ns"] / row["ranks"] / row["max_compute_ns"] == pytest.approx(a["load_balance"])
            assert row["max_compute_ns"] / row["length_ns"] == pytest.approx(a["communication_efficiency"])
        names = ("rank", "utid", *(f"{part}_ns" for part in PARTS), "avoidable_wait_ns", "helpers_run_ns")
        of_app = [{name: r[name] for name in names} for r in rank if r["app"] == row["app"]]
        assert of_app == [{name: r[name] for name in names} for r in a["rank"]]
        for r, known in zip(of_app, a["rank"], strict=True):
            runnable = sum(r[f"{part}_ns"] for part in ("compute", "preempted", "queued", "irq", "throttled"))
            assert runnable / (row["end_ns"] - row["start_ns"] - r["other_ns"]) == pytest.approx(known["utilization"])
        windows = [i for i in iteration if i["app"] == row["app"]]
        assert [i["iteration"] for i in windows] == list(range(1, a["windows"] + 1))
        assert sum(i["observed"] for i in windows) == a["windows_observed"]
        of_json = {i["iteration"]: i for i in a["iteration"] or []}
        kinds = {s["segment"]: s["kind"] for s in a["segments"]}
        for i in windows:
            assert i["kind"] == kinds[i["segment"]]
            known = of_json.get(i["iteration"])
            if known is None:
                assert {i[name] for name in (*OF_BALANCE, "compute_ns", "max_compute_ns", "last_rank")} == {None}
                continue
            for name in ("segment", "start_ns", "end_ns", "last_rank"):
                assert i[name] == known[name], name
            assert {name: i[name] for name in OF_BALANCE} == rounded(known)
            assert i["compute_ns"] / row["ranks"] / i["max_compute_ns"] == pytest.approx(known["load_balance"])
        names = ("rank", "iteration", *(f"{part}_ns" for part in PARTS))
        of_app = [{name: c[name] for name in names} for c in cells if c["app"] == row["app"]]
        assert of_app == [{name: c[name] for name in names} for c in a["rank_iteration"]]
    return shown


def test_a_query_has_them_made_and_they_are_what_balance_finds_without_options(path: Path) -> None:
    assert tables_of(path).isdisjoint({*BALANCE_TABLES, *ON_DEMAND_TABLES})
    (job,) = assert_same(path)
    assert (job["name"], job["found_by"], job["launcher"]) == ("solver", "launcher", "mpirun")
    assert job["extrinsic_ns"] > 0 and len(job["iteration"]) > 10
    assert tables_of(path) >= {*BALANCE_TABLES, *ON_DEMAND_TABLES}
    with open_trace(path) as trace:
        assert not trace.make_tables("balance"), "they are there"
        by_rank = trace.sql(
            "SELECT name, sum(c.preempted_ns)::BIGINT AS ns FROM rank_iteration c JOIN rank r USING (app, rank) "
            "JOIN thread USING (utid) GROUP BY name, rank ORDER BY rank"
        )
        assert [row["ns"] for row in by_rank] == [0, 0, 0, 6 * 5_000_000]


def test_a_program_whose_balance_is_not_visible_has_no_figures(tmp_path: Path) -> None:
    born = ["cpus 0-2", "window 0us 100ms", *(f"0us cpu {cpu} idle" for cpu in range(3))]
    born += ["0us thread 50 mpirun on 2 asleep mask 0-2"]
    for rank in (0, 1):  # they run up to the end, and never sleep
        tid = 101 + rank
        born += [f"1us fork 50 -> {tid}", f"3us wakeup_new {tid} on {rank}", f"9us switch {rank}: 0 R -> {tid}"]
    lines = sorted(born[2:], key=lambda line: int(line.split("us")[0].split()[-1]))
    build_drawn("\n".join([*born[:2], *lines]), tmp_path / "T.duckdb", CheckOptions())
    (job,) = assert_same(tmp_path / "T.duckdb")
    assert job["state"] == "not_visible" and job["rank"] and job["windows"]


def test_they_are_empty_where_no_program_is_found(tmp_path: Path) -> None:
    build_drawn(iterations([10_000, 40_000], 2), tmp_path / "T.duckdb", CheckOptions())
    assert assert_same(tmp_path / "T.duckdb") == []
    assert tables_of(tmp_path / "T.duckdb") >= set(BALANCE_TABLES)


def test_a_check_with_other_options_and_the_tables_of_a_check_alone_leave_none_of_them(path: Path) -> None:
    with open_trace(path) as trace:
        trace.make_tables("all")
    assert tables_of(path).isdisjoint(BALANCE_TABLES)
    with open_trace(path) as trace:
        trace.make_tables("balance")
    assert ensure_checked(path, CheckOptions(thresholds_ns={"in_flight": 1_000}))
    assert tables_of(path).isdisjoint({*BALANCE_TABLES, *ON_DEMAND_TABLES})


def test_wastenot_sql_has_them_made(path: Path) -> None:
    command = [sys.executable, "-m", "wastenot.cli", "sql", str(path), "--json", "SELECT name, ranks FROM app"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert json.loads(answer) == [{"name": "solver", "ranks": 4}]
    with duckdb.connect(str(path), read_only=True) as con:
        assert tables_not_made(con, "balance") == ()


def test_an_export_holds_those_that_were_made(path: Path, tmp_path: Path) -> None:
    assert "app" not in export_parquet(path, tmp_path / "before")
    with open_trace(path) as trace:
        trace.make_tables("balance")
    assert export_parquet(path, tmp_path / "after")["rank"] == 4


def test_a_file_that_was_replaced_meanwhile_is_not_overwritten(path: Path, tmp_path: Path) -> None:
    before = identity_of(path)
    shutil.copyfile(path, tmp_path / "next")
    (tmp_path / "next").replace(path)
    with pytest.raises(errors.ReplacedMeanwhile):
        add_tables(path, dict.fromkeys(BALANCE_TABLES, _EMPTY), before, "1GiB")
    assert tables_of(path).isdisjoint(BALANCE_TABLES)
    with open_trace(path) as trace:
        trace.make_tables("balance")
    assert add_tables(path, dict.fromkeys(BALANCE_TABLES, _EMPTY), before, "1GiB") == identity_of(path)
    assert assert_same(path), "another process's rows stay"


_EMPTY = pa.table({})


def test_nothing_is_made_of_a_trace_without_a_verdict(path: Path) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute("DELETE FROM verdict")
    with open_trace(path) as trace, pytest.raises(errors.NotChecked):
        trace.sql("FROM app")
    assert tables_of(path).isdisjoint(BALANCE_TABLES)

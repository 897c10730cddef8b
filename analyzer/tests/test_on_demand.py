"""Tables that are made on demand: a verdict does without them, and a query of one makes all of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from drawing import build_drawn
from wastenot import analyzer
from wastenot.analyzer import CheckOptions, Trace, ensure_checked, errors, open_trace
from wastenot.analyzer.sql_process import Limits, QueryOutcome, SqlProcess
from wastenot.analyzer.store import recheck
from wastenot.analyzer.store.checking import run_check
from wastenot.analyzer.store.opening import open_read_only
from wastenot.analyzer.store.recheck import make_tables
from wastenot.analyzer.store.tables import CHECKER_TABLES, tables_not_made
from wastenot.schemas.generated.enums import BALANCE_TABLES, ON_DEMAND_TABLES, OVERVIEW_TABLES

SHIPPED = Path(__file__).parents[2] / "fixtures/traces/two-cpus.part"
BUBBLES = """
cpus 0-1
window 0us 20ms
0us cpu 0 runs 100
0us thread 100 worker on 0 running mask 0-1
1ms bubble init b1 named team
2ms bubble insert_thread t100 to b1
"""


def stored(path: Path) -> set[str]:
    """The tables of a file, as DuckDB lists them."""
    with duckdb.connect(str(path), read_only=True) as con:
        return {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


CHECKED_TABLES = tuple(table for table in CHECKER_TABLES if table not in BALANCE_TABLES)


def contents(path: Path, tables: Iterable[str] = CHECKED_TABLES) -> Iterator[tuple[str, list[tuple[object, ...]]]]:
    """The rows of each of the checker's tables."""
    with duckdb.connect(str(path), read_only=True) as con:
        for table in tables:
            yield table, con.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the recording: one that is being built is claimed."""
    return Path(shutil.copytree(SHIPPED, tmp_path_factory.mktemp("recorded") / "T.duckdb.part"))


@pytest.fixture(scope="module")
def built(recorded: Path) -> Path:
    analyzer.build(recorded, recorded.with_suffix(""), CheckOptions())
    return recorded.with_suffix("")


@pytest.fixture
def path(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(built, tmp_path / "T.duckdb"))


def everything_about(trace: Trace) -> object:
    """What the verbs about a verdict print: the verdict, its episodes, and one of them."""
    verdict = trace.verdict()
    episodes = trace.episodes("all").rows()
    number = episodes[0]["episode_id"]
    return verdict.to_json(), str(verdict), episodes, trace.episode(number).to_json(), str(trace.episode(number))


def test_a_verdict_and_its_episodes_need_none_of_them(path: Path) -> None:
    assert stored(path).isdisjoint(ON_DEMAND_TABLES)
    with open_trace(path) as trace:
        before = everything_about(trace)
    assert stored(path).isdisjoint(ON_DEMAND_TABLES), "nothing of it made the file anew"
    with open_trace(path) as trace:
        trace.make_tables()
        assert everything_about(trace) == before
    assert stored(path) >= set(ON_DEMAND_TABLES)


def test_made_at_first_use_they_are_what_a_check_makes_at_once(path: Path, recorded: Path, tmp_path: Path) -> None:
    at_once = tmp_path / "all.duckdb"
    analyzer.build(recorded, at_once, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        assert trace.sql("SELECT count(*) AS n FROM Thread_State WHERE phase = 0").one()["n"] > 100
        assert trace.sql("DESCRIBE wasted").columns[0] == "column_name"
    found, expected = dict(contents(path)), dict(contents(at_once))
    assert [table for table in expected if found[table] != expected[table]] == []
    assert all(expected[table] for table in set(ON_DEMAND_TABLES) - {"entity_holder", "dl_job"})
    assert not make_tables(path) and not ensure_checked(path, CheckOptions(tables="all"))


def test_the_overview_is_made_alone_and_is_the_same_when_all_are_made(path: Path) -> None:
    with open_trace(path) as trace:
        before = everything_about(trace)
        assert trace.metric("wasted_over_time", bins=10).rows()
        assert everything_about(trace) == before
    assert stored(path) & set(ON_DEMAND_TABLES) == set(OVERVIEW_TABLES)
    overview = dict(contents(path, OVERVIEW_TABLES))
    assert all(overview.values())
    with open_trace(path) as trace:
        assert trace.sql("SELECT count(*) AS n FROM cpu_slice").one()["n"] > 100
    assert stored(path) >= set(ON_DEMAND_TABLES)
    assert dict(contents(path, OVERVIEW_TABLES)) == overview
    assert not ensure_checked(path, CheckOptions(tables="overview"))


def test_a_query_that_needs_both_sets_has_all_made(path: Path) -> None:
    with open_trace(path) as trace:
        assert (
            trace.sql("SELECT count(*) AS n FROM (SELECT 1 FROM wasted LIMIT 1) CROSS JOIN cpu_slice").one()["n"] > 100
        )


@pytest.mark.parametrize("name", ["temp.cpu_slice", "information_schema.wasted", "system.wasted"])
def test_a_table_under_a_name_that_it_does_not_have_is_refused_once_it_is_made(path: Path, name: str) -> None:
    with open_trace(path) as trace, pytest.raises(errors.BadQuery, match="is not there under the name"):
        trace.sql(f"SELECT * FROM {name}")


def test_other_thresholds_of_another_process_are_not_undone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_read_only

    def checked_meanwhile(*given: object) -> duckdb.DuckDBPyConnection:
        monkeypatch.setattr(recheck, "open_read_only", opened)
        con = opened(*given)  # type: ignore[arg-type]
        code = "import sys; from pathlib import Path; from wastenot.analyzer import CheckOptions, ensure_checked; "
        code += "ensure_checked(Path(sys.argv[1]), CheckOptions(thresholds_ns={'in_flight': 60_000}))"
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        return con

    monkeypatch.setattr(recheck, "open_read_only", checked_meanwhile)
    assert make_tables(path)
    assert not ensure_checked(path, CheckOptions(thresholds_ns={"in_flight": 60_000}, tables="all"))


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(errors.BadArgument, match="tables 'some': no such set; one of verdict, overview, all"):
        CheckOptions(tables="some")  # type: ignore[arg-type]


def test_the_sums_of_threads_on_cpus_are_those_of_the_slices(path: Path) -> None:
    with open_trace(path) as trace:
        apart = trace.sql(
            "SELECT * FROM (SELECT utid, cpu, run_ns FROM thread_cpu) FULL JOIN (SELECT utid, cpu, "
            "sum(dur_ns)::BIGINT AS sliced_ns FROM cpu_slice WHERE utid IS NOT NULL GROUP BY ALL) USING (utid, cpu) "
            "WHERE run_ns IS DISTINCT FROM sliced_ns"
        )
        assert apart.rows() == [] and trace.sql("SELECT 1 FROM thread_cpu WHERE utid > 0")
        times = trace.sql(
            "SELECT v.wall_certain_ns - (SELECT sum(dur_ns) FROM wasted WHERE certain > 0) AS certain, "
            "v.wall_idle_while_waiting_ns - (SELECT sum(dur_ns) FROM wasted WHERE idle_while_waiting > 0) AS waiting "
            "FROM verdict v"
        ).one()
    assert times == {"certain": 0, "waiting": 0}


def test_options_of_the_stored_check_are_kept(path: Path) -> None:
    with open_trace(path) as trace:
        sooner = CheckOptions(thresholds_ns={"lasting": 1_000_000, "persistent": 2_000_000})
        ensure_checked(path, sooner)
        trace.make_tables()
        assert trace.verdict().to_json()["thresholds_ns"] == {"lasting": 1_000_000, "persistent": 2_000_000}
    assert not ensure_checked(path, replace(sooner, tables="all"))


def test_a_check_with_other_options_leaves_none_of_the_former_ones(path: Path) -> None:
    make_tables(path)
    assert ensure_checked(path, CheckOptions(thresholds_ns={"in_flight": 1_000}))
    assert stored(path).isdisjoint(ON_DEMAND_TABLES)


def test_where_bubbles_were_declared_all_tables_are_made_at_once(tmp_path: Path) -> None:
    build_drawn(BUBBLES, tmp_path / "T.duckdb")
    assert stored(tmp_path / "T.duckdb") >= set(ON_DEMAND_TABLES)


def test_the_error_of_a_query_names_the_table_that_is_not_made_yet(path: Path) -> None:
    sql, words = "SELECT * FROM thread JOIN Runqueue ON true", r"table runqueue has not been made; .*check --tables all"
    with SqlProcess() as process, pytest.raises(errors.TablesNotMade, match=words):
        list(process.run(path, sql, Limits(), QueryOutcome()))
    with open_trace(path) as trace, trace.cursor() as cursor, pytest.raises(errors.TablesNotMade):
        trace.on(cursor).sql("SELECT * FROM migration")


def test_nothing_is_made_of_a_trace_without_a_verdict(path: Path) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute("DELETE FROM verdict")
    assert not make_tables(path)
    with open_trace(path) as trace, pytest.raises(errors.NotChecked):
        trace.sql("SELECT * FROM wasted")
    with duckdb.connect(str(path)) as con:
        assert tables_not_made(con) == ON_DEMAND_TABLES


@pytest.mark.parametrize("name", ["T.parquet", "T.csv", "T.pftrace"])
def test_an_export_holds_what_it_held(path: Path, tmp_path: Path, name: str) -> None:
    kind = name.rsplit(".", 1)[1]
    if kind == "pftrace":
        assert analyzer.export_perfetto(path, tmp_path / name) > 0
    else:
        rows = (analyzer.export_parquet if kind == "parquet" else analyzer.export_csv)(path, tmp_path / name)
        assert rows["thread_state"] > 0 and rows["tile_run"] > 0
    assert stored(path) >= set(ON_DEMAND_TABLES)


@pytest.mark.parametrize("times", [1, 3])
def test_a_file_that_is_replaced_meanwhile_is_never_overwritten(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    (tmp_path / "others").mkdir()
    newer = tmp_path / "others/newer.duckdb"
    build_drawn(BUBBLES.split("1ms")[0], newer)
    content, check, left = newer.read_bytes(), run_check, iter(range(times))

    def replaced(*arguments: Any) -> None:
        check(*arguments)
        if next(left, None) is not None:
            shutil.copyfile(newer, newer.with_name("next"))
            newer.with_name("next").replace(path)

    monkeypatch.setattr(recheck, "run_check", replaced)
    if times < recheck.ATTEMPTS:
        assert make_tables(path), "those of the newer one"
        assert stored(path) >= set(ON_DEMAND_TABLES)
        assert list(contents(path, ["sched_switch"])) == list(contents(newer, ["sched_switch"]))
    else:
        with pytest.raises(errors.ReplacedMeanwhile, match="nothing was written"):
            make_tables(path)
        assert path.read_bytes() == content
    assert [p.name for p in path.parent.iterdir() if p.is_file()] == ["T.duckdb"]


def test_a_file_that_is_removed_meanwhile_stays_removed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check = run_check

    def removed(*arguments: Any) -> None:
        check(*arguments)
        path.unlink()

    monkeypatch.setattr(recheck, "run_check", removed)
    with pytest.raises(errors.ReplacedMeanwhile, match="nothing was written"):
        make_tables(path)
    assert not path.exists()


def test_two_that_make_them_at_once_find_them(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check = run_check

    def beside_another(*arguments: Any) -> None:
        check(*arguments)
        monkeypatch.setattr(recheck, "run_check", check)
        other = "import sys; from pathlib import Path; from wastenot.analyzer.store.recheck import make_tables; "
        subprocess.run([sys.executable, "-c", f"{other} make_tables(Path(sys.argv[1]))", str(path)], check=True)

    monkeypatch.setattr(recheck, "run_check", beside_another)
    assert make_tables(path) and stored(path) >= set(ON_DEMAND_TABLES)


def test_threads_that_query_meanwhile_wait(path: Path) -> None:
    ended = threading.Event()
    with open_trace(path) as trace, ThreadPoolExecutor(4) as pool:

        def ask() -> int:
            count = 0
            while not ended.is_set():
                count += len(trace.sql("SELECT utid FROM thread LIMIT 1"))
            return count

        asking = [pool.submit(ask) for _ in range(2)]
        made = [pool.submit(lambda: trace.sql("SELECT count(*) AS n FROM wasted").one()["n"]) for _ in range(2)]
        try:
            assert made[0].result() == made[1].result() > 0
        finally:
            ended.set()
        assert all(one.result() > 0 for one in asking)


def test_a_second_handle_on_the_former_file_is_named_as_the_obstacle(path: Path) -> None:
    other = open_trace(path)
    with open_trace(path) as trace:
        with pytest.raises(errors.OpenOtherwise, match="close that first"):
            trace.sql("SELECT * FROM wasted")
        other.close()
    with open_trace(path) as trace:
        assert len(trace.sql("SELECT * FROM wasted"))


def test_findings_of_another_version_get_no_tables_of_this_one(path: Path) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute("UPDATE verdict SET checker_version = '0.0.1'")
    with open_trace(path) as trace, pytest.raises(errors.OtherVersion, match=r"0\.0\.1.*wastenot check"):
        trace.sql("SELECT * FROM wasted")
    assert stored(path).isdisjoint(ON_DEMAND_TABLES)


def test_a_link_stays_one(path: Path) -> None:
    link = path.with_name("link.duckdb")
    link.symlink_to(path.name)
    assert make_tables(link) and link.is_symlink() and stored(path) >= set(ON_DEMAND_TABLES)


def test_a_query_whose_tables_vanish_once_more_has_them_made_once_more(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, made = shutil.copy(path, tmp_path / "bare"), make_tables
    left = iter(range(2))

    def replaced_after(*arguments: Any) -> object:
        done = made(*arguments)
        if next(left, None) is not None:
            shutil.copyfile(bare, tmp_path / "next")
            (tmp_path / "next").replace(path)
        return done

    monkeypatch.setattr("wastenot.analyzer.trace.make_tables", replaced_after)
    with open_trace(path) as trace:
        assert trace.sql("SELECT count(*) AS n FROM cpu_slice").one()["n"] > 100
    assert next(left, None) is None

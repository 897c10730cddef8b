"""A trace without the tables that are made on demand: findings at once, other views when these are made."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest
from wastenot.analyzer import CheckOptions, ensure_checked
from wastenot.analyzer.store.opening import open_read_only
from wastenot.analyzer.store.tables import tables_not_made
from wastenot.schemas.generated.enums import BALANCE_TABLES, ON_DEMAND_TABLES, OVERVIEW_TABLES
from wastenot.web import Settings, importing, library, making_tables
from wastenot.web.local import Answer, LocalServer, Serve

FINDINGS = ("verdict", "machine", "threads", "episodes", "episodes?grade=all", "search?q=1")
OTHERS = ("curve?bins=10", "tiles/meta", "top/thread", "replay/state?at=0")


@pytest.fixture(scope="module")
def unmade(wasted_trace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real trace without them."""
    path = Path(shutil.copy(wasted_trace, tmp_path_factory.mktemp("unmade") / "bare.duckdb"))
    ensure_checked(path, CheckOptions(thresholds_ns={"in_flight": 49_000}))
    assert not_made(path) == ON_DEMAND_TABLES
    return path


@pytest.fixture(scope="module")
def unmade_cut(unmade: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with a checkpoint every 200 events."""
    path = Path(shutil.copy(unmade, tmp_path_factory.mktemp("unmade_cut") / "bare.duckdb"))
    ensure_checked(path, CheckOptions(thresholds_ns={"in_flight": 48_000}, checkpoint_events=200))
    with duckdb.connect(str(path), read_only=True) as con:
        assert (con.execute("SELECT count(*) FROM checkpoint").fetchone() or (0,))[0] > 10
    return path


@pytest.fixture
def bare(unmade: Path, tmp_path: Path) -> Path:
    """A copy without them, for one test."""
    return Path(shutil.copy(unmade, tmp_path / "bare.duckdb"))


def not_made(path: Path) -> tuple[str, ...]:
    with open_read_only(path, Settings().trace_memory) as con:  # as the server in this process has it open
        return tables_not_made(con)


def duration_of(path: Path) -> tuple[int, int]:
    """First and last instant."""
    with open_read_only(path, Settings().trace_memory) as con:
        start, end = con.execute("SELECT start_ns, end_ns FROM verdict").fetchone() or (0, 0)
    return start, end


def until_made(server: LocalServer, path: str) -> tuple[Answer, list[float]]:
    """The answer when it is no longer refused, and the shares that the refusals reported."""
    shares = []
    until = time.monotonic() + 60
    while (answer := server.ask(path)).status == 202 and time.monotonic() < until:
        assert answer.headers["retry-after"] == "1"
        shares.append(answer.json()["making"]["share"])
    return answer, shares


def test_findings_and_queries_of_other_tables_need_none_of_them(serve: Serve, bare: Path) -> None:
    server = serve([bare])
    for path in FINDINGS:
        assert server.ask(f"/api/traces/bare/{path}").status == 200, path
    assert server.sql("SELECT count(*) FROM sched_switch", "bare").status == 200
    assert not_made(bare) == ON_DEMAND_TABLES


@pytest.mark.parametrize("path", OTHERS)
def test_what_reads_them_is_put_off_with_progress_until_they_are_made(serve: Serve, bare: Path, path: str) -> None:
    server = serve([bare], tables_seconds=0.05)
    before = {path: server.ask(f"/api/traces/bare/{path}").json() for path in ("verdict", "episodes")}
    put_off = server.ask(f"/api/traces/bare/{path}")
    assert put_off.status == 202 and put_off.json()["making"]["share"] == 0.0
    answer, shares = until_made(server, f"/api/traces/bare/{path}")
    assert answer.status == 200 and all(0 <= share <= 1 for share in shares)
    assert not_made(bare) == ()
    assert {path: server.ask(f"/api/traces/bare/{path}").json() for path in before} == before


def test_a_request_waits_for_tables_that_are_made_soon(serve: Serve, bare: Path) -> None:
    assert serve([bare], tables_seconds=60.0).ask("/api/traces/bare/tiles/meta").status == 200


OVERVIEWS = ("curve?bins=10", "tiles/meta", "wasted", "migrations", "replay/waste")


@pytest.mark.parametrize("path", OVERVIEWS)
def test_of_a_long_trace_the_overview_is_made_alone(serve: Serve, bare: Path, wasted_trace: Path, path: str) -> None:
    server, whole = serve([bare], tables_at_once=0), serve([wasted_trace])
    answer = server.ask(f"/api/traces/bare/{path}")
    assert answer.status == 200 and set(not_made(bare)) == set(ON_DEMAND_TABLES) - set(OVERVIEW_TABLES)
    expected = whole.ask(f"/api/traces/{wasted_trace.stem}/{path}")
    if path != "tiles/meta":
        assert answer.arrow().equals(expected.arrow())
    else:
        assert {**answer.json(), "version": ""} == {**expected.json(), "version": ""}


@pytest.mark.parametrize("path", ["curve?bins=800", "curve?bins=20000", "curve?start=70000000000&end=70000100000"])
def test_a_curve_finer_than_the_overview_is_read_from_a_window(
    serve: Serve, bare: Path, wasted_trace: Path, path: str
) -> None:
    server, whole = serve([bare], tables_at_once=0), serve([wasted_trace])
    assert server.ask("/api/traces/bare/curve?bins=10").status == 200 and "cpu_slice" in not_made(bare)
    answer = server.ask(f"/api/traces/bare/{path}")
    assert answer.status == 200 and answer.arrow().equals(whole.ask(f"/api/traces/{wasted_trace.stem}/{path}").arrow())
    assert "cpu_slice" in not_made(bare)


def test_a_tile_outside_the_trace_has_nothing_made(serve: Serve, bare: Path) -> None:
    server = serve([bare], tables_at_once=0)
    assert server.ask("/api/traces/bare/tiles/0/999999999/0").status == 404
    assert "cpu_slice" in not_made(bare)


@pytest.mark.parametrize("table", ["temp.cpu_slice", "information_schema.wasted"])
def test_a_table_that_is_made_and_named_otherwise_is_refused(serve: Serve, bare: Path, table: str) -> None:
    refused = serve([bare], tables_seconds=60.0).sql(f"SELECT * FROM {table}", "bare")
    assert refused.status == 400 and "is not there under the name" in refused.error()


def test_tiles_too_fine_for_the_overview_are_read_from_windows(serve: Serve, bare: Path, wasted_trace: Path) -> None:
    server, whole = serve([bare], tables_at_once=0), serve([wasted_trace])
    meta = server.ask("/api/traces/bare/tiles/meta").json()
    tiles = [f"tiles/{meta['levels'] - 1}/0/0", *(f"tiles/0/{x}/0" for x in (0, 1, 7))]
    answers = [server.ask(f"/api/traces/bare/{tile}") for tile in tiles]
    expected = [whole.ask(f"/api/traces/{wasted_trace.stem}/{tile}") for tile in tiles]
    assert [a.status for a in answers] == [200] * len(tiles)
    assert [a.body for a in answers] == [e.body for e in expected]
    assert "cpu_slice" in not_made(bare)


WINDOWED = (
    "slices",
    "waits",
    "avoidable",
    "selection",
    "selection/reasons",
    "replay/moves",
    "replay/unobserved",
    "replay/state",
    "curve?bins=50",
)


@pytest.mark.parametrize("with_overview", [False, True])
def test_views_of_a_window_of_a_long_trace_are_those_of_the_whole_tables(
    serve: Serve, unmade_cut: Path, tmp_path: Path, wasted_trace: Path, with_overview: bool
) -> None:
    bare = Path(shutil.copy(unmade_cut, tmp_path / "bare.duckdb"))
    server, whole = serve([bare], tables_at_once=0, tables_seconds=60.0), serve([wasted_trace])
    if with_overview:
        assert server.ask("/api/traces/bare/tiles/meta").status == 200
    start, end = duration_of(bare)
    made: set[str] = set(OVERVIEW_TABLES) if with_overview else set()
    for path in WINDOWED:
        rows = 0
        for share, length in ((0.0, 10_000_000), (0.31, 1_000_000), (0.5, 50_000_000), (0.97, 40_000_000)):
            a = start + int((end - start) * share)
            asked = f"at={a}" if path == "replay/state" else f"start={a}&end={min(a + length, end)}"
            address = f"{path}{'&' if '?' in path else '?'}{asked}"
            answer = server.ask(f"/api/traces/bare/{address}")
            expected = whole.ask(f"/api/traces/{wasted_trace.stem}/{address}")
            assert answer.status == expected.status == 200, address
            if path == "selection":
                assert {**answer.json(), "episodes": []} == {**expected.json(), "episodes": []}, address
                rows += len(expected.json()["threads"])
            elif path == "selection/reasons":
                assert answer.json() == expected.json(), address
                rows += len(expected.json()["reasons"])
            else:
                assert answer.arrow().equals(expected.arrow()), address
                rows += expected.arrow().num_rows
        assert rows or path == "replay/unobserved", path
        made |= set(OVERVIEW_TABLES) if path.startswith("curve") else set()
        assert set(not_made(bare)) == set(ON_DEMAND_TABLES) - made, path


FIRST = (
    "slices", "states?lanes=c0", "flows?lanes=t1", "threads/1/instant?at=70000000000", "curve?bins=50", "top/thread",
    "sql",
)  # fmt: skip


@pytest.mark.parametrize("path", FIRST)
def test_no_request_waits_for_itself(serve: Serve, bare: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Requests that hold the former file are waited for until they end: here for ever. Each is the first one."""
    monkeypatch.setattr(library, "FORMER_S", 3600.0)
    server = serve([bare], tables_at_once=10**9, tables_seconds=60.0)
    if path == "sql":
        answer = server.sql("SELECT count(*) AS n FROM cpu_slice", "bare")
    else:
        answer = server.ask(f"/api/traces/bare/{path}")
    assert answer.status == 200 and not_made(bare) == ()


@pytest.mark.parametrize("limit", ["window_rows", "window_events"])
def test_for_a_window_that_is_too_large_the_tables_are_made(serve: Serve, bare: Path, limit: str) -> None:
    server = serve([bare], tables_at_once=0, tables_seconds=60.0, **{limit: 10})
    assert server.ask("/api/traces/bare/slices").status == 200
    assert not_made(bare) == ()


def test_requests_for_one_window_at_once_are_answered_alike(serve: Serve, bare: Path) -> None:
    server = serve([bare], tables_at_once=0)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(server.ask, ["/api/traces/bare/slices", "/api/traces/bare/waits"] * 8))
    assert [a.status for a in answers] == [200] * 16
    assert all(a.arrow().equals(answers[n % 2].arrow()) for n, a in enumerate(answers))


def test_the_details_of_a_long_trace_are_made_after_the_overview(serve: Serve, bare: Path) -> None:
    server = serve([bare], tables_at_once=0, tables_seconds=0.0)
    for path in ("curve?bins=10", "top/thread"):
        assert server.ask(f"/api/traces/bare/{path}").status == 202
    assert until_made(server, "/api/traces/bare/top/thread")[0].status == 200
    assert not_made(bare) == () and server.ask("/api/traces/bare/curve?bins=10").status == 200


def test_the_schema_names_tables_that_are_not_made(serve: Serve, bare: Path) -> None:
    tables = {t["name"]: t for t in serve([bare]).ask("/api/traces/bare/schema").json()["tables"]}
    assert not_made(bare) == ON_DEMAND_TABLES and list(tables) == sorted(tables)
    assert all(
        tables[name]["rows"] is None and tables[name]["columns"] for name in (*ON_DEMAND_TABLES, *BALANCE_TABLES)
    )
    assert tables["sched_switch"]["rows"] > 100


def test_a_query_of_such_a_table_has_them_made(serve: Serve, bare: Path) -> None:
    server = serve([bare], tables_seconds=60.0)
    answer = server.sql("SELECT count(*) AS n FROM cpu_slice", "bare")
    assert answer.status == 200 and answer.arrow()["n"][0].as_py() > 100


@pytest.mark.parametrize("at_once", [0, 10**9])
def test_a_query_of_a_table_of_the_balance_has_that_made_from_them(serve: Serve, bare: Path, at_once: int) -> None:
    server = serve([bare], tables_at_once=at_once, tables_seconds=60.0)
    answer = server.sql("SELECT count(*) AS n FROM rank", "bare")
    assert answer.status == 200 and answer.arrow()["n"][0].as_py() == 0, "no parallel program is in this trace"
    assert not_made(bare) == ()
    assert server.sql("SELECT count(*) AS n FROM app", "bare").status == 200


def test_why_they_cannot_be_made_is_answered(serve: Serve, bare: Path) -> None:
    with duckdb.connect(str(bare)) as con:
        con.execute("UPDATE verdict SET checker_version = '0.0.1'")
    server = serve([bare], tables_seconds=60.0)
    assert server.ask("/api/traces/bare/verdict").status == 200
    refused = server.ask("/api/traces/bare/curve")
    assert refused.status == 422 and "0.0.1" in refused.error()


def test_without_a_check_there_is_nothing_to_make_them_from(serve: Serve, bare: Path) -> None:
    with duckdb.connect(str(bare)) as con:
        con.execute("DELETE FROM verdict")
    server = serve([bare])
    assert server.ask("/api/traces/bare/tiles/meta").status in (409, 422)
    refused = server.sql("SELECT count(*) FROM cpu_slice", "bare")
    assert refused.status == 422 and "has not been made" in refused.error()


def test_a_server_that_ends_takes_the_process_along(bare: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", making_tables.__name__, str(bare), "all"], stdout=subprocess.PIPE, text=True
    )
    process.terminate()
    process.communicate(timeout=60)
    assert [path.name for path in bare.parent.iterdir()] == ["bare.duckdb"]


@pytest.mark.parametrize("child", [importing.__name__, making_tables.__name__])
def test_the_processes_that_write_traces_import_no_web_framework(child: str) -> None:
    """It takes longer than what most of them do."""
    program = f"import sys, {child}; print(*sorted({{'fastapi', 'starlette', 'uvicorn'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""

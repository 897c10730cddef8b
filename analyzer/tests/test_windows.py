"""Tables of a window: what is kept, what is refused, and that the file is not written."""

from __future__ import annotations

import random
import shutil
import threading
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pytest
from drawing import build_drawn
from wastenot import analyzer
from wastenot._native import WastenotError
from wastenot.analyzer import CheckOptions, Trace, errors, open_trace
from wastenot.analyzer.sql_process import Limits, QueryOutcome, SqlProcess
from wastenot.analyzer.store.tables import WINDOW_TABLES, tables_not_made
from wastenot.analyzer.store.windows import WindowLimits

SHIPPED = Path(__file__).parents[2] / "fixtures/traces/two-cpus.part"
MS = 1_000_000


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    part = shutil.copytree(SHIPPED, tmp_path_factory.mktemp("recorded") / "T.duckdb.part")
    analyzer.build(part, part.with_suffix(""), CheckOptions(checkpoint_events=2_000))
    return Path(part.with_suffix(""))


@pytest.fixture
def bare(recorded: Path, tmp_path: Path) -> Path:
    """A trace without the tables that are made on demand, with checkpoints."""
    return Path(shutil.copy(recorded, tmp_path / "T.duckdb"))


def start_of(trace: Trace) -> int:
    start: int = trace.sql("SELECT start_ns FROM verdict").one()["start_ns"]
    return start


def slices(trace: Trace, first_ms: int, last_ms: int) -> list[tuple[object, ...]]:
    """Slices of a window from its own tables, times from the start of the trace."""
    start = start_of(trace)
    found = trace.window(start + first_ms * MS, start + last_ms * MS).sql("SELECT * FROM cpu_slice ORDER BY ALL")
    return [tuple(row.values()) for row in found.rows()]


def windows_in_memory(trace: Trace) -> int:
    return int(trace.sql("SELECT count(*) AS n FROM duckdb_databases() WHERE database_name LIKE 'window%'").one()["n"])


def change(path: Path, statements: str) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute(statements)


def test_a_window_is_made_once_and_holds_those_within(bare: Path) -> None:
    with open_trace(bare) as trace:
        wide = slices(trace, 100, 300)
        assert len(wide) > 100 and slices(trace, 100, 300) == wide
        within = slices(trace, 150, 200)
        assert 0 < len(within) < len(wide) and set(within) <= set(wide)
        assert windows_in_memory(trace) == 1
        assert slices(trace, 250, 350) and windows_in_memory(trace) == 2


def test_the_process_of_a_query_says_how_far_the_making_of_its_window_is(bare: Path) -> None:
    with open_trace(bare) as trace:
        start = start_of(trace)
    reported: list[tuple[int, int]] = []
    window, progress = (start + 100 * MS, start + 300 * MS), lambda done, total: reported.append((done, total))
    sql = "SELECT count(*) AS n FROM cpu_slice"
    with SqlProcess() as process:
        (found,) = process.run(bare, sql, Limits(), QueryOutcome(), window, progress)
    assert found["n"][0].as_py() > 100
    assert reported and all(0 <= done <= total for done, total in reported)


def test_rows_are_whole_and_touch_the_window(bare: Path) -> None:
    with open_trace(bare) as trace:
        start = start_of(trace)
        a, b = start + 200 * MS, start + 201 * MS
        rows = trace.window(a, b).sql("SELECT start_ns, start_ns + dur_ns AS end_ns FROM thread_state").rows()
    assert all(row["start_ns"] < b and row["end_ns"] > a for row in rows)
    assert any(row["start_ns"] < a and row["end_ns"] > b for row in rows), "rows are not cut at the window"


def test_windows_that_were_not_used_for_longest_go_first(bare: Path) -> None:
    with open_trace(bare) as trace:
        rows = sum(len(trace.window(start_of(trace), start_of(trace) + 50 * MS).table(t).rows()) for t in WINDOW_TABLES)
    with open_trace(bare, windows=WindowLimits(kept_rows=3 * rows)) as trace:
        for first in range(0, 1_000, 50):
            slices(trace, first, first + 50)
        assert 0 < windows_in_memory(trace) < 10


def test_the_margin_serves_the_next_window_and_is_given_up_where_it_is_too_large(bare: Path) -> None:
    with open_trace(bare, windows=WindowLimits(margin=1)) as trace:
        assert slices(trace, 200, 210) and slices(trace, 191, 201) and windows_in_memory(trace) == 1
        rows = sum(
            len(trace.window(start_of(trace), start_of(trace) + 300 * MS).table(t).rows()) for t in WINDOW_TABLES
        )
    with open_trace(bare, windows=WindowLimits(rows=rows, margin=1)) as trace:
        assert slices(trace, 0, 300)


@pytest.mark.parametrize(
    ("limits", "words"), [(WindowLimits(rows=100), "more than 100 rows"), (WindowLimits(events=100), "100 events")]
)
def test_a_window_that_is_too_large_is_refused_and_leaves_nothing(bare: Path, limits: WindowLimits, words: str) -> None:
    with open_trace(bare, windows=limits) as trace:
        with pytest.raises(errors.WindowTooLarge, match=words):
            slices(trace, 0, 900)
        assert windows_in_memory(trace) == 0


@pytest.mark.parametrize("absent", [("checkpoint", "checkpoint_interval"), ("checkpoint_interval",)])
def test_a_file_without_checkpoints_is_walked_over_from_its_start(bare: Path, absent: tuple[str, ...]) -> None:
    with open_trace(bare) as trace:
        expected = slices(trace, 300, 310)
    change(bare, "; ".join(f"DROP TABLE {table}" for table in absent))
    with open_trace(bare) as trace:
        assert slices(trace, 300, 310) == expected
        trace.verdict()


@pytest.mark.parametrize(
    ("statement", "error", "words"),
    [
        ("UPDATE checkpoint SET state = '\\x01\\x02'::BLOB", WastenotError, "checkpoint of the trace is damaged"),
        ("UPDATE checkpoint SET state = state || '\\x00'::BLOB", WastenotError, "checkpoint of the trace is damaged"),
        (
            "ALTER TABLE checkpoint ALTER state DROP NOT NULL; UPDATE checkpoint SET state = NULL",
            errors.DamagedTrace,
            "a checkpoint has no state",
        ),
        ("UPDATE verdict SET checker_version = '0.0.1'", errors.OtherVersion, "checked by wastenot 0.0.1"),
        ("DELETE FROM verdict", errors.NotChecked, "not checked yet"),
    ],
)
def test_what_cannot_be_walked_on_from_is_an_error_of_one_line(
    bare: Path, statement: str, error: type[Exception], words: str
) -> None:
    change(bare, statement)
    with open_trace(bare) as trace, pytest.raises(error, match=words) as raised:
        end = int(trace.sql("SELECT end_ns FROM trace").one()["end_ns"])
        trace.window(end - 100 * MS, end).table("cpu_slice")
    assert "\n" not in str(raised.value)


def test_checkpoints_of_any_bytes_end_in_an_error_or_in_rows(bare: Path) -> None:
    chosen = random.Random(1)
    with duckdb.connect(str(bare), read_only=True) as con:
        states = dict(con.execute("SELECT event_id, state FROM checkpoint").fetchall())
    refused = 0
    for _ in range(20):
        with duckdb.connect(str(bare)) as con:
            for event, state in states.items():
                changed = bytearray(state)
                for _ in range(chosen.randrange(1, 4)):
                    changed[chosen.randrange(len(changed))] = chosen.randrange(256)
                con.execute("UPDATE checkpoint SET state = ? WHERE event_id = ?", [bytes(changed), event])
        with open_trace(bare) as trace:
            try:
                slices(trace, 500, 510)
            except WastenotError as e:
                assert "\n" not in str(e)
                refused += 1
    assert refused


def test_a_window_ends_after_its_start(bare: Path) -> None:
    with open_trace(bare) as trace, pytest.raises(errors.BadArgument, match="not after its start"):
        trace.window(5, 5).table("cpu_slice")


def test_a_window_of_a_window_is_the_part_of_both(bare: Path) -> None:
    with open_trace(bare) as trace, trace.cursor() as cursor:
        start = start_of(trace)
        outer = trace.window(start + 100 * MS, start + 200 * MS)
        inner = outer.window(start + 50 * MS, start + 110 * MS)
        assert (
            inner.table("cpu_slice").rows()
            == trace.window(start + 100 * MS, start + 110 * MS).table("cpu_slice").rows()
        )
        with outer.show_window(cursor, start + 150 * MS, start + 900 * MS):
            last = cursor.execute("SELECT max(start_ns) FROM cpu_slice").fetchall()[0][0]
        assert last < start + 200 * MS
        with pytest.raises(errors.BadArgument, match="not after its start"):
            outer.window(start, start + MS).table("cpu_slice")
        assert repr(inner).startswith("<window of ")


def test_what_sums_up_a_whole_trace_is_refused_for_a_window(bare: Path) -> None:
    with open_trace(bare) as trace:
        window = trace.window(start_of(trace), start_of(trace) + MS)
        for asked in (
            window.verdict,
            window.top,
            window.cgroup_waits,
            window.cursor,
            window.bubbles,
            window.bubble_replay,
            lambda: window.metric("wasted_over_time", bins=5),
        ):
            with pytest.raises(errors.BadArgument, match="of the whole trace"):
                asked()
        start = np.int64(start_of(trace))
        assert trace.window(start, start + MS).table("cpu_slice").rows() == window.table("cpu_slice").rows()
        for ends in ((0.5, 2.5), ("a", "b")):
            with pytest.raises(errors.BadArgument, match="not whole numbers"):
                trace.window(*ends)
        with pytest.raises(errors.BadArgument, match="no trace has such times"):
            trace.window(0, 1 << 63).table("cpu_slice")


def test_nothing_is_written(bare: Path) -> None:
    before, stat = bare.read_bytes(), bare.stat()
    with open_trace(bare) as trace:
        assert slices(trace, 10, 20)
        assert list(bare.parent.iterdir()) == [bare]
    assert bare.read_bytes() == before and bare.stat().st_mtime_ns == stat.st_mtime_ns


@pytest.mark.parametrize("name", ["tile_run", "T.cpu_slice", "bubble"])
def test_a_query_of_a_window_for_more_than_the_window_is_refused_and_makes_nothing(bare: Path, name: str) -> None:
    before = bare.read_bytes()
    with open_trace(bare) as trace:
        start = start_of(trace)
        with pytest.raises(errors.TablesNotMade, match=f"table {name.removeprefix('T.')} has not been made"):
            trace.window(start, start + MS).sql(f"SELECT count(*) FROM {name}")
    assert bare.read_bytes() == before


def test_windows_go_with_the_trace_that_made_them(bare: Path) -> None:
    with open_trace(bare) as other:
        with open_trace(bare) as trace:
            assert slices(trace, 100, 120) and windows_in_memory(other) == 1
        assert windows_in_memory(other) == 0


def test_a_query_of_a_window_on_a_cursor_can_be_interrupted(bare: Path) -> None:
    with open_trace(bare) as trace, trace.cursor() as cursor:
        start = start_of(trace)
        window = trace.window(start + 100 * MS, start + 120 * MS).on(cursor)
        assert window.sql("SELECT count(*) AS n FROM cpu_slice").one()["n"] > 0
        timer = threading.Timer(0.5, cursor.interrupt)
        timer.start()
        with pytest.raises(errors.BadQuery, match=r"(?i)interrupt"):
            window.sql("SELECT sum(a.range * b.range) FROM range(2000000) a, range(2000000) b, cpu_slice")


def test_windows_are_read_from_the_tables_of_the_file_where_it_has_them(bare: Path) -> None:
    with open_trace(bare) as trace:
        expected = slices(trace, 100, 120)
        trace.make_tables()
        with trace.cursor() as cursor:
            assert tables_not_made(cursor) == ()
        assert slices(trace, 100, 120) == expected and windows_in_memory(trace) == 0
        assert len(trace.table("cpu_slice").rows()) > len(expected), "the whole trace is as before"


def test_a_window_can_be_asked_on_one_cursor(bare: Path) -> None:
    with open_trace(bare) as trace, trace.cursor() as cursor:
        start = start_of(trace)
        of_window = trace.window(start + 100 * MS, start + 120 * MS)
        expected = of_window.sql("SELECT * FROM cpu_slice ORDER BY ALL").rows()
        for same in (of_window.on(cursor), trace.on(cursor).window(start + 100 * MS, start + 120 * MS)):
            assert same.sql("SELECT * FROM cpu_slice ORDER BY ALL").rows() == expected


def test_after_a_window_in_a_window_the_outer_one_is_seen_again(bare: Path) -> None:
    with open_trace(bare) as trace, trace.cursor() as cursor:
        start = start_of(trace)

        def count() -> int:
            return int(cursor.execute("SELECT count(*) FROM cpu_slice").fetchall()[0][0])

        with trace.show_window(cursor, start + 100 * MS, start + 200 * MS):
            outer = count()
            with trace.show_window(cursor, start + 110 * MS, start + 111 * MS):
                assert count() < outer
            assert count() == outer


@pytest.mark.parametrize("name", ["window_1", 'a "quoted" name', "main"])
def test_a_trace_may_have_any_name(bare: Path, name: str) -> None:
    with open_trace(bare.rename(bare.with_name(f"{name}.duckdb"))) as trace:
        assert slices(trace, 100, 120)


def test_threads_share_windows(bare: Path) -> None:
    with open_trace(bare, windows=WindowLimits(kept_rows=1)) as trace:
        expected = {first: slices(trace, first, first + 30) for first in (0, 100, 200, 300)}
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda first: (first, slices(trace, first, first + 30)), [*expected] * 10))
        assert all(expected[first] == rows for first, rows in found)
        assert windows_in_memory(trace) <= 2


def ledger(rows: list[dict[str, object]]) -> Counter[tuple[object, ...]]:
    """Time by row of the wait ledger."""
    found: Counter[tuple[object, ...]] = Counter()
    for row in rows:
        ns = row["wait_ns"]
        assert isinstance(ns, int)
        found[tuple(row[name] for name in ("cgroup_id", "reason", "excuse", "culprit_cgroup_id"))] += ns
    return found


def test_the_wait_ledgers_of_windows_add_up_to_that_of_the_trace(bare: Path) -> None:
    with open_trace(bare) as trace:
        whole = trace.sql("SELECT start_ns, end_ns FROM verdict").one()
        inner = sorted(random.Random(7).sample(range(whole["start_ns"], whole["end_ns"]), 6))
        bounds = [whole["start_ns"], *inner, whole["end_ns"]]
        of = [trace.waits_in_window(a, b).ledger.rows() for a, b in pairwise(bounds)]
        all_of_it = ledger(trace.cgroup_waits().rows())
        assert sum((ledger(rows) for rows in of), Counter()) == all_of_it and len(all_of_it) > 4
        assert ledger(trace.waits_in_window(bounds[0], bounds[-1]).ledger.rows()) == all_of_it
        cpus = [row["cpu"] for row in trace.sql("SELECT cpu FROM cpu").rows()]
        by_cpu = [ledger(trace.waits_in_window(bounds[1], bounds[2], [cpu]).ledger.rows()) for cpu in cpus]
        assert sum(by_cpu, Counter()) == ledger(of[1]) and all(by_cpu)
        threads = trace.sql("SELECT utid, wait_wakeup_ns + wait_preempted_ns + throttled_ns AS ns FROM thread")
        waited = {row["utid"]: row["ns"] for row in threads.rows() if row["ns"] and row["utid"]}
        utid = max(waited, key=lambda utid: (waited[utid], utid))
        span = (bounds[0], bounds[-1])
        assert sum(ledger(trace.waits_in_window(*span, utids=[utid]).ledger.rows()).values()) == waited[utid]
        for row in of[1]:
            assert set(row) == {"cgroup_id", "cgroup", "reason", "excuse", "culprit_cgroup_id", "culprit", "wait_ns"}


def test_the_wait_ledger_of_a_window_has_limits_and_asks_for_a_check(bare: Path) -> None:
    with open_trace(bare, windows=WindowLimits(events=100)) as trace:
        start = start_of(trace)
        with pytest.raises(errors.WindowTooLarge, match="more than 100 events; choose a shorter one"):
            trace.waits_in_window(start, start + 300 * MS)
        with pytest.raises(errors.BadArgument, match="its end is not after its start"):
            trace.waits_in_window(start, start)
    change(bare, "DELETE FROM verdict")
    with open_trace(bare) as trace, pytest.raises(errors.NotChecked):
        trace.waits_in_window(start, start + MS)


def test_top_of_a_window_is_of_it_alone(bare: Path) -> None:
    with open_trace(bare) as trace:
        whole = trace.sql("SELECT start_ns, end_ns FROM verdict").one()
        start, end = whole["start_ns"], whole["end_ns"]
        middle = start + (end - start) // 3
        for by, key in (("thread", "utid"), ("process", "upid"), ("cgroup", "cgroup_id")):
            sums: dict[object, Counter[str]] = defaultdict(Counter)
            for window in ((start, middle), (middle, end + 1)):
                for row in trace.top(by, 1_000, window=window):
                    sums[row[key]].update({k: v for k, v in row.items() if k.endswith("_ns") and isinstance(v, int)})
            for row in trace.top(by, 1_000):
                # Those that only slept in a part are not listed for it.
                asleep = ("sleep_ns", "blocked_ns", "others_ns")
                expected = {k: v for k, v in row.items() if k.endswith("_ns") and k not in asleep}
                found = {k: sums[row[key]][k] for k in expected}
                assert found == expected or not any(expected[k] for k in ("run_ns", "wait_ns", "throttled_ns")), by
        first = trace.top("thread", 5, sort="p99", window=(start, middle)).rows()
        of_latency = {row["key"]: row for row in trace.latency(window=(start, middle), limit=1_000).groups}
        for row in first:
            assert row["p99_wait_ns"] == of_latency[row["utid"]]["p99_ns"]
            assert row["histogram"] == of_latency[row["utid"]]["histogram"] != []
        assert [row["p99_wait_ns"] for row in first] == sorted((row["p99_wait_ns"] for row in first), reverse=True)
        assert any(row["antagonists"] for row in first)
        with pytest.raises(errors.BadArgument, match="of a whole trace"):
            trace.top("bubble", window=(start, middle))
        assert trace.top("thread").rows() == trace.top("thread").rows() != trace.top(window=(start, middle)).rows()


@pytest.mark.parametrize("window", [(9, 9), (9, 8), (1 << 63, 1 << 64), 5, (1, 2, 3), ("a", "b")])
def test_top_and_the_wait_ledger_refuse_impossible_windows(bare: Path, window: object) -> None:
    with open_trace(bare) as trace:
        for by in ("thread", "process", "cgroup"):
            with pytest.raises(errors.BadArgument, match="window"):
                trace.top(by, window=window)  # type: ignore[arg-type]
        if isinstance(window, tuple) and len(window) == 2:
            with pytest.raises(errors.BadArgument, match="window"):
                trace.waits_in_window(*window)
        start = start_of(trace)
        with pytest.raises(errors.BadArgument, match="CPU 40000: no trace has it"):
            trace.waits_in_window(start, start + MS, cpus=[40_000])
        with pytest.raises(errors.BadArgument, match="utid -1"):
            trace.waits_in_window(start, start + MS, utids=[-1])
        assert trace.waits_in_window(start, start + 300 * MS, cpus=[99]).ledger.rows() == []


def test_tables_can_be_made_while_the_waits_of_windows_are_counted(bare: Path) -> None:
    with open_trace(bare) as trace, ThreadPoolExecutor(3) as pool:
        start = start_of(trace)
        windows = [(start + n * MS, start + (n + 50) * MS) for n in range(0, 400, 10)]
        counted = [pool.submit(trace.waits_in_window, *window) for window in windows]
        made = pool.submit(trace.make_tables, "all")
        sums = [sum(row["wait_ns"] for row in one.result().ledger.rows()) for one in counted]
        assert made.result() and all(sums)
        assert sums == [sum(row["wait_ns"] for row in trace.waits_in_window(*w).ledger.rows()) for w in windows]


def test_a_walk_whose_answer_is_not_wanted_any_more_ends(bare: Path) -> None:
    def stop(_done: int, _of: int) -> None:
        raise InterruptedError

    with open_trace(bare) as trace:
        start = start_of(trace)
        with pytest.raises(InterruptedError):
            trace.waits_in_window(start, start + MS, progress=stop)
        assert trace.waits_in_window(start, start + 300 * MS).ledger.rows()


def test_threads_of_a_window_count_for_the_cgroup_that_they_were_in_then(tmp_path: Path) -> None:
    drawing = """
        cpus 0-1
        window 0us 100us
        0us thread 100 a on 0 running mask 0-1 cgroup 1
        0us thread 101 b on 1 running mask 0-1 cgroup 1
        50us cgroup 101 2
    """
    path = tmp_path / "moved.duckdb"
    build_drawn(drawing, path)
    with open_trace(path) as trace:
        start = start_of(trace)

        def ran(first_us: int, last_us: int) -> dict[int, tuple[int, int]]:
            window = (start + first_us * 1_000, start + last_us * 1_000)
            return {row["cgroup_id"]: (row["threads"], row["run_ns"]) for row in trace.top("cgroup", window=window)}

        assert ran(0, 40) == {1: (2, 80_000)}
        assert ran(60, 90) == {1: (1, 30_000), 2: (1, 30_000)}

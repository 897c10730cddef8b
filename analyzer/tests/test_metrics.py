"""The documented metrics, on a trace whose figures are known by hand."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from wastenot.analyzer import Trace, errors, open_trace
from wastenot.analyzer.model.top import _leading
from wastenot.analyzer.queries import query, query_names
from wastenot.analyzer.render.cgroups import cgroups_table
from wastenot.analyzer.store.tables import CHECKER_TABLES, DERIVED_TABLES, ENTITY_TABLES, event_tables, table_names
from wastenot.schemas.declarations import read_declarations

MS = 1_000_000
S = 1_000_000_000

PARAMETERS: dict[str, Any] = {
    "limit": 10,
    "by": "thread",
    "keys": [],
    "after": "any",
    "sort": "longest",
    "start_ns": 0,
    "end_ns": 2**60,
    "width_ns": 10_000_000,
    "tree": "natural",
    "bubbles": [1],
    "utids": [1, 2, 3],
    "names": ["GOMP_barrier"],
    "launchers": ["mpirun"],
    "cpu": 0,
    "cpus": [0],
    "episode": 1,
    "low": 0,
    "high": 2**62,
    "episodes": [1, 2],
    "grades": ["persistent"],
    "severities": ["lasting"],
    "parts": True,
    "bins": 10,
    "settled_ns": 0,
    "min_switches": 10,
    "stray": 0.01,
    "min_share": 0.5,
    "min_avoidable_ns": 10_000_000,
}


@pytest.fixture(scope="module")
def opened(by_hand: Path) -> Iterator[Trace]:
    """The trace of `by_hand.sql`, for tests that only read."""
    with open_trace(by_hand) as trace:
        yield trace


@pytest.mark.parametrize("name", query_names())
def test_every_metric_states_what_it_means_its_parameters_and_its_columns(name: str, opened: Trace) -> None:
    found = query(name)
    assert found.meaning
    result = opened.metric(name, **{p: PARAMETERS[p] for p in found.parameters})
    if name != "episode":
        documented = found.sql.split("SELECT")[0] if "WITH" not in found.sql else found.sql.split("WITH")[0]
        assert [c for c in result.columns if c not in documented] == [] or name in ("trace", "verdict", "episodes")


def test_tables_fall_into_roles() -> None:
    assert set(table_names()) == {*event_tables(), *ENTITY_TABLES, *DERIVED_TABLES}
    assert {"sched_switch", "lost_events", "thread_snapshot"} <= set(event_tables())
    declared = {t.name for t in read_declarations(Path(__file__).parents[2] / "schemas").tables if t.kind == "derived"}
    assert declared <= set(DERIVED_TABLES)
    assert set(CHECKER_TABLES) - set(DERIVED_TABLES) == {"bubble", "thread", "process"}


def test_antagonists_are_the_threads_that_ran_on_the_cpu_meanwhile(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        rows = trace.antagonists(3).rows()
    assert [(r["antagonist"], r["waited_ns"], r["share"]) for r in rows] == [("make", S, 0.5), ("cc1", S, 0.5)]


def test_top_names_no_antagonist_whose_share_is_0_per_cent() -> None:
    assert _leading({"cc1": 9_940, "swapper": 40, "make": 60}) == ["cc1 (99 %)", "make (1 %)"]
    assert _leading({}) == []


def test_top_names_the_antagonists_of_threads_processes_and_cgroups(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        assert [r["antagonists"] for r in trace.top("thread")] == [
            ["cc1 (100 %)"],
            ["make (100 %)"],
            ["cc1 (50 %)", "make (50 %)"],
        ]
        assert [r["antagonists"] for r in trace.top("process")] == [
            ["cc1 (67 %)", "make (33 %)"],
            ["cc1 (50 %)", "make (50 %)"],
        ]
        assert [(r["cgroup"], r["threads"], r["avoidable_wait_ns"]) for r in trace.top("cgroup")] == [
            ("/build", 2, 2 * S),
            (None, 1, S // 2),
        ]


def test_top_splits_the_waits_of_cgroups_by_reason_and_names_neighbours(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        build, unknown = trace.top("cgroup").rows()
        ledger = trace.cgroup_waits().rows()
    assert (build["label"], build["wait_ns"], build["throttled_ns"]) == ("/build", 3 * S, 0)
    parts = [build[f"{reason}_ns"] for reason in ("avoidable_wait", "confined", "own_threads", "neighbour", "unknown")]
    assert parts == [2 * S, S // 10, 600 * MS, 300 * MS, 0]
    assert build["confined_by"] == [{"excuse": "affinity", "wait_ns": 100 * MS}]
    assert build["neighbours"] == [{"cgroup_id": 8, "cgroup": "/system.slice/nginx.service", "wait_ns": 300 * MS}]
    assert (unknown["label"], unknown["unknown_cgroup_ns"], unknown["neighbours"]) == (None, 1500 * MS, [])
    assert [(r["cgroup"], r["reason"], r["culprit"]) for r in ledger[:2]] == [
        ("/build", "avoidable", None),
        (None, "unknown_cgroup", None),
    ]
    assert sum(r["wait_ns"] for r in ledger) == 5 * S


def test_a_wait_ledger_that_does_not_add_up_is_found(make_trace: Callable[..., Path]) -> None:
    with open_trace(make_trace("UPDATE cgroup_wait SET wait_ns = wait_ns + 1 WHERE reason = 7")) as trace:
        failing = [r["identity"] for r in trace.metric("check_sums") if not r["holds"]]
    assert failing == ["waiting and throttled time of all threads, and refuted = wait ledger"]


def test_cgroups_are_listed_in_80_columns_with_the_reasons_of_their_waits(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        table = cgroups_table(trace.top("cgroup"))
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(table)
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if "%" in line and "unknown" not in line][:4] == [
        "/build         2  4.00 s  3.00 s   67 % avoidable",
        "                                   20 % own threads",
        "                                   10 % neighbour: nginx.service",
        "                                    3 % confined: outside its affinity mask",
    ]


def test_top_by_something_else_is_refused(trace_path: Path) -> None:
    with open_trace(trace_path) as trace, pytest.raises(errors.BadArgument, match="thread, process, cgroup"):
        trace.top("moon")


def test_a_process_is_split_into_run_needless_and_unavoidable_wait_and_others(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        make = trace.metric("processes", limit=1).one()
    assert (make["run_ns"], make["avoidable_wait_ns"], make["unavoidable_wait_ns"], make["others_ns"]) == (
        4 * S,
        2 * S,
        S,
        S,
    )


def test_waste_over_time_falls_into_its_bins(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        bins = trace.metric("wasted_over_time", bins=10).rows()
    assert [b["wasted"] for b in bins] == [0, 2, 0.5, 0, 0, 0, 0, 0, 0, 0]
    assert [b["certain"] for b in bins] == [0, 1, 0.5, 0, 0, 0, 0, 0, 0, 0]
    assert [b["idle_while_waiting"] for b in bins] == [0, 3, 0.5, 1, 0, 0, 0, 0, 0, 0]


def test_waste_over_time_keeps_its_sum_for_any_number_of_bins(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        for count in (1, 3, 7, 1000):
            bins = trace.metric("wasted_over_time", bins=count).rows()
            assert round(sum(b["wasted"] * (b["end_ns"] - b["start_ns"]) for b in bins)) == 2500 * MS


def test_sums_hold_exactly(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        assert [r["identity"] for r in trace.metric("check_sums") if not r["holds"]] == []


def test_a_sum_that_fails_is_shown(make_trace: Callable[..., Path]) -> None:
    path = make_trace("UPDATE excuse_ledger SET core_ns = core_ns + 1 WHERE excuse = 3")
    with open_trace(path) as trace:
        failing = [r["identity"] for r in trace.metric("check_sums") if not r["holds"]]
    assert failing == ["idle_while_waiting - wasted = excuse ledger"]


def test_a_thread_on_two_cpus_is_found(make_trace: Callable[..., Path]) -> None:
    more = f"INSERT INTO cpu_slice VALUES (6, {S}, {2 * S}, 1, NULL, true)"
    with open_trace(make_trace(more)) as trace:
        found = trace.metric("check_one_cpu_per_thread").rows()
    assert [(r["utid"], r["cpu"], r["other_cpu"], r["start_ns"], r["overlap_ns"]) for r in found] == [(1, 0, 6, S, S)]


def test_a_switch_from_a_thread_that_did_not_run_is_found(make_trace: Callable[..., Path]) -> None:
    more = f"INSERT INTO sched_switch VALUES (20, {9 * S}, 0, 77, 1, 120, 0, 120, NULL)"
    with open_trace(make_trace(more)) as trace:
        found = trace.metric("check_switch_prev").rows()
    assert [(r["id"], r["prev_tid"], r["expected_tid"]) for r in found] == [(20, 77, 100)]


def test_a_switch_after_lost_events_or_an_exec_is_not_a_violation(make_trace: Callable[..., Path]) -> None:
    more = f"""INSERT INTO sched_switch VALUES (20, {9 * S}, 0, 77, 1, 120, 0, 120, NULL);
               INSERT INTO sched_switch VALUES (30, {9 * S}, 4, 55, 1, 120, 0, 120, NULL);
               INSERT INTO lost_events VALUES (19, {8 * S}, {8 * S}, 0, NULL, 'any');
               INSERT INTO process_exec VALUES (21, {8 * S}, 4, 55, 101)"""
    with open_trace(make_trace(more)) as trace:
        assert len(trace.metric("check_switch_prev")) == 0


def test_the_kernels_queue_length_is_compared_where_it_settled(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        rows = trace.metric("check_nr_running", settled_ns=1000).rows()
    assert [(r["difference"], r["counts"]) for r in rows] == [(0, 1), (1, 1)]


def test_episodes_come_worst_first_and_by_grade(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        assert [e["grade"] for e in trace.episodes()] == ["persistent", "lasting"]
        assert [e["grade"] for e in trace.episodes("all")] == ["persistent", "lasting", "noise"]
        assert [e["episode_id"] for e in trace.episodes("noise")] == [3]
        with pytest.raises(errors.BadArgument, match="not a grade"):
            trace.episodes("awful")


def test_an_episode_has_its_threads_and_the_events_it_rests_on(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        found = trace.episode(1)
        with pytest.raises(errors.BadArgument, match="1 to 3"):
            trace.episode(9)
    assert [(t["name"], t["waited_on"], t["idle_cpu"], t["mask_known"]) for t in found.threads] == [
        ("make", 0, 5, True),
        ("cc1", 0, 4, True),
        ("R", 0, 4, False),
    ]
    assert [(e["id"], e["event"]) for e in found.events] == [
        (1, "sched_wakeup"),
        (2, "sched_wakeup"),
        (4, "sched_migrate_task"),
    ]
    assert "detach_task" in found.events.rows()[2]["what"]


def test_results_come_as_arrow_and_pandas_and_html(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        result = trace.sql("SELECT utid, name FROM thread ORDER BY utid")
    assert result.arrow().column_names == ["utid", "name"]
    assert list(result.pandas()["name"]) == ["swapper", "make", "cc1", "R"]
    assert "<td>cc1</td>" in result._repr_html_()


def test_columns_of_one_name_are_all_shown(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        result = trace.sql("SELECT a.name, b.name FROM thread a JOIN thread b ON b.utid = a.utid + 1 ORDER BY a.utid")
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(result)
    assert console.export_text().split()[-2:] == ["cc1", "R"]
    assert "<td>cc1</td><td>R</td>" in result._repr_html_()


def test_counted_sums_the_readings_over_all_cpus(make_trace: Callable[..., Path]) -> None:
    count = "SELECT {id}, {at}, {cpu}, {level}, 1000, {at}, false" + ", {n}" * 8 + ", 0" * 22
    rows = " UNION ALL ".join(
        count.format(id=id_, at=S, cpu=cpu, level=level, n=n)
        for id_, cpu, level, n in [(30, "NULL", "NULL", 0), (31, 0, 0, 2), (32, 1, 0, 3), (33, 0, 1, 4)]
    )
    with open_trace(make_trace(f"INSERT INTO schedstat {rows}")) as trace:
        found = trace.metric("balancer_counters").rows()
    assert [(r["level"], r["state"], r["attempts"]) for r in found if r["state"] == "busy"] == [
        (0, "busy", 5),
        (1, "busy", 4),
    ]
    assert [(r["attempts"], r["gained"]) for r in found if r["state"] == "idle"] == [(0, 0), (0, 0)]

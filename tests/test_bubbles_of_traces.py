"""Bubbles that follow from the threads of real traces: of our own recorder, with cgroups, and of LTTng, without."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from wastenot.analyzer import CheckOptions, ImportOptions, Trace, build, import_source, open_trace

TRACES = Path(__file__).parents[1] / "fixtures/traces"


@pytest.fixture(scope="module", params=["two-cpus.part", "guest-6.1/wasted"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("bubbles") / "T.duckdb"
    source = TRACES / request.param
    if source.suffix == ".part":
        part = shutil.copytree(source, target.with_name("T.duckdb.part"))
        build(part, target, CheckOptions())
    else:
        import_source(source, target, ImportOptions(("*=0-7",)), CheckOptions())
    return target


def test_every_thread_is_in_one_bubble_of_each_tree_all_its_life(path: Path) -> None:
    for tree in ("natural", "creation"):
        sql = f"""
        WITH belongs AS (
          SELECT m.utid, sum(m.end_ns - m.start_ns) AS told_ns, min(m.start_ns) AS start_ns, max(m.end_ns) AS end_ns
          FROM bubble_member m JOIN bubble b USING (bubble_id)
          WHERE m.utid IS NOT NULL AND bubble_tree_name(b.tree) = '{tree}' GROUP BY m.utid
        )
        SELECT t.utid FROM thread t CROSS JOIN trace w LEFT JOIN belongs b USING (utid)
        WHERE t.utid <> 0 AND (b.utid IS NULL OR b.told_ns <> b.end_ns - b.start_ns
          OR b.start_ns <> coalesce(t.start_ns, w.start_ns) OR b.end_ns <> coalesce(t.end_ns, w.end_ns))"""
        with open_trace(path) as trace:
            assert trace.sql(sql).rows() == [], tree


def test_running_waiting_and_avoidable_wait_of_a_tree_are_those_of_its_threads(path: Path) -> None:
    with open_trace(path) as trace:
        assert [r for r in trace.metric("check_sums") if not r["holds"]] == []


def test_a_process_has_its_threads_and_lies_in_the_folders_of_its_cgroup(path: Path) -> None:
    with open_trace(path) as trace:
        strangers = trace.sql(
            "SELECT b.name, t.tid FROM bubble b JOIN bubble_member m USING (bubble_id) "
            "JOIN thread t ON t.utid = m.utid WHERE bubble_kind_name(b.kind) = 'process' AND t.tgid <> b.tgid"
        )
        assert strangers.rows() == []
        paths = {r["cgroup_id"]: r["path"] for r in trace.sql("SELECT cgroup_id, path FROM cgroup")}
        for cgroup, way in _ways(trace):
            assert [part for part in paths.get(cgroup, "").split("/") if part] == way


def _ways(trace: Trace) -> list[tuple[int, list[str]]]:
    """Per process in a cgroup: the names of the folders around it, outermost first."""
    bubbles = {b["bubble_id"]: b for b in trace.bubbles("natural").bubbles}
    out = []
    for b in bubbles.values():
        if b["kind"] == "process" and b["cgroup_id"] is not None:
            way, at = [], bubbles[b["parent_id"]]
            while at["kind"] in ("cgroup", "session"):
                way.append(at["name"])
                at = bubbles[at["parent_id"]]
            out.append((b["cgroup_id"], way[::-1]))
    return out


def test_who_is_created_in_the_trace_is_in_the_bubble_of_who_created_it(path: Path) -> None:
    with open_trace(path) as trace:
        astray = trace.sql(
            "SELECT t.utid FROM thread t JOIN bubble_member m ON m.utid = t.utid JOIN bubble b USING (bubble_id) "
            "LEFT JOIN bubble above ON above.bubble_id = b.parent_id "
            "WHERE bubble_tree_name(b.tree) = 'creation' AND t.parent_utid IS NOT NULL "
            "AND t.parent_utid IS DISTINCT FROM b.utid AND t.parent_utid IS DISTINCT FROM above.utid"
        )
        assert astray.rows() == []

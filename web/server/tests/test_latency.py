"""Waits of one thread, process or cgroup: the answers of the interface beside SQL over `waits()`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from wastenot.analyzer import CheckOptions, ImportOptions, import_source, open_trace
from wastenot.web import Settings
from wastenot.web.local import LocalServer, serving

TRACE = Path(__file__).resolve().parents[3] / "fixtures/traces/two-cpus.part"
COLUMNS = {"thread": "utid", "process": "upid", "cgroup": "cgroup_id"}
T = "/api/traces/two"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("latency") / "two.duckdb"
    import_source(TRACE, found, ImportOptions(), CheckOptions(tables="all"))
    return found


@pytest.fixture(scope="module")
def two(path: Path) -> Iterator[LocalServer]:
    with serving([path], Settings(port=0, tables_seconds=60.0)) as served:
        yield served


@pytest.mark.parametrize("by", COLUMNS)
def test_the_longest_waits_of_a_group_are_those_that_sql_has(two: LocalServer, path: Path, by: str) -> None:
    groups = two.ask(f"{T}/latency?by={by}&limit=3").json()["groups"]
    copy = shutil.copy(path, path.with_name(f"{by}.duckdb"))  # a process opens a file once
    with open_trace(copy) as trace:
        for group in groups:
            key = "none" if group["key"] is None else group["key"]
            found = two.ask(f"{T}/latency?by={by}&key={key}&worst=5&after=preemption").json()
            rows = trace.sql(
                f"""SELECT w.utid, w.start_ns, w.dur_ns FROM waits() w JOIN thread t USING (utid)
                WHERE t.{COLUMNS[by]} IS NOT DISTINCT FROM $key AND w.waited_after = 'preemption'
                ORDER BY w.dur_ns DESC, w.start_ns, w.utid LIMIT 5""",
                {"key": group["key"]},
            ).rows()
            assert [{name: wait[name] for name in ("utid", "start_ns", "dur_ns")} for wait in found["longest"]] == rows
            assert [one["key"] for one in found["of"]] == [group["key"]]
            whole = two.ask(f"{T}/latency?by={by}&key={key}").json()
            assert whole["total"]["waits"] == group["waits"] and whole["total"]["histogram"] == group["histogram"]


def test_the_curve_adds_up_to_the_time_that_a_group_waited(two: LocalServer) -> None:
    group = two.ask(f"{T}/latency?by=process&limit=1").json()["groups"][0]
    curve = two.ask(f"{T}/latency/curve?by=process&key={group['key']}&bins=50").json()
    bounds = two.ask(f"{T}/verdict").json()["trace"]
    lengths = [
        min(curve["width_ns"], bounds["end_ns"] - curve["start_ns"] - at * curve["width_ns"])
        for at in range(len(curve["waiting"]))
    ]
    assert len(lengths) == 50 and sum(lengths) == bounds["end_ns"] - bounds["start_ns"]
    waited = sum(length * waiting for length, waiting in zip(lengths, curve["waiting"], strict=True))
    assert waited == pytest.approx(group["wait_ns"], rel=1e-9)


def test_a_group_that_is_not_there_is_a_line(two: LocalServer) -> None:
    for address in ("latency?by=process&key=987654", "latency/curve?by=process&key=987654"):
        refused = two.ask(f"{T}/{address}")
        assert refused.status == 404
        assert refused.json()["error"] == "key 987654: no such process in two.duckdb"
    assert two.ask(f"{T}/latency?key=moon").status == 422
    assert two.ask(f"{T}/latency/curve?start=9&end=9").status == 422

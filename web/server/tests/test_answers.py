"""Every address answers, with what the trace holds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest
from wastenot.analyzer import open_trace
from wastenot.web import Settings
from wastenot.web.local import LocalServer, serving

T = "/api/traces/wasted"

JSON_ADDRESSES = [
    "/api/health",
    "/api/traces",
    f"{T}/verdict",
    f"{T}/machine",
    f"{T}/identity",
    f"{T}/tiles/meta",
    f"{T}/episodes",
    f"{T}/episodes/1",
    f"{T}/top/thread",
    f"{T}/top/process",
    f"{T}/top/cgroup",
    f"{T}/top/bubble",
    f"{T}/antagonists/24",
    f"{T}/search?q=hog",
    f"{T}/selection",
    f"{T}/selection/reasons",
    f"{T}/schema",
    f"{T}/bubbles",
    f"{T}/bubbles?kind=creation",
    f"{T}/bubbles?kind=declared",
    "/api/compare?a=wasted&b=wasted",
    "/api/openapi.json",
]
ARROW_ADDRESSES = [
    f"{T}/threads",
    f"{T}/curve",
    f"{T}/tiles/0/0/0",
    f"{T}/slices",
    f"{T}/waits",
    f"{T}/migrations",
    f"{T}/wakeups",
    f"{T}/attempts",
    f"{T}/replay/state?at=70000000000",
    f"{T}/replay/moves",
]


@pytest.mark.parametrize("address", JSON_ADDRESSES)
def test_json(served: LocalServer, address: str) -> None:
    answer = served.ask(address)
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()


@pytest.mark.parametrize("address", ARROW_ADDRESSES)
def test_arrow(served: LocalServer, address: str) -> None:
    answer = served.ask(address)
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "application/vnd.apache.arrow.stream"
    assert answer.arrow().num_rows > 0


def test_the_verdict_is_that_of_check_json(served: LocalServer, wasted_trace: Path) -> None:
    with open_trace(wasted_trace, Settings().trace_memory) as trace:
        verdict = trace.verdict(worst=20)
    reported = served.ask(f"{T}/verdict").json()
    same = {k: reported[k] for k in verdict.to_json()}
    assert same["main_reason"].pop("answers")  # beside that object: what its sentence is made of
    assert same == json.loads(json.dumps(verdict.to_json()))
    assert reported["sentence"] == verdict.sentence()


def test_the_identity_is_what_the_trace_holds_and_none_for_the_rest(served: LocalServer) -> None:
    identity = served.ask(f"{T}/identity").json()
    assert {k: identity[k] for k in ("source", "live", "kernel", "cpus", "evidence_level")} == {
        "source": "ctf", "live": False, "kernel": "6.1.0-56-amd64", "cpus": 8, "evidence_level": "L2",
    }  # fmt: skip
    assert [k for k in ("preemption", "model", "caches", "nodes") if identity[k] is not None] == []
    assert (identity["shows_wakeups"], identity["has_wakings"]) == (True, True)
    assert identity["evidence"] == served.ask(f"{T}/verdict").json()["trace"]["evidence"]


def test_the_identity_has_the_host_of_a_snapshot_that_names_it(wasted_trace: Path, tmp_path: Path) -> None:
    named = Path(shutil.copy(wasted_trace, tmp_path / "named.duckdb"))
    with duckdb.connect(str(named)) as file:
        file.execute("""UPDATE machine SET snapshot = '{"host": "build-7", "preemption": "lazy"}'""")
        file.execute("DELETE FROM sched_waking")
    with serving([named], Settings(port=0)) as served:
        identity = served.ask("/api/traces/named/identity").json()
    assert (identity["host"], identity["preemption"]) == ("build-7", "lazy")
    assert not identity["has_wakings"]


def test_an_unknown_address_says_so_in_one_line(served: LocalServer) -> None:
    for address in ("/api/nothing", "/api/traces/none/verdict", f"{T}/episodes/999999", f"{T}/tiles/99/0/0", "/x.js"):
        answer = served.ask(address)
        assert answer.status in (400, 404), address
        assert answer.error()


def test_a_bad_parameter_says_so_in_one_line(served: LocalServer) -> None:
    for address in (
        f"{T}/curve?bins=0", f"{T}/slices?cpus=a", f"{T}/slices?start=5&end=5", f"{T}/top/nothing", f"{T}/search?q=",
        f"{T}/replay/state", f"{T}/slices?limit=99999999",
    ):  # fmt: skip
        answer = served.ask(address)
        assert answer.status == 422, address
        assert answer.error()


@pytest.mark.parametrize(("by", "id"), [("thread", "utid"), ("process", "upid")])
def test_threads_and_process_of_the_recorder_are_marked(
    recorded: LocalServer, recorded_trace: Path, served: LocalServer, tmp_path: Path, by: str, id: str
) -> None:
    with open_trace(Path(shutil.copy(recorded_trace, tmp_path))) as trace:  # a file is opened in one way
        (of_threads,) = trace.sql("SELECT tgid FROM thread WHERE name = 'wastenot-record'").rows()
        threads = trace.sql("SELECT utid, upid FROM thread WHERE tgid = $tgid", of_threads).rows()
    rows = recorded.ask(f"/api/traces/recorded/top/{by}?limit=1000").json()["rows"]
    marked = [row[id] for row in rows if "of_recorder" in row]
    assert sorted(marked) == sorted({thread[id] for thread in threads})
    assert 0 < len(marked) < len(rows)
    assert not any("of_recorder" in row for row in served.ask(f"{T}/top/{by}?limit=1000").json()["rows"])

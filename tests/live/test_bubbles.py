"""Bubbles that real programs report: the library, LTTng-UST beside it, and a recording with the kernel's events."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wastenot._native import collector
from wastenot.analyzer import CheckOptions, ImportOptions, Trace, import_source, open_trace
from wastenot.collector.bubbles import library_folder

REPOSITORY = Path(__file__).parents[2]
KINDS = tomllib.loads((REPOSITORY / "schemas/enums.toml").read_text())["bubble_event_kind"]["values"]
CLOCK_ERROR_NS = 1_000
"""Both tracers read CLOCK_MONOTONIC; what is left is that a stamp is taken shortly before or after the event."""

BUBBLES = '{"source": "bubbles"}'

pytestmark = pytest.mark.skipif(
    collector.Recorder("none", BUBBLES).obstacle() is not None
    or not (library_folder() / "libwastenot-bubble-ust.so.0").is_file(),
    reason="LTTng's tools or liblttng-ust-dev are not installed",
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the example `life` and the application `heat`, compiled against the library."""
    folder, library = tmp_path_factory.mktemp("programs"), library_folder()
    include = f"-I{REPOSITORY / 'collector/bubbles/include'}"
    for name, source in {"life": "collector/bubbles/examples/life.c", "heat": "fixtures/bubbles/heat.c"}.items():
        words = ["cc", "-std=c11", "-O2", include, str(REPOSITORY / source), "-o", str(folder / name)]
        linked = [f"-L{library}", "-lwastenot-bubble", f"-Wl,-rpath,{library}", "-lpthread"]
        subprocess.run([*words, *linked], check=True)
    return folder


@pytest.fixture
def session(tmp_path: Path) -> Iterator[collector.Recorder]:
    """A session with the events of bubbles into `tmp_path/ctf`, not started."""
    yield collector.Recorder(tmp_path / "ctf", BUBBLES)


def imported(tmp_path: Path) -> Trace:
    import_source(tmp_path / "ctf", tmp_path / "T.duckdb", ImportOptions(), CheckOptions())
    return open_trace(tmp_path / "T.duckdb")


def reported(trace: Trace) -> list[dict[str, Any]]:
    return [{**row, "kind": KINDS[row["kind"]]} for row in trace.sql("SELECT * FROM bubble_event ORDER BY id").rows()]


def test_every_call_is_an_event_and_refused_ones_say_so(
    tmp_path: Path, programs: Path, session: collector.Recorder
) -> None:
    session.start()
    ran = subprocess.run([programs / "life"], capture_output=True, text=True, check=True)
    session.stop("interrupt")
    said = json.loads(ran.stdout)
    process, number = said["bubble"] >> 32, said["bubble"] & 0xFFFFFFFF
    rows = reported(imported(tmp_path))
    assert [row["kind"] for row in rows] == (
        ["init"] * 3 + ["insert_bubble"] * 2 + ["insert_thread", "priority", "burst_level", "wake", "move", "burst"]
        + ["move", "insert_bubble", "regenerate", "close", "destroy"]
    )  # fmt: skip
    assert [row["name"] for row in rows[:3]] == ["all", "left", "right"]
    assert {row["tgid"] for row in rows if row["bubble"]} == {process} == {row["tid"] for row in rows}
    assert [row["status"] for row in rows if row["status"] is not None] == [-40]  # ELOOP: a bubble into its own content
    assert not any(row["snapshot"] for row in rows)
    (burst,) = (row for row in rows if row["kind"] == "burst")
    before, after = said["burst_between_ns"]
    assert burst["bubble"] == number
    assert before <= burst["ts_ns"] <= after


def test_a_late_session_receives_the_present_state(tmp_path: Path, programs: Path, session: collector.Recorder) -> None:
    with subprocess.Popen([programs / "life", "3000"], stdout=subprocess.PIPE) as life:
        time.sleep(0.5)
        session.start()
        life.wait()
    session.stop("interrupt")
    rows = reported(imported(tmp_path))
    dumped = [row for row in rows if row["snapshot"]]
    assert rows[: len(dumped)] == dumped, "what stands comes before what happens"
    once = {(row["kind"], row["bubble"], row["entity_tid"]): row for row in dumped}
    assert sorted(kind for kind, _, _ in once) == sorted(
        ["init"] * 3 + ["insert_bubble"] * 2 + ["insert_thread", "priority", "burst_level", "move"]
    )
    assert {row["name"] for row in dumped if row["kind"] == "init"} == {"all", "left", "right"}
    assert [row["kind"] for row in rows[len(dumped) :]][:2] == ["move", "burst"]


def test_a_late_recording_of_the_same_calls_ends_in_the_same_places(
    tmp_path: Path, programs: Path, session: collector.Recorder
) -> None:
    """Without a listener nothing is recorded, and the calls do what they do all the same."""
    ran = subprocess.run([programs / "life"], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout)["bubble"]
    session.start()
    session.stop("interrupt")
    assert not list((tmp_path / "ctf").rglob("metadata"))


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Trace:
    """A real application under `wastenot record --with-bubbles`."""
    if json.loads(collector.doctor())["source"] != "ebpf":
        pytest.skip("no recording with eBPF here")
    out = tmp_path_factory.mktemp("heat") / "T.duckdb"
    record(out, str(programs / "heat"), "2", "2", "100")
    return open_trace(out)


def record(out: Path, *command: str) -> None:
    words = [sys.executable, "-m", "wastenot.cli", "record", "-q", "-o", str(out), "--with-bubbles", "--json", "--"]
    ran = subprocess.run([*words, *command], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_bubbles_and_the_kernels_events_are_in_one_order(heat: Trace) -> None:
    counts = heat.sql("SELECT kind, count(*) AS n FROM bubble_event GROUP BY kind").rows()
    assert {KINDS[row["kind"]]: row["n"] for row in counts} == {
        "init": 3, "insert_bubble": 2, "insert_thread": 4, "burst_level": 3, "wake": 1, "move": 2, "burst": 3,
        "remove": 4, "close": 3, "destroy": 3,
    }  # fmt: skip
    backwards = """
        SELECT count(*) AS n FROM (
            SELECT ts_ns, lag(ts_ns) OVER (ORDER BY id) AS before
            FROM (SELECT id, ts_ns FROM bubble_event UNION ALL SELECT id, ts_ns FROM sched_switch)
        ) WHERE ts_ns < before"""
    assert heat.sql(backwards).one()["n"] == 0


def test_a_thread_reports_only_while_it_runs(heat: Trace) -> None:
    """Alignment of the two clocks: a wrong offset would put calls outside the runs of the threads that made them."""
    off = heat.sql("""
        SELECT b.id, min(greatest(s.start_ns - b.ts_ns, b.ts_ns - (s.start_ns + s.dur_ns), 0)) AS off_ns
        FROM bubble_event b
        LEFT JOIN thread t ON t.tid = b.tid LEFT JOIN cpu_slice s ON s.utid = t.utid AND s.cpu = b.cpu
        GROUP BY b.id""").rows()
    assert len(off) == 28
    assert all(row["off_ns"] is not None and row["off_ns"] <= CLOCK_ERROR_NS for row in off), off


def test_a_recording_without_a_reporting_application_says_so(tmp_path: Path) -> None:
    if json.loads(collector.doctor())["source"] != "ebpf":
        pytest.skip("no recording with eBPF here")
    out = tmp_path / "T.duckdb"
    record(out, "true")
    notes = open_trace(out).sql("SELECT notes FROM trace").one()["notes"]
    assert any("no application reported bubbles" in note for note in notes)


def test_the_tree_by_itself(tmp_path: Path) -> None:
    """The library's own tests in C, built anew."""
    make = shutil.which("make")
    assert make is not None
    folder = REPOSITORY / "collector/bubbles"
    ran = subprocess.run([make, "-C", str(folder), f"OUT={tmp_path}", "check"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "checks passed" in ran.stdout

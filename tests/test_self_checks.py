"""Self-checks on real traces: none of them is suspect as it is, each is once its states, or its clock, are misread."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from samples import sample
from wastenot import checker, replay
from wastenot.analyzer import CheckOptions
from wastenot.analyzer.store.tables import event_tables
from wastenot.schemas.declarations import read_declarations
from wastenot.schemas.generated.enums import SUSPICION_WORDS

ROOT = Path(__file__).parents[1]
TRACES = ROOT / "fixtures" / "traces"
SCENARIOS = {scenario.name: scenario for scenario in replay.shipped()}
STATES = next(e for e in read_declarations(ROOT / "schemas").enums if e.name == "task_state").values

HEALTHY = (
    "guest-6.1/normal", "guest-6.1/pinned", "guest-6.1/wasted", "guest-6.1/hotplug", "guest-6.1/trace.dat",
    # Seven switches of each of these two contradict others (a thread on two CPUs): fewer than ten are an accident.
    "guest-6.1/perf.data", "guest-6.1/perf-sched.data",
    # Stoppers run without a wakeup there, 22 times: they are left out of that check.
    "guest-6.12/hotplug",
    "guest-6.12/normal", "guest-6.12/pinned",
    # Their machines hide switches of an agent's threads: 8 contradictions each, a run without a wakeup in a thousand.
    "format-1.part", "two-cpus.part", "format-4.part",
)  # fmt: skip
"""Traces of `fixtures/traces`; those of the rig are in `test_rig.py`."""

ASLEEP_AS_PREEMPTED = """UPDATE sched_switch SET prev_state = 1 WHERE prev_state NOT IN (0, 1, 6, 7)
    AND prev_tid IN (SELECT tid FROM thread WHERE starts_with(name, 'kworker'))"""
"""What `TASK_UNINTERRUPTIBLE | TASK_NOLOAD` of idle kworkers was taken for."""

PREEMPTED_AS_ASLEEP = "UPDATE sched_switch SET prev_state = 2 WHERE prev_state IN (0, 1)"
"""What the number of a preempted thread was taken for where it is that of a sleep."""

PREEMPTED_AS_DEAD = f"UPDATE sched_switch SET prev_state = {STATES.index('X')} WHERE prev_state IN (0, 1)"
"""What `R+` is taken for by a reader whose letters are off."""


def wastenot(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wastenot.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, dict[str, Any]]]:
    """Imports a fixture, once: the trace and its verdict."""
    folder = tmp_path_factory.mktemp("self-checks")

    @cache
    def run(name: str) -> tuple[Path, dict[str, Any]]:
        target = folder / f"{name.replace('/', '-')}.duckdb"
        if name.endswith(".part"):
            shutil.copytree(TRACES / name, Path(f"{target}.part"))
            done = wastenot("check", str(target), "--json")
        else:
            done = wastenot("import", str(TRACES / name), "-o", str(target), "--json")
        assert done.returncode == 0, done.stderr
        return target, json.loads(done.stdout)

    return run


@pytest.mark.parametrize("name", HEALTHY)
def test_a_real_trace_is_not_suspect(name: str, imported: Callable[[str], tuple[Path, dict[str, Any]]]) -> None:
    _, verdict = imported(name)
    assert verdict["data_quality"]["suspect"] == []


def misread(trace: Path, misreading: str, target: Path) -> Path:
    """A copy of the trace in which states are misread; its findings are those of the trace as it was."""
    shutil.copy(trace, target)
    with duckdb.connect(str(target)) as con:
        con.execute(misreading)
    return target


ANEW = ("--threshold", "in_flight=51us")
"""Other options than those of the stored findings: the check runs again."""


@pytest.mark.parametrize(
    ("name", "misreading", "checks"),
    [
        ("guest-6.1/normal", ASLEEP_AS_PREEMPTED, {"idle_picked_with_queue"}),
        ("guest-6.12/normal", ASLEEP_AS_PREEMPTED, {"idle_picked_with_queue"}),
        ("two-cpus.part", ASLEEP_AS_PREEMPTED, {"idle_picked_with_queue"}),
        ("guest-6.1/wasted", ASLEEP_AS_PREEMPTED, {"idle_picked_with_queue"}),
        ("guest-6.1/normal", PREEMPTED_AS_ASLEEP, {"ran_without_wakeup"}),
        ("guest-6.12/normal", PREEMPTED_AS_ASLEEP, {"ran_without_wakeup"}),
        ("two-cpus.part", PREEMPTED_AS_ASLEEP, {"ran_without_wakeup"}),
        ("guest-6.1/wasted", PREEMPTED_AS_ASLEEP, {"ran_without_wakeup"}),
        ("guest-6.1/normal", PREEMPTED_AS_DEAD, {"ran_after_death"}),
        ("guest-6.12/normal", PREEMPTED_AS_DEAD, {"ran_after_death"}),
        ("two-cpus.part", PREEMPTED_AS_DEAD, {"ran_after_death"}),
        ("guest-6.1/wasted", PREEMPTED_AS_DEAD, {"ran_after_death"}),
        ("guest-6.1/trace.dat", PREEMPTED_AS_DEAD, {"ran_after_death"}),
        ("guest-6.1/perf-sched.data", PREEMPTED_AS_DEAD, {"ran_after_death"}),
    ],
)
def test_a_trace_whose_states_are_misread_is_suspect(
    name: str,
    misreading: str,
    checks: set[str],
    imported: Callable[[str], tuple[Path, dict[str, Any]]],
    tmp_path: Path,
) -> None:
    trace = misread(imported(name)[0], misreading, tmp_path / "T.duckdb")
    done = wastenot("check", str(trace), "--json", *ANEW, "--fail-on", "suspect")
    assert done.returncode == 1, done.stderr
    assert "suspect is " in done.stderr
    suspect = json.loads(done.stdout)["data_quality"]["suspect"]
    assert checks <= {s["check"] for s in suspect} <= set(SUSPICION_WORDS)
    assert all(s["share"] > 0 and s["sentence"] for s in suspect)


@pytest.mark.parametrize(("name", "times"), [("guest-6.1/wasted", "0.8"), ("guest-6.12/normal", "2.5")])
def test_a_clock_whose_frequency_is_misread_differs_from_the_accounts(
    name: str, times: str, imported: Callable[[str], tuple[Path, dict[str, Any]]], tmp_path: Path
) -> None:
    start = "(SELECT start_ns FROM trace)"
    stretched = f"CAST({start} + (ts_ns - {start}) * {times} AS BIGINT)"
    clock = "; ".join(f"UPDATE {table} SET ts_ns = {stretched}" for table in event_tables())
    window = f"UPDATE trace SET end_ns = CAST(start_ns + (end_ns - start_ns) * {times} AS BIGINT)"
    trace = misread(imported(name)[0], f"{clock}; {window}", tmp_path / "T.duckdb")
    suspect = json.loads(wastenot("check", str(trace), "--json", *ANEW).stdout)["data_quality"]["suspect"]
    assert [s["check"] for s in suspect] == ["runtime_differs"]
    assert "differ from the kernel's accounts" in suspect[0]["sentence"]


def test_a_suspect_verdict_says_why_and_calls_nothing_certain(
    imported: Callable[[str], tuple[Path, dict[str, Any]]], tmp_path: Path
) -> None:
    trace = misread(imported("two-cpus.part")[0], PREEMPTED_AS_ASLEEP, tmp_path / "T.duckdb")
    done = wastenot("check", str(trace), *ANEW)
    text = " ".join(done.stdout.split())
    assert text.startswith("suspect: threads that slept ran ")
    assert "nothing of it is certain" in text or "not certain" in text
    assert "certain nothing, see data quality" in text
    assert "- suspect: threads that slept ran " in text


def test_an_input_past_what_the_readers_know_is_unverified(
    imported: Callable[[str], tuple[Path, dict[str, Any]]], tmp_path: Path
) -> None:
    later = "UPDATE trace SET unverified = ['LTTng-modules 9.1 is later than 2.15']"
    trace = misread(imported("guest-6.1/wasted")[0], later, tmp_path / "T.duckdb")
    done = wastenot("check", str(trace), *ANEW)
    text = " ".join(done.stdout.split())
    assert text.startswith("unverified: LTTng-modules 9.1 is later than 2.15. As reconstructed, ")
    assert "certain nothing, see data quality" in text
    verdict = json.loads(wastenot("check", str(trace), *ANEW, "--json").stdout)
    assert verdict["data_quality"]["unverified"] == ["LTTng-modules 9.1 is later than 2.15"]
    assert [s["check"] for s in verdict["data_quality"]["suspect"]] == ["unverified"]


Tables = dict[str, pa.Table]


@cache
def simulated(name: str) -> Tables:
    """The tables of a shipped scenario."""
    batches: dict[str, list[pa.Table]] = {}

    def emit(table: str, stream: Any) -> None:
        batches.setdefault(table, []).append(pa.RecordBatchReader.from_stream(stream).read_all())

    replay.simulate(SCENARIOS[name], emit=emit)
    return {table: pa.concat_tables(parts) for table, parts in batches.items()}


def suspect(tables: Tables) -> dict[str, int]:
    """The self-checks above their threshold, with their shares in millionths."""
    found: list[dict[str, Any]] = []

    def emit(table: str, stream: Any) -> None:
        if table == "data_quality":
            found.extend(pa.RecordBatchReader.from_stream(stream).read_all().to_pylist())

    checker.check({name: table.to_reader() for name, table in tables.items()}, CheckOptions().to_json(), emit)
    return {row["detail"]: row["value"] for row in found if row["what"] == "suspect"}


@pytest.mark.parametrize("name", sample(sorted(SCENARIOS), 4))
def test_no_simulated_kernel_is_suspect(name: str) -> None:
    assert suspect(simulated(name)) == {}


def misread_states(tables: Tables, of: tuple[str, ...], to: str, every: int = 1) -> Tables:
    """The tables with these states taken for another, of every n-th thread."""
    switches = tables["sched_switch"]
    states, tids = switches["prev_state"], switches["prev_tid"]
    concerned = pc.is_in(states, value_set=pa.array([STATES.index(state) for state in of], pa.uint8()))
    some = pc.equal(pc.subtract(tids, pc.multiply(pc.divide(tids, every), every)), 0)
    wrong = pa.scalar(STATES.index(to), pa.uint8())
    changed = pc.if_else(pc.and_(concerned, some), wrong, states)
    place = switches.schema.get_field_index("prev_state")
    return {**tables, "sched_switch": switches.set_column(place, switches.schema.field(place), changed)}


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("name", ["ordinary", "make", "database", "pipeline"])
def test_sleeping_threads_taken_for_preempted_are_suspect(name: str, every: int) -> None:
    found = suspect(misread_states(simulated(name), ("S", "D", "I"), "R+", every))
    assert {"idle_picked_with_queue", "woken_while_queued"} & found.keys()


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("name", ["ordinary", "make", "database"])
def test_preempted_threads_taken_for_asleep_are_suspect(name: str, every: int) -> None:
    assert "ran_without_wakeup" in suspect(misread_states(simulated(name), ("R", "R+"), "S", every))


@pytest.mark.parametrize(("every", "state"), [(1, "X"), (4, "Z")])
@pytest.mark.parametrize("name", ["ordinary", "make", "database"])
def test_preempted_threads_taken_for_dead_are_suspect(name: str, every: int, state: str) -> None:
    assert "ran_after_death" in suspect(misread_states(simulated(name), ("R", "R+"), state, every))

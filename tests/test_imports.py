"""The real traces of fixtures/traces, imported as a user would: every event counted, and the verdict that is true."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from wastenot.analyzer import open_trace

TRACES = Path(__file__).parents[1] / "fixtures" / "traces"

EVENTS = (
    "sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task", "sched_process_fork",
    "sched_process_exec", "sched_process_exit",
)  # fmt: skip
STORED = (
    "sched_switch", "sched_waking", "sched_wakeup WHERE NOT is_new", "sched_wakeup WHERE is_new", "sched_migrate_task",
    "process_fork", "process_exec", "process_exit",
)  # fmt: skip
"""Where the rows of the events are, in the same order."""

READ = {
    # In the order of EVENTS, by babeltrace2, trace-cmd report and perf script --show-task-events (perf's records FORK,
    # EXIT and COMM exec count as the events they report where those were not recorded).
    "guest-6.1/normal": (14326, 7605, 7604, 112, 5778, 56, 4, 56),
    "guest-6.1/pinned": (693, 171, 171, 22, 24, 11, 4, 11),
    "guest-6.1/wasted": (794, 253, 252, 28, 28, 14, 8, 14),
    "guest-6.1/hotplug": (1509, 619, 640, 36, 226, 18, 6, 18),
    "guest-6.12/normal": (2797, 1635, 1635, 112, 1184, 56, 4, 56),
    "guest-6.12/pinned": (758, 169, 168, 22, 26, 11, 4, 11),
    "guest-6.12/hotplug": (1452, 568, 567, 32, 162, 16, 6, 19),
    "guest-6.1/trace.dat": (86, 0, 46, 8, 12, 0, 0, 0),
    "guest-6.1/perf.data": (179, 0, 0, 8, 19, 9, 1, 9),
    "guest-6.1/perf-sched.data": (248, 117, 0, 8, 17, 8, 1, 9),
}

CTF = [name for name in READ if "." not in name.split("/")[1]]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Path, dict[str, Any], str]]:
    """Imports a fixture with some options, once: the trace, the verdict's object, and what stderr said."""
    folder = tmp_path_factory.mktemp("imports")

    @cache
    def run(name: str, *options: str) -> tuple[Path, dict[str, Any], str]:
        target = folder / f"{name.replace('/', '-')}-{abs(hash(options))}.duckdb"
        command = [sys.executable, "-m", "wastenot.cli", "import", str(TRACES / name), "-o", str(target), "--json"]
        command += options
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return target, json.loads(done.stdout), done.stderr

    return run


@pytest.mark.parametrize("name", READ)
def test_every_event_is_counted_and_every_copy_dropped(
    imported: Callable[..., tuple[Path, dict[str, Any], str]], name: str
) -> None:
    path, verdict, _ = imported(name)
    with open_trace(path) as trace:
        options = json.loads(trace.sql("SELECT options FROM trace").one()["options"])
        stored = [trace.sql(f"SELECT count(*) AS n FROM {table}").one()["n"] for table in STORED]
        unseen = trace.sql("SELECT count(*) AS n FROM run_span").one()["n"]
        accounts = trace.sql("SELECT count(*) AS n FROM sched_stat_runtime").one()["n"]
        idle_states = trace.sql("SELECT count(*) AS n FROM cpu_idle").one()["n"]
    assert accounts == options["read"].pop("sched_stat_runtime", 0), "none is of swapper, none was recorded twice"
    assert idle_states == options["read"].pop("cpu_idle", 0) and (idle_states > 1000) == (name in CTF)
    assert Counter(options["read"]) == Counter(dict(zip(EVENTS, READ[name], strict=True)))
    assert unseen == 0, "every run begins with a switch"
    assert options["garbled"] == 0
    twice = {"sched_wakeup_new", "sched_migrate_task"} if name in CTF else set()
    expected = [n // 2 if event in twice else n for event, n in zip(EVENTS, READ[name], strict=True)]
    assert stored == expected
    assert options["duplicates"] == sum(READ[name]) - sum(expected)
    assert verdict["data_quality"]["rejected"] == {}


@pytest.mark.parametrize(
    ("name", "wall_s", "idle_while_waiting", "excused"),
    [("normal", 1.431, 1.777, 1.701), ("pinned", 2.068, 12.091, 12.089), ("wasted", 2.556, 9.949, 9.918)],
)
def test_core_seconds_are_those_of_an_obvious_slow_program(
    imported: Callable[..., tuple[Path, dict[str, Any], str]],
    name: str,
    wall_s: float,
    idle_while_waiting: float,
    excused: float,
) -> None:
    path, verdict, _ = imported(f"guest-6.1/{name}")
    wasted = verdict["wasted"]
    assert wasted["idle_while_waiting_core_s"] == pytest.approx(idle_while_waiting, rel=0.01)
    assert wasted["core_s"] == pytest.approx(excused, rel=0.01)
    with open_trace(path) as trace:
        assert trace.metric("verdict").one()["wall_idle_while_waiting_ns"] / 1e9 == pytest.approx(wall_s, rel=0.01)


def test_offline_time_is_not_idle(imported: Callable[..., tuple[Path, dict[str, Any], str]]) -> None:
    _, verdict, _ = imported("guest-6.1/hotplug")
    assert verdict["wasted"]["idle_while_waiting_core_s"] == pytest.approx(0.982, rel=0.01)
    assert verdict["wasted"]["core_s"] == pytest.approx(0.306, rel=0.01)


def test_pinned_threads_are_excused_once_their_mask_is_declared(
    imported: Callable[..., tuple[Path, dict[str, Any], str]],
) -> None:
    _, verdict, _ = imported("guest-6.1/pinned", "--affinity", "*=0-7", "--affinity", "hog=0-1")
    wasted = verdict["wasted"]
    assert wasted["idle_while_waiting_core_s"] == pytest.approx(12.091, rel=0.01)
    assert wasted["certain_core_s"] < 0.01 * wasted["idle_while_waiting_core_s"]
    assert wasted["excused_core_s"]["affinity"] > 0.98 * wasted["idle_while_waiting_core_s"]


def test_waste_is_certain_once_the_masks_are_declared(
    imported: Callable[..., tuple[Path, dict[str, Any], str]],
) -> None:
    _, verdict, _ = imported("guest-6.1/wasted", "--affinity", "*=0-7")
    assert verdict["wasted"]["certain_core_s"] == pytest.approx(9.92, rel=0.01)


@pytest.mark.parametrize("name", ["guest-6.1/pinned", "guest-6.1/wasted", "guest-6.12/pinned"])
def test_without_masks_the_verdict_says_what_it_rests_on(
    imported: Callable[..., tuple[Path, dict[str, Any], str]], name: str
) -> None:
    path, verdict, _ = imported(name)
    with open_trace(path) as trace:
        text = " ".join(str(trace.verdict()).split())
    assert verdict["wasted"]["certain_core_s"] < 0.05 * verdict["wasted"]["core_s"]
    assert verdict["data_quality"]["unknown_mask_threads"] > 8
    assert "with unknown affinity may run on any CPU" in text
    pinned = {p["name"]: p["cpus"] for p in verdict["data_quality"]["looks_pinned"]}
    cpus = [0, 1] if "pinned" in name else [0, 1, 2, 3]
    assert pinned["hog"] == cpus
    assert f"looks pinned to CPU 0-{cpus[-1]}" in text and f"--affinity hog=0-{cpus[-1]}" in text


def test_migrations_have_stacks_named_by_the_symbols_beside_the_trace(
    imported: Callable[..., tuple[Path, dict[str, Any], str]],
) -> None:
    for name in ("guest-6.1/normal", "guest-6.12/normal", "guest-6.1/trace.dat", "guest-6.1/perf.data"):
        path, verdict, _ = imported(name)
        with open_trace(path) as trace:
            stacks = trace.sql(
                "SELECT s.symbols FROM sched_migrate_task m JOIN stack s USING (stack_id) WHERE len(s.symbols) > 0"
            ).rows()
            moves = trace.sql("SELECT count(*) AS n FROM sched_migrate_task").one()["n"]
        assert len(stacks) >= 0.9 * moves, name
        assert verdict["trace"]["evidence_level"] in ("L1", "L2")
        first = Counter(row["symbols"][0].split("+")[0] for row in stacks)
        assert set(first) <= {"set_task_cpu"}, (name, first)
        movers = {"load_balance", "sched_balance_rq", "try_to_wake_up", "wake_up_new_task", "sched_exec"}
        assert any(movers & {s.split("+")[0] for s in row["symbols"]} for row in stacks), name


HIDDEN = [
    "busy-100 [000] 0.999999: sched_stat_runtime: comm=busy pid=100 runtime=2000000 [ns]",
    "busy-100 [000] 1.000000: sched_switch: prev_comm=busy prev_pid=100 prev_prio=120 prev_state=R ==> "
    "next_comm=busy next_pid=101 next_prio=120",
    "other-7 [001] 1.000000: sched_switch: prev_comm=other prev_pid=7 prev_prio=120 prev_state=S ==> "
    "next_comm=swapper/1 next_pid=0 next_prio=120",
    "other-7 [001] 1.008000: sched_stat_runtime: comm=other pid=7 runtime=2000000 [ns]",
    "other-7 [001] 1.009000: sched_switch: prev_comm=other prev_pid=7 prev_prio=120 prev_state=S ==> "
    "next_comm=swapper/1 next_pid=0 next_prio=120",
    "busy-101 [000] 1.010000: sched_switch: prev_comm=busy prev_pid=101 prev_prio=120 prev_state=R ==> "
    "next_comm=busy next_pid=100 next_prio=120",
]
"""CPU 1 runs thread 7 for the last 3 of 9 ms; no event wakes it and no switch leads to it."""


@pytest.mark.parametrize(("accounts", "idle_while_waiting_ms"), [(True, 7), (False, 9)])
def test_a_run_without_a_switch_is_known_by_the_kernels_account_of_it(
    tmp_path: Path, accounts: bool, idle_while_waiting_ms: int
) -> None:
    source, target = tmp_path / "trace.txt", tmp_path / "t.duckdb"
    lines = [line for line in HIDDEN if accounts or "stat_runtime" not in line]
    source.write_text("\n".join(f"    {line}" for line in lines) + "\n")
    command = [sys.executable, "-m", "wastenot.cli", "import", str(source), "-q", "-o", str(target)]
    subprocess.run(command, timeout=60, check=True, capture_output=True)
    with open_trace(target) as trace:
        text = " ".join(str(trace.verdict()).split())
        idle_while_waiting = trace.sql("SELECT sum(idle_while_waiting * dur_ns)::BIGINT AS n FROM wasted").one()["n"]
    assert idle_while_waiting == idle_while_waiting_ms * 1_000_000
    assert ("missing_idle_exit 1" in text) == accounts
    assert ("sched_stat_runtime, recorded as well, shows when" in text) != accounts


@pytest.mark.parametrize("kind", ["parquet", "csv", "perfetto"])
def test_an_export_gives_the_same_verdict(
    imported: Callable[..., tuple[Path, dict[str, Any], str]], tmp_path: Path, kind: str
) -> None:
    path, verdict, _ = imported("guest-6.1/wasted", "--affinity", "*=0-7")
    command = [sys.executable, "-m", "wastenot.cli"]
    out, again = tmp_path / "out", tmp_path / "again.duckdb"
    subprocess.run([*command, "export", str(path), "--to", kind, "-o", str(out)], check=True, timeout=120)
    done = subprocess.run(
        [*command, "import", str(out), "-o", str(again), "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for part in ("wasted", "episodes", "causes", "worst", "data_quality"):
        assert found[part] == verdict[part], part

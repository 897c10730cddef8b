"""The wait ledger of this very kernel, in situations whose reason is known. Needs root, eBPF and a cpu controller.

What runs here besides the situation (`foreign`: other cgroups, kernel threads, CPUs on their way out of idle) is not
counted for or against it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from run_delays import run_delays, waits_by_thread
from wastenot._native import collector
from wastenot.analyzer import Trace, open_trace

HERE = Path(__file__).parent
SECONDS = 2.0
Spans = list[tuple[int, int]]
V1, V2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
pytestmark = [
    pytest.mark.skipif(
        "WASTENOT_TEST_WATCH" not in os.environ, reason="needs a machine at rest; `make test-watch` runs it"
    ),
    pytest.mark.skipif(json.loads(collector.doctor())["source"] != "ebpf", reason="`wastenot doctor`: no eBPF here"),
    pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="a neighbour on another CPU needs two"),
]


@dataclass
class Cgroups:
    """Cgroups of the cpu controller, made for a test."""

    root: Path
    is_v1: bool
    made: dict[str, Path] = field(default_factory=dict)

    def make(self, name: str) -> Path:
        folder = self.made[name] = self.root / f"wastenot-ledger-{name}"
        folder.mkdir(exist_ok=True)
        # Much more than what others of the machine have, so that these run.
        (folder / ("cpu.shares" if self.is_v1 else "cpu.weight")).write_text("262144" if self.is_v1 else "10000")
        return folder

    def limit(self, name: str, quota_us: int, period_us: int) -> None:
        folder = self.made[name]
        if self.is_v1:
            (folder / "cpu.cfs_period_us").write_text(str(period_us))
            (folder / "cpu.cfs_quota_us").write_text(str(quota_us))
        else:
            (folder / "cpu.max").write_text(f"{quota_us} {period_us}")


@pytest.fixture
def cgroups() -> Iterator[Cgroups]:
    is_v1 = (V1 / "cpu.shares").exists()
    if not is_v1 and "cpu" not in (V2 / "cgroup.subtree_control").read_text().split():
        pytest.skip("no cpu controller of cgroups here")
    found = Cgroups(V1 if is_v1 else V2, is_v1)
    yield found
    for folder in found.made.values():
        folder.rmdir()


def busy(
    folder: Path, cpu: int, *, duty_ms: tuple[float, float] | None = None, fifo: bool = False, sends: bool = False
) -> dict[str, Any]:
    return {"folders": [str(folder)], "cpus": [cpu], "duty_ms": duty_ms, "fifo": fifo, "sends": sends}


def record(folder: Path, specs: list[dict[str, Any]]) -> Trace:
    out = folder / "T.duckdb"
    command = [sys.executable, str(HERE / "cgroup_workload.py"), str(SECONDS), json.dumps(specs)]
    ran = subprocess.run(
        [sys.executable, "-m", "wastenot.cli", "record", "-q", "-o", str(out), "--", *command],
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    trace = open_trace(out)
    assert all(row["holds"] for row in trace.metric("check_sums"))
    return trace


def waits(trace: Trace, cgroups: Cgroups, name: str) -> dict[str, int]:
    """ns by reason, with the excuse or the name of a cgroup of the test; `foreign` is what others did."""
    names = {f"/{folder.name}": own for own, folder in cgroups.made.items()}
    found: dict[str, int] = {}
    for row in trace.cgroup_waits():
        if names.get(row["cgroup"]) != name:
            continue
        culprit = names.get(row["culprit"])
        is_foreign = row["reason"] in ("kernel_threads", "wakeup_latency") or (
            row["reason"] in ("neighbour", "rt_dl") and culprit is None
        )
        key = "foreign" if is_foreign else " ".join(filter(None, (row["reason"], row["excuse"], culprit)))
        found[key] = found.get(key, 0) + row["wait_ns"]
    assert sum(found.values()) > 0.1e9 * SECONDS, "the situation makes threads wait"
    return found


def assert_right(found: dict[str, int], *expected: str) -> None:
    known = sum(ns for key, ns in found.items() if key != "foreign")
    share = sum(found.get(key, 0) for key in expected) / known
    shares = ", ".join(f"{key} {ns / 1e6:,.1f} ms" for key, ns in sorted(found.items(), key=lambda item: -item[1]))
    print(f"{' + '.join(expected)}: {share:.4%} of {known / 1e6:,.0f} ms right ({shares})")
    assert share >= 0.99, found
    assert known > 0.02e9 * SECONDS, "not only others of the machine made it wait"


def test_a_cgroup_that_used_up_its_quota_waits_for_it(tmp_path: Path, cgroups: Cgroups) -> None:
    a = cgroups.make("a")
    cgroups.limit("a", 20_000, 100_000)
    assert_right(waits(record(tmp_path, [busy(a, 0)]), cgroups, "a"), "own_quota")


@pytest.mark.parametrize(("workload", "threads"), [("busy", 6), ("pinned", 4), ("released", 4)])
def test_the_sums_are_those_that_the_kernel_counts(tmp_path: Path, workload: str, threads: int) -> None:
    compare_with_kernel(tmp_path, workload, threads)


def test_the_sum_of_threads_without_quota_is_that_of_the_kernel(tmp_path: Path, cgroups: Cgroups) -> None:
    folder = cgroups.make("a")
    cgroups.limit("a", 40_000, 100_000)
    compare_with_kernel(tmp_path, "busy", 4, "sh", "-c", f'echo $$ > {folder}/cgroup.procs && exec "$@"', "sh")


def compare_with_kernel(folder: Path, workload: str, threads: int, *within: str) -> None:
    out, delays = folder / "T.duckdb", folder / "delays"
    provoke = ["provoke", workload, "--seconds", "4", "--threads", str(threads)]
    command = [sys.executable, "-m", "wastenot.cli"]
    ran = subprocess.run(
        [*command, "record", "-q", "-o", str(out), "--", *within, *command, *provoke],
        capture_output=True, text=True, timeout=180, check=False,
        env={**os.environ, "WASTENOT_RUN_DELAYS": str(delays)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    counted, trace = run_delays(delays), open_trace(out)
    if sum(counted.values()) == 0:
        pytest.skip("this kernel keeps no run_delay (CONFIG_SCHED_INFO)")
    found = waits_by_thread(trace, counted)
    apart = abs(sum(found.values()) - sum(counted.values())) / sum(counted.values())
    print(f"{workload}: {sum(found.values()) / 1e6:,.3f} ms, by the kernel {sum(counted.values()) / 1e6:,.3f} ms")
    assert found.keys() == counted.keys() and len(counted) == threads
    assert apart <= 0.001, f"{apart:.4%}"


def test_two_threads_of_a_cgroup_on_one_cpu_wait_for_each_other(tmp_path: Path, cgroups: Cgroups) -> None:
    a, b = cgroups.make("a"), cgroups.make("b")
    trace = record(tmp_path, [busy(a, 0), busy(a, 0), busy(b, 1)])
    assert_right(waits(trace, cgroups, "a"), "own_threads", *confined_while_idle(trace, cgroups))


def test_a_neighbour_is_named(tmp_path: Path, cgroups: Cgroups) -> None:
    a, b, c = (cgroups.make(name) for name in "abc")
    trace = record(tmp_path, [busy(a, 0), busy(b, 0), busy(c, 1)])
    assert_right(waits(trace, cgroups, "a"), "neighbour b", *confined_while_idle(trace, cgroups))
    assert_right(waits(trace, cgroups, "b"), "neighbour a", *confined_while_idle(trace, cgroups))


def confined_while_idle(trace: Trace, cgroups: Cgroups) -> list[str]:
    """Where CPU 1 idles a little (its thread ends earlier), the threads on CPU 0 are confined by their affinity."""
    return ["confined affinity"] if _overlap(trace, cgroups, "a") > 0 else []


def _waits_of(trace: Trace, where: str, parameters: dict[str, Any]) -> Spans:
    """Times for which threads on a queue wait."""
    return spans(
        trace,
        f"""SELECT s.start_ns, s.start_ns + s.dur_ns AS end_ns
        FROM thread_state s JOIN thread t USING (utid) LEFT JOIN cgroup g USING (cgroup_id)
        WHERE thread_phase_name(s.phase) IN ('runnable', 'preempted') AND {where} AND s.dur_ns > 0""",
        parameters,
    )


def _overlap(trace: Trace, cgroups: Cgroups, name: str) -> int:
    """Time for which a thread of the cgroup waited on CPU 0 while CPU 1 was idle, ns, by slices and states of threads.

    CPU 1 is not idle while a thread is on its queue (a wakeup interrupt is on its way) or while it does interrupt work,
    and is not left over while it is matched to a thread that may use it.
    """
    waits = _waits_of(trace, "s.cpu = 0 AND g.path = $path", {"path": f"/{cgroups.made[name].name}"})
    idle = spans(trace, "SELECT start_ns, start_ns + dur_ns AS end_ns FROM cpu_slice WHERE cpu = 1 AND utid = 0")
    taken = (
        *_waits_of(trace, "s.cpu = 1", {}),
        *spans(trace, "SELECT ts_ns AS start_ns, ts_ns + dur_ns AS end_ns FROM irq_span WHERE cpu = 1"),
        *spans(trace, "SELECT start_ns, start_ns + dur_ns AS end_ns FROM wasted WHERE wasted > 0"),
    )
    return covered([(waits, 1), (idle, 1), (taken, -2)], 2)


def spans(trace: Trace, query: str, parameters: dict[str, Any] | None = None) -> Spans:
    return [(row["start_ns"], row["end_ns"]) for row in trace.sql(query, parameters or {})]


def covered(weighted: list[tuple[Iterable[tuple[int, int]], int]], least: int) -> int:
    """Time for which the sum of the weights, each counted once however many spans of it are open, is at least that."""
    edges = sorted(
        (at, which, step)
        for which, (found, _) in enumerate(weighted)
        for span in found
        for at, step in zip(span, (1, -1), strict=True)
    )
    depth, sum_ns, last = [0] * len(weighted), 0, 0
    for at, which, step in edges:
        if sum(weight for open_spans, (_, weight) in zip(depth, weighted, strict=True) if open_spans) >= least:
            sum_ns += at - last
        depth[which] += step
        last = at
    return sum_ns


def test_pinned_threads_are_confined_while_the_other_cpus_idle(tmp_path: Path, cgroups: Cgroups) -> None:
    a = cgroups.make("a")
    trace = record(tmp_path, [busy(a, 0), busy(a, 0)])
    found = waits(trace, cgroups, "a")
    idle_ns = _overlap(trace, cgroups, "a")
    print(f"confined {found.get('confined affinity', 0) / 1e6:,.1f} ms, beside an idle CPU {idle_ns / 1e6:,.1f} ms")
    assert_right(found, "confined affinity", "own_threads")
    if idle_ns < 10_000_000:
        pytest.skip("others of this machine left CPU 1 no time to idle")
    if (os.cpu_count() or 1) == 2:
        # One waits, beside one other CPU: while that idles, it is confined.
        assert found.get("confined affinity", 0) == pytest.approx(idle_ns, rel=0.01)


def test_a_real_time_thread_is_distinguished_from_a_neighbour(tmp_path: Path, cgroups: Cgroups) -> None:
    a, b, c = (cgroups.make(name) for name in "abc")
    if cgroups.is_v1 and (b / "cpu.rt_runtime_us").exists():
        (b / "cpu.rt_runtime_us").write_text("500000")
    trace = record(tmp_path, [busy(a, 0), busy(b, 0, duty_ms=(5, 5), fifo=True), busy(c, 1)])
    assert_right(waits(trace, cgroups, "a"), "rt_dl b", *confined_while_idle(trace, cgroups))


@dataclass
class Interrupts:
    """Interrupt work of CPU 0 that takes longer than 20 us, as the kernel's own trace buffer has it."""

    folder: Path

    def start(self) -> None:
        (self.folder / "trace_clock").write_text("mono")
        (self.folder / "buffer_size_kb").write_text("65536")
        (self.folder / "tracing_cpumask").write_text("1")
        for event in ("irq_handler_entry", "irq_handler_exit", "softirq_entry", "softirq_exit"):
            (self.folder / f"events/irq/{event}/enable").write_text("1")

    def spans(self) -> Spans:
        """Parts that follow each other within a microsecond are one."""
        found: list[list[int]] = []
        depth = 0
        for line in (self.folder / "trace").read_text().splitlines():
            match = re.search(r"\s(\d+)\.(\d{6}): (?:irq_handler|softirq)_(entry|exit)", line)
            if match is None:
                continue
            at = int(match[1]) * 1_000_000_000 + int(match[2]) * 1000
            depth = max(0, depth + (1 if match[3] == "entry" else -1))
            if match[3] == "entry" and depth == 1:
                if found and at - found[-1][1] <= 1000:
                    continue
                found.append([at, at])
            elif depth == 0 and found:
                found[-1][1] = at
        return [(start, end) for start, end in found if end - start > 20_000]


@pytest.fixture
def interrupts() -> Iterator[Interrupts]:
    """Packets that this machine sends to itself arrive on CPU 0; what that takes there is traced."""
    queue, instance = (
        Path("/sys/class/net/lo/queues/rx-0/rps_cpus"),
        Path("/sys/kernel/tracing/instances/wastenot-test"),
    )
    if not queue.exists():
        pytest.skip("this kernel cannot have packets received on another CPU (CONFIG_RPS)")
    try:
        instance.mkdir()
    except OSError as error:
        pytest.skip(f"no trace buffer can be made here: {error}")
    was = queue.read_text()
    queue.write_text("1")
    yield Interrupts(instance)
    queue.write_text(was)
    instance.rmdir()


def test_interrupts_that_keep_a_cpu_from_its_threads(tmp_path: Path, cgroups: Cgroups, interrupts: Interrupts) -> None:
    a, b = cgroups.make("a"), cgroups.make("b")
    interrupts.start()
    trace = record(tmp_path, [busy(a, 0), busy(a, 0), busy(b, 1, sends=True)])
    found = waits(trace, cgroups, "a")
    assert_right(found, "own_threads", "interrupts", *confined_while_idle(trace, cgroups))
    wait_ns = covered(
        [(_waits_of(trace, "s.cpu = 0 AND g.path = $path", {"path": f"/{a.name}"}), 1), (interrupts.spans(), 1)], 2
    )
    print(f"interrupts {found.get('interrupts', 0) / 1e6:,.1f} ms, by the kernel's buffer {wait_ns / 1e6:,.1f} ms")
    assert wait_ns > 10_000_000, "the packets make interrupt work"
    assert found.get("interrupts", 0) == pytest.approx(wait_ns, rel=0.02)


def test_released_threads_wait_avoidably_until_the_idle_cpu_takes_one(tmp_path: Path) -> None:
    out = tmp_path / "T.duckdb"
    command = [sys.executable, str(HERE / "workload.py"), "released", "3"]
    ran = subprocess.run(
        [sys.executable, "-m", "wastenot.cli", "record", "-q", "-o", str(out), "--", *command],
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    trace = open_trace(out)
    assert all(row["holds"] for row in trace.metric("check_sums"))
    ns = sum(row["wait_ns"] for row in trace.cgroup_waits() if row["reason"] == "avoidable")
    assert ns == trace.metric("verdict").one()["wasted_ns"]

"""Deadlines of the guest rig: what is true of each scenario, by what the tasks logged of themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rig_captures import FRESH, Capture
from wastenot.analyzer.deadlines import Deadlines, find_deadlines, parse_task
from wastenot.analyzer.text.deadlines import main_loss, reservation_words


@dataclass(frozen=True)
class LoggedJob:
    """A job as its task logged it, ns on CLOCK_MONOTONIC."""

    release_ns: int
    end_ns: int


def logged_jobs(c: Capture) -> dict[str, list[LoggedJob]]:
    """What the tasks of a capture logged, by name (fixtures/rig/programs/deadline_task.c)."""
    assert c.part
    log = c.part.parent / "deadlines.txt" if FRESH else c.part.parent / f"{c.part.stem}.deadlines.txt"
    jobs: dict[str, list[LoggedJob]] = {}
    for line in log.read_text().splitlines():
        name, release, end = line.split()
        jobs.setdefault(name, []).append(LoggedJob(int(release), int(end)))
    return jobs


TICK_NS = 4_000_000
CLEAR_NS = 1_000_000
"""A deadline counts from when the kernel woke the task, in the log from when it was to be woken."""


def compare_with_log(c: Capture, *declared: str) -> Deadlines:
    """The deadlines of a capture, whose jobs and misses are those that the tasks logged; of threads of other classes
    those of `--task`."""
    found = find_deadlines(c.trace, [parse_task(text) for text in declared])
    logged = logged_jobs(c)
    tasks = {task["name"]: task for task in found.tasks}
    assert set(logged) == set(tasks)
    rows = sorted(found.jobs.rows(), key=lambda job: job["activation_ns"])
    for name, log in logged.items():
        first_ns = min(job.release_ns for job in log)
        # A task sleeps once more before it leaves its class, and one of another class leaves none.
        last_ns = max(job.release_ns for job in log) + tasks[name]["period_ns"] - CLEAR_NS
        jobs = [j for j in rows if j["utid"] == tasks[name]["utid"] and first_ns <= j["activation_ns"] < last_ns]
        assert len(jobs) == len(log), f"{name}: {len(jobs)} jobs, {len(log)} logged"
        for job, of_log in zip(jobs, sorted(log, key=lambda job: job.release_ns), strict=True):
            woken_ns = job["activation_ns"] - of_log.release_ns
            assert -CLEAR_NS < woken_ns < tasks[name]["period_ns"], name
            assert job["end_ns"] > of_log.end_ns > job["activation_ns"], name
            late_ns = of_log.end_ns - of_log.release_ns - tasks[name]["deadline_ns"]
            assert job["missed"] == (late_ns > 0) or abs(late_ns) < woken_ns + CLEAR_NS, (name, late_ns, job)
    return found


def deadlines_met(c: Capture) -> None:
    """Three SCHED_DEADLINE threads far below the bound: none misses, and the scheduler keeps to global EDF."""
    found = compare_with_log(c)
    r = found.report
    assert r["parameters"]["recorded"] and not r["parameters"]["undescribed"]
    assert {task["name"]: reservation_words(task) for task in found.tasks} == {
        "dl-short": "200/400/400 ms", "dl-long": "600/1600/1600 ms", "dl-half": "300/600/800 ms",
    }  # fmt: skip
    assert (r["missed"], r["overruns"], r["jobs"]) == (0, 0, 18)
    assert r["edf"]["checked"] and r["edf"]["violations"] == 0 and r["edf"]["outside_mask"] == 0
    (root,) = r["root_domains"]
    assert root["cpus"] == list(range(c.cpus)) and root["bound_exceeded"] is False and root["tests"]["global_density"]


def deadlines_missed(c: Capture) -> None:
    """Each task misses for the reason that its name says, and every miss is blamed for it."""
    found = compare_with_log(c)
    misses = dict.fromkeys(BLAMED, 0)
    for task in found.tasks:
        fault = BLAMED.get(task["name"].rstrip("-12"))
        if fault is None:
            assert task["missed"] == 0, task
            continue
        assert task["missed"] == task["faults"][fault], (task["name"], task["faults"])
        misses[task["name"].rstrip("-12")] += task["missed"]
    assert all(count >= 2 for count in misses.values()), misses
    listed = {miss["thread"]["name"]: miss for miss in found.report["misses"]}
    assert main_loss(listed["dl-blocked"]).startswith("blocked ")
    assert "dl-overload-2" in main_loss(listed["dl-overload-1"]) and listed["dl-overload-1"]["cpus"] == [1]
    assert listed["dl-dhall"]["cpus"] == [4, 5] and listed["dl-dhall"]["needed"] < 1
    assert found.report["edf"]["outside_mask"] == 0


BLAMED = {
    "dl-overrun": "own_overrun", "dl-overload": "overload", "dl-blocked": "interference", "dl-dhall": "not_guaranteed",
}  # fmt: skip


def deadlines_passed_over(c: Capture) -> None:
    """Without push and without pull a thread waits beside a CPU for it: its misses are the scheduler's. With them there
    are none."""
    found = compare_with_log(c)
    for task in found.tasks:
        is_hit = task["name"] in ("dl-pushed-never", "dl-pulled-never")
        assert task["missed"] == task["faults"]["scheduler"] == (3 if is_hit else 0), (task["name"], task["faults"])
    on = min(job.release_ns for name, log in logged_jobs(c).items() if name.endswith("-never") for job in log)
    edf = found.report["edf"]
    violations = [one for one in edf["longest"] if one["end_ns"] - one["start_ns"] > TICK_NS]
    assert edf["checked"] and edf["violations"] == len(violations) >= 6
    assert all(one["start_ns"] > on and one["thread"]["name"].endswith("ed-never") for one in violations)
    for miss in found.report["misses"]:
        assert miss["alone"] and miss["spent_ns"]["passed_over"] > miss["tardiness_ns"]


def deadlines_contention(c: Capture) -> None:
    """Declared tasks of SCHED_FIFO and of the fair class miss as other threads of their class have their CPU."""
    found = compare_with_log(
        c, "rt-urgent=700ms/900ms/2s", "rt-late=400ms/700ms/2s", "*-alone=400ms/900ms/2s", "fair-late=400ms/700ms/2s"
    )
    kept_by = {"rt-late": "rt-urgent", "fair-late": "busy-"}
    for task in found.tasks:
        assert task["parameters"] == "declared" and not task["is_deadline_class"]
        expected = 4 if task["name"] in kept_by else 0
        assert task["missed"] == task["faults"]["contention"] == expected, (task["name"], task["faults"])
    assert len(found.report["misses"]) == 8 and not found.report["edf"]["checked"]
    for miss in found.report["misses"]:
        assert miss["alone"] and kept_by[miss["thread"]["name"]] in main_loss(miss)


def deadlines_interrupts(c: Capture) -> None:
    """A thread on a CPU that receives packets all the time misses as softirqs have its CPU (vector 3: NET_RX)."""
    found = compare_with_log(c)
    tasks = {task["name"]: task for task in found.tasks}
    assert tasks["dl-quiet"]["missed"] == 0
    assert tasks["dl-flooded"]["missed"] == tasks["dl-flooded"]["faults"]["interference"] >= 2, tasks["dl-flooded"]
    for miss in found.report["misses"]:
        if miss["thread"]["name"] == "dl-flooded":
            assert main_loss(miss).startswith("interference: softirq 3 on CPU 6, ")
            packets_ns = sum(by["dur_ns"] for by in miss["kept_by"] if (by["irq_kind"], by["vector"]) == ("softirq", 3))
            waited_ns = miss["end_ns"] - miss["activation_ns"] - miss["spent_ns"]["run"]
            assert packets_ns > 0.7 * waited_ns and packets_ns > 0.4 * miss["tardiness_ns"]
    # This kernel charges interrupts to servers: one runs dry though its job ran for less than its runtime.
    charged = [miss for miss in found.report["misses"] if miss["thread"]["name"] == "dl-charged"]
    expected = ["own_overrun" if ran_s(c, miss) > 0.4 else "interference" for miss in charged]
    assert [miss["fault"] for miss in charged] == expected
    assert "interference" in expected and all(miss["throttles"] for miss in charged)


def ran_s(c: Capture, miss: dict[str, Any]) -> float:
    """For how long the thread of CPU 6 ran in its job, by the tables: its slices without the interrupts in them."""
    start, end = miss["activation_ns"], miss["end_ns"]

    def within(table: str, at: str, more: str) -> float:
        of = f"least({at} + dur_ns, {end}) - greatest({at}, {start})"
        where = f"cpu = 6 AND {at} < {end} AND {at} + dur_ns > {start} {more}"
        return c.number(f"SELECT coalesce(sum({of}), 0) / 1e9 FROM {table} WHERE {where}")

    thread = f"(SELECT utid FROM thread WHERE tid = {miss['thread']['tid']})"
    running = f"""AND EXISTS (FROM cpu_slice s WHERE s.cpu = 6 AND s.utid = {thread}
                  AND s.start_ns <= irq_span.ts_ns AND irq_span.ts_ns < s.start_ns + s.dur_ns)"""
    return within("cpu_slice", "start_ns", f"AND utid = {thread}") - within("irq_span", "ts_ns", running)

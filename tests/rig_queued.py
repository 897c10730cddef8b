"""Truths of scenarios on a kernel that counts what attempts leave for decisions without a tracepoint."""

from __future__ import annotations

from rig_captures import FRESH, Capture


def left(c: Capture) -> dict[str, int]:
    """How many threads attempts left while the capture was made, by decision and whether the CPU had none queued.

    The guest writes the kernel's counts (`sched_faults/left-*`, fixtures/rig/faults) twice: before and after.
    """
    assert c.part
    file = c.part.with_name("left.txt" if FRESH else f"{c.part.stem}.left.txt")
    rows = [line.removeprefix("left-").split(":") for line in file.read_text().splitlines()]
    half = len(rows) // 2
    counts = {
        name: int(after) - int(before) for (name, before), (_, after) in zip(rows[:half], rows[half:], strict=True)
    }
    print(counts)
    return counts


def proxy_execution(c: Capture) -> None:
    """Donors are on the queue of their mutex's owner and sleep: no idle CPU leaves one of them waiting."""
    assert left(c)["blocked-idle"] > 1000
    reader = "name LIKE 'reader-%'"
    blocked, avoidable = (
        c.number(f"SELECT sum({column}) / 1e9 FROM thread WHERE {reader}")
        for column in ("blocked_ns", "avoidable_wait_ns")
    )
    print(f"blocked for {blocked:.3f} s, waited beside idle CPUs for {avoidable:.3f} s")
    assert blocked > 20 and avoidable < 0.02 * blocked
    # Those that are on a queue as the recording begins are seen asleep.
    asleep = f"SELECT count(*) FROM thread_snapshot WHERE {reader} AND state = 3 AND queue"
    assert c.number(f"{asleep} = 2") >= 4 and c.number(f"{asleep} = 1") == 0
    assert c.quality("donor_moves") > 0 and c.quality("migrate_mismatch") == 0
    assert c.quality("nr_running_ghost") > 0 and c.quality("nr_running_short") == 0


def delayed_dequeue(c: Capture) -> None:
    """A thread whose dequeue is delayed sleeps for as long as it asked to (5 ms): what it does on the queue is no wait.

    (The median: one that is preempted on its way to sleep sleeps for less, as its timer runs already.)
    """
    assert left(c)["delayed-idle"] > 5
    slept = c.number("""
        SELECT median(slept) / 1e6 FROM (
            SELECT (lead(ts_ns) OVER (PARTITION BY tid ORDER BY ts_ns) - ts_ns) AS slept, what FROM (
                SELECT ts_ns, prev_tid AS tid, 'sleeps' AS what FROM sched_switch WHERE prev_state = 2
                UNION ALL SELECT ts_ns, tid, 'wakes' FROM sched_wakeup
            ) WHERE tid IN (SELECT tid FROM thread WHERE name LIKE 'napper-%')
        ) WHERE what = 'sleeps'
    """)
    naps = c.number("SELECT sum(sleep_ns) / 1e9 FROM thread WHERE name LIKE 'napper-%'")
    print(f"naps of {slept:.3f} ms (median), {naps:.1f} s in all")
    assert slept > 4.9 and naps > 8
    assert c.quality("nr_running_ghost") > 0 and c.quality("nr_running_short") == 0


def ineligible(c: Capture) -> None:
    """Threads that are not eligible are left where the CPU has others, and never where it has none."""
    counts = left(c)
    assert counts["ineligible-busy"] > 20 and counts["ineligible-idle"] == 0
    assert c.wasted_s < 0.1

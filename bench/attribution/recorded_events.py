"""What a recording has of events, and when threads waited beside wasted CPUs: what the second reading is asked of."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

from wastenot.analyzer import Trace

REALTIME_BELOW = 100
"""Kernel priorities of the real-time and deadline classes: include/linux/sched/prio.h, MAX_RT_PRIO."""
BEFORE_ALL = -(1 << 62)
"""A time before each recording (ns)."""


@dataclass(frozen=True)
class Wait:
    """A thread waits on CPU `queue` in [start, end) ns, while CPU `idle` is wasted, as it is in all of `wasted`."""

    utid: int
    tid: int
    queue: int
    idle: int
    start: int
    end: int
    wasted: tuple[int, int]


@dataclass(frozen=True)
class Timed:
    """Something that happened, or holds from then on."""

    t: int
    what: tuple[Any, ...]


class Timeline:
    """Rows of one kind by a key (a CPU, a thread), in order of time."""

    def __init__(self, rows: Iterable[tuple[object, int, tuple[Any, ...]]]) -> None:
        """Of (key, ns, what)."""
        self._of: defaultdict[object, list[Timed]] = defaultdict(list)
        for key, t, what in rows:
            self._of[key].append(Timed(t, what))

    def last(self, key: object, t: int) -> Timed | None:
        """The last one until `t`."""
        of = self._of[key]
        at = bisect_right(of, t, key=lambda row: row.t)
        return of[at - 1] if at else None

    def first_after(self, key: object, t: int) -> Timed | None:
        """The first one after `t`."""
        of = self._of[key]
        at = bisect_right(of, t, key=lambda row: row.t)
        return of[at] if at < len(of) else None

    def within(self, key: object, start: int, end: int) -> list[Timed]:
        """Those of (start, end)."""
        of = self._of[key]
        return of[bisect_right(of, start, key=lambda row: row.t) : bisect_left(of, end, key=lambda row: row.t)]

    def touching(self, key: object, start: int, end: int) -> list[Timed]:
        """Of what lasts until the time that it names first, those that are under way in [start, end)."""
        before = self.last(key, start)
        under_way = [before] if before and before.what[0] > start else []
        return [*under_way, *self.within(key, start, end)]

    def lasting(self, key: object, start: int, end: int) -> Iterator[tuple[Timed, int]]:
        """What held in [start, end), and for how long (ns)."""
        before = self.last(key, start)
        rows = [*([before] if before else []), *self.within(key, start, end)]
        if not rows:
            return
        for row, until in zip(rows, [*(row.t for row in rows[1:]), end], strict=True):
            yield row, until - max(row.t, start)


class RecordedEvents:
    """The events of a checked trace, table by table."""

    def __init__(self, trace: Trace) -> None:
        """Each table is read when it is first asked for."""
        self._trace = trace

    def _timeline(self, sql: str) -> Timeline:
        """Of rows whose columns are `key`, `t` and what else is to be known."""
        rows = self._trace.sql(sql).rows()
        return Timeline((row.pop("key"), row.pop("t"), tuple(row.values())) for row in rows)

    @cached_property
    def switches(self) -> Timeline:
        """By CPU: the thread that runs from then on, its priority.

        Before the first switch that which this ended; of a CPU without one that of the snapshot.
        """
        return self._timeline(
            f"""
            SELECT key, t, tid, prio FROM (
                SELECT {BEFORE_ALL} AS id, cpu AS key, {BEFORE_ALL} AS t, arg_min(prev_tid, id) AS tid,
                    arg_min(prev_prio, id) AS prio
                FROM sched_switch GROUP BY cpu
                UNION ALL SELECT s.id, s.cpu, {BEFORE_ALL}, s.current_tid, t.prio
                FROM cpu_snapshot s LEFT JOIN thread_snapshot t ON t.tid = s.current_tid
                WHERE s.cpu NOT IN (SELECT cpu FROM sched_switch)
                UNION ALL SELECT id, cpu, ts_ns, next_tid, next_prio FROM sched_switch
            ) ORDER BY id"""
        )

    def idles(self, cpu: int, t: int) -> bool:
        """It was switched to swapper before, and has not left since."""
        row = self.switches.last(cpu, t)
        return row is not None and row.what[0] == 0

    @cached_property
    def switched_to_thread(self) -> Timeline:
        """By CPU."""
        return self._timeline("SELECT cpu AS key, ts_ns AS t FROM sched_switch WHERE next_tid <> 0 ORDER BY id")

    @cached_property
    def runs(self) -> Timeline:
        """By thread: when it was switched to."""
        return self._timeline("SELECT next_tid AS key, ts_ns AS t FROM sched_switch ORDER BY id")

    @cached_property
    def priorities(self) -> Timeline:
        """By thread, as snapshots and switches say."""
        return self._timeline(
            """
            SELECT key, t, prio FROM (
                SELECT tid AS key, ts_ns AS t, prio FROM thread_snapshot
                UNION ALL SELECT next_tid, ts_ns, next_prio FROM sched_switch
                UNION ALL SELECT prev_tid, ts_ns, prev_prio FROM sched_switch
                UNION ALL SELECT tid, ts_ns, prio FROM sched_wakeup
            ) WHERE prio IS NOT NULL ORDER BY t"""
        )

    @cached_property
    def policies(self) -> Timeline:
        """By thread, as snapshots say of it or, where it was created while recording, of its parent then."""
        rows = self._trace.sql(
            """
            SELECT tid, ts_ns, policy_name(policy) AS policy, NULL AS parent_tid FROM thread_snapshot
            UNION ALL SELECT child_tid, ts_ns, NULL, parent_tid FROM process_fork ORDER BY ts_ns"""
        ).rows()
        latest: dict[int, str | None] = {}
        found = []
        for row in rows:
            latest[row["tid"]] = row["policy"] or latest.get(row["parent_tid"])
            found.append((row["tid"], row["ts_ns"], (latest[row["tid"]],)))
        return Timeline(found)

    @cached_property
    def places(self) -> Timeline:
        """By thread: where a sched_ext scheduler put it, and of a local queue the CPU."""
        return self._timeline(
            "SELECT tid AS key, ts_ns AS t, ext_place_name(place) AS place, queue_cpu FROM ext_queue ORDER BY id"
        )

    @cached_property
    def schedulers(self) -> Timeline:
        """By thread: the cgroup whose sched_ext scheduler put it where it is; None: that of all threads did."""
        return self._timeline(
            """
            SELECT q.tid AS key, q.ts_ns AS t, c.cgroup_id
            FROM ext_queue q LEFT JOIN ext_of_cgroup c ON c.tid = q.tid AND c.ts_ns = q.ts_ns ORDER BY q.id"""
        )

    @cached_property
    def accesses(self) -> Timeline:
        """By cgroup and CPU: whether the cgroup's sched_ext scheduler may use it."""
        rows = self._trace.sql("SELECT cgroup_id, for_cpu, ts_ns, may_use FROM ext_access ORDER BY id").rows()
        return Timeline(((row["cgroup_id"], row["for_cpu"]), row["ts_ns"], (row["may_use"],)) for row in rows)

    @cached_property
    def moves(self) -> Timeline:
        """By thread: from which CPU to which."""
        return self._timeline("SELECT tid AS key, ts_ns AS t, orig_cpu, dest_cpu FROM sched_migrate_task ORDER BY id")

    @cached_property
    def kicks(self) -> Timeline:
        """By the CPU that was kicked."""
        return self._timeline("SELECT target_cpu AS key, ts_ns AS t FROM ext_kick ORDER BY id")

    @cached_property
    def calls(self) -> Timeline:
        """By the idle CPU that is called to balance: by a kick, and what for, or its softirq.

        Under None all kicks but those for loads alone.
        """
        rows = self._trace.sql(
            "SELECT target_cpu AS key, ts_ns AS t, kick_kind_name(kind) AS kind FROM balance_kick ORDER BY id"
        ).rows()
        of_all = ((None, row["t"], (row["kind"],)) for row in rows if row["kind"] in {"sent", "sent_to_balance"})
        return Timeline(chain(((row["key"], row["t"], (row["kind"],)) for row in rows), of_all))

    @cached_property
    def due(self) -> Timeline:
        """By CPU: when the kernel held its periodic attempts due."""
        return self._timeline(
            """
            SELECT * FROM (
                SELECT cpu AS key, ts_ns AS t, ts_ns + next_balance_ns AS due FROM newidle_entry
                UNION ALL SELECT target_cpu, ts_ns, ts_ns + next_balance_ns FROM balance_kick
            ) WHERE due IS NOT NULL ORDER BY t"""
        )

    @cached_property
    def searches(self) -> Timeline:
        """By the CPU that asked a sched_ext scheduler in vain."""
        return self._timeline("SELECT for_cpu AS key, ts_ns AS t FROM ext_search ORDER BY id")

    @cached_property
    def bypass(self) -> Timeline:
        """How many bypasses had begun and not ended, from each change on."""
        depth, rows = 0, []
        for row in self._trace.sql("SELECT ts_ns, ext_change_name(change) AS change FROM ext_state ORDER BY id").rows():
            if row["change"] in {"bypass_begin", "bypass_end"}:
                depth = max(0, depth + (1 if row["change"] == "bypass_begin" else -1))
                rows.append((None, row["ts_ns"], (depth,)))
        return Timeline(rows)

    @cached_property
    def ext_states(self) -> Timeline:
        """Whether a scheduler was in charge, and of the threads of its policy alone."""
        return self._timeline(
            """
            SELECT NULL AS key, ts_ns AS t, ext_change_name(change) AS change, partial FROM ext_state
            WHERE ext_change_name(change) IN ('enabled', 'disabled') ORDER BY id"""
        )

    @cached_property
    def attempts(self) -> Timeline:
        """By the CPU that they are for: level of attempts, threads pulled, whether it was about to idle."""
        return self._attempts("true")

    @cached_property
    def looks(self) -> Timeline:
        """The same, without those that ended before they looked, since another CPU was to balance for the group."""
        return self._attempts("""id NOT IN (
            SELECT attempt_id FROM balance_search
            WHERE attempt_id IS NOT NULL AND balance_search_result_name(result) = 'not_made')""")

    def _attempts(self, condition: str) -> Timeline:
        return self._timeline(
            f"""
            SELECT dst_cpu AS key, ts_ns AS t, domain_level, pulled, idle_type_name(idle_type) = 'newly_idle' AS newly
            FROM balance_attempt WHERE domain_level IS NOT NULL AND {condition} ORDER BY ts_ns"""
        )

    @cached_property
    def left(self) -> Timeline:
        """By the CPU that they are for: level of attempts that examined threads, CPU of the queue, and what they left.

        How many threads as cache-hot, for another reason, and since they may not use the CPU.
        """
        return self._timeline(
            """
            SELECT a.dst_cpu AS key, a.ts_ns AS t, a.domain_level, s.src_cpu, s.hot, s.other, s.not_allowed
            FROM balance_search s JOIN balance_attempt a ON a.id = s.attempt_id
            WHERE s.examined > 0 AND a.domain_level IS NOT NULL ORDER BY a.ts_ns"""
        )

    @cached_property
    def kept_in_cache(self) -> Timeline:
        """By the CPU that they are for: level of attempts that left threads in a preferred cache, CPU of the queue."""
        return self._timeline(
            """
            SELECT a.dst_cpu AS key, a.ts_ns AS t, a.domain_level, p.src_cpu
            FROM preferred_llc p JOIN balance_attempt a ON a.id = p.attempt_id
            WHERE p.threads > 0 AND a.domain_level IS NOT NULL ORDER BY a.ts_ns"""
        )

    @cached_property
    def groups(self) -> dict[tuple[int, int, int], list[list[int]]]:
        """By time from which they hold, CPU and level: CPUs of each group."""
        found: defaultdict[tuple[int, int, int], list[list[int]]] = defaultdict(list)
        for row in self._trace.sql("SELECT since_ns, cpu, level, cpus FROM domain_group").rows():
            found[row["since_ns"], row["cpu"], row["level"]].append(row["cpus"])
        return found

    @cached_property
    def placements(self) -> dict[int | None, Timed]:
        """By event: the CPU that chose, thread, CPU that was chosen, the one before, CPUs scanned, flags."""
        rows = self._trace.sql(
            """
            SELECT s.id, s.ts_ns, s.cpu, s.tid, s.chosen_cpu, s.prev_cpu, m.cpus, s.wake_flags
            FROM cpus_scanned s LEFT JOIN mask m USING (mask_id) WHERE s.tid IS NOT NULL"""
        ).rows()
        return {row["id"]: Timed(row["ts_ns"], tuple(row.values())[2:]) for row in rows}

    @cached_property
    def wakings(self) -> Timeline:
        """By thread: when its wakeup began; empty where those alone are recorded that were queued to another CPU."""
        queued_only = "(SELECT coalesce(bool_or(queued_wakings_only), false) FROM trace)"
        return self._timeline(f"SELECT tid AS key, ts_ns AS t FROM sched_waking WHERE NOT {queued_only} ORDER BY id")

    @cached_property
    def caches(self) -> dict[int, frozenset[int]]:
        """By CPU: those that share its last-level cache."""
        rows = self._trace.sql("SELECT cpu, llc FROM cpu WHERE llc >= 0").rows()
        of: defaultdict[int, set[int]] = defaultdict(set)
        for row in rows:
            of[row["llc"]].add(row["cpu"])
        return {row["cpu"]: frozenset(of[row["llc"]]) for row in rows}

    @cached_property
    def _masks(self) -> Timeline:
        return self._timeline(
            """
            SELECT a.tid AS key, a.ts_ns AS t, m.cpus FROM (
                SELECT tid, ts_ns, mask_id FROM thread_snapshot UNION ALL SELECT tid, ts_ns, mask_id FROM affinity
            ) a JOIN mask m USING (mask_id) ORDER BY t"""
        )

    def may_use(self, tid: int, t: int) -> list[int] | None:
        """CPUs that the thread may use then; None: not recorded of it itself."""
        row = self._masks.last(tid, t)
        return row.what[0] if row else None

    @cached_property
    def decided_by(self) -> Timeline:
        """By CPU: what it decided by as it was about to idle."""
        return self._timeline(
            """
            SELECT cpu AS key, ts_ns AS t, overloaded, wakeup_pending, too_short_level, dice
            FROM newidle_entry ORDER BY id"""
        )

    @cached_property
    def domains(self) -> dict[tuple[int, int], list[tuple[int, list[int]]]]:
        """By time from which a set of domains holds and CPU: level and CPUs of each domain, the smallest first."""
        found: defaultdict[tuple[int, int], list[tuple[int, list[int]]]] = defaultdict(list)
        for row in self._trace.sql("SELECT since_ns, cpu, level, span FROM domain WHERE exact ORDER BY level").rows():
            found[row["since_ns"], row["cpu"]].append((row["level"], row["span"]))
        return found

    @cached_property
    def intervals(self) -> dict[tuple[int, int, int], int]:
        """By time from which they hold, CPU and level: the longest balance interval of a domain (ns)."""
        rows = self._trace.sql("SELECT since_ns, cpu, level, max_interval_ns FROM domain WHERE exact").rows()
        return {(row["since_ns"], row["cpu"], row["level"]): row["max_interval_ns"] for row in rows}

    @cached_property
    def cpus(self) -> int:
        """CPUs of the machine."""
        return int(self._trace.sql("SELECT count(*) AS n FROM cpu").rows()[0]["n"])

    @cached_property
    def ranks(self) -> dict[int, int]:
        """Levels of attempts to those of `domain`: recordings of earlier versions have the kernel's own, by rank."""
        known = {level for of in self.domains.values() for level, _ in of}
        rows = self._trace.sql(
            "SELECT DISTINCT domain_level FROM balance_attempt WHERE domain_level IS NOT NULL ORDER BY 1"
        ).rows()
        levels = [row["domain_level"] for row in rows]
        return {level: rank for rank, level in enumerate(levels)} if set(levels) - known else {of: of for of in levels}

    @cached_property
    def tids(self) -> dict[int, int]:
        """Number of each thread."""
        return {row["utid"]: row["tid"] for row in self._trace.sql("SELECT utid, tid FROM thread").rows()}

    @cached_property
    def avoidable_waits(self) -> Timeline:
        """By thread (utid) and CPU: until when."""
        rows = self._trace.sql("SELECT utid, waited_on, start_ns, dur_ns FROM avoidable_wait ORDER BY start_ns").rows()
        return Timeline(((r["utid"], r["waited_on"]), r["start_ns"], (r["start_ns"] + r["dur_ns"],)) for r in rows)

    @cached_property
    def wasted(self) -> Timeline:
        """By CPU: until when it was wasted."""
        rows = self._trace.sql("SELECT cpu, start_ns, dur_ns FROM wasted_cpu ORDER BY start_ns").rows()
        return Timeline((row["cpu"], row["start_ns"], (row["start_ns"] + row["dur_ns"],)) for row in rows)

    def waits(self, utid: int, queue: int, idle: int, start: int, end: int) -> Iterator[Wait]:
        """When the thread waited on that queue, in [start, end), while that CPU was wasted.

        Each place on its own, and what a scheduler decided and what the kernel did without it.
        """
        tid = self.tids[utid]
        for waited in self.avoidable_waits.touching((utid, queue), start, end):
            for wasted in self.wasted.touching(idle, max(start, waited.t), min(end, waited.what[0])):
                time = max(start, waited.t, wasted.t), min(end, waited.what[0], wasted.what[0])
                by_thread = (of.within(tid, *time) for of in (self.places, self.moves))
                changed = (of.t for of in chain(*by_thread, self.bypass.within(None, *time)))
                changes = chain(changed, (t for t in self.domain_times if time[0] < t < time[1]))
                for since, until in pairwise(sorted({*time, *changes})):
                    yield Wait(utid, tid, queue, idle, since, until, (wasted.t, wasted.what[0]))

    def level(self, wait: Wait) -> int | None:
        """The smallest level whose domain has both CPUs, in the set that holds as the wait begins."""
        return next((level for level, span in self.domains_of(wait) if wait.queue in span), None)

    @cached_property
    def domain_times(self) -> list[int]:
        """From when on each set of domains holds, the kernel's own ones."""
        return sorted({t for t, _ in self.domains})

    @cached_property
    def hotplugs(self) -> list[int]:
        """When CPUs went off or on."""
        return [row["ts_ns"] for row in self._trace.sql("SELECT ts_ns FROM cpu_hotplug ORDER BY ts_ns").rows()]

    def since(self, wait: Wait) -> int | None:
        """From when on the domains hold that are in force as the wait begins; None: which do is not known."""
        since = max((t for t in self.domain_times if t <= wait.start), default=None)
        gone = since is not None and any(since < t <= wait.start for t in self.hotplugs)
        return None if gone else since

    def domains_of(self, wait: Wait) -> list[tuple[int, list[int]]]:
        """Those of the idle CPU as the wait begins."""
        since = self.since(wait)
        return [] if since is None else self.domains.get((since, wait.idle), [])

    @cached_property
    def states(self) -> Timeline:
        """By thread (utid): whether it waits, in the checker's reconstruction."""
        rows = self._trace.sql(
            "SELECT utid, start_ns, phase IN (1, 2) AS waits FROM thread_state ORDER BY start_ns"
        ).rows()
        return Timeline((row["utid"], row["start_ns"], (row["waits"],)) for row in rows)

    def before_idle(self, wait: Wait) -> tuple[int, int] | None:
        """From the switch to the thread that ran before the CPU idled, to the switch to idle (ns).

        None: it did not go idle, or the thread did not wait as it did.
        """
        idle = self.switches.last(wait.idle, wait.start)
        before = self.switches.last(wait.idle, idle.t - 1) if idle and idle.what[0] == 0 else None
        state = self.states.last(wait.utid, idle.t) if idle else None
        return (before.t, idle.t) if idle and before and state and state.what[0] else None

    def places_of(self, wait: Wait) -> list[tuple[str, int | None]]:
        """Where it was as the wait began: the place, and of a local queue the CPU at whose queue it was.

        From when it became another CPU's until it is queued there a thread is on its way (move_remote_task_to_local_dsq
        sets its CPU before it is queued): where it was and where it comes to.
        """
        at = self.places.last(wait.tid, wait.start)
        if at is None:
            return []
        place, cpu = at.what
        move = self.moves.last(wait.tid, wait.start)
        later = self.places.first_after(wait.tid, wait.start)
        if move is None or move.t <= at.t or later is None:
            return [(place, cpu)]
        origin, target = move.what
        return [(place, target if cpu == origin else cpu), (later.what[0], later.what[1])]

    def realtime_share(self, cpu: int, start: int, end: int) -> float:
        """Of [start, end), the share in which the CPU ran threads of the real-time or deadline class."""
        return self._share(cpu, start, end, lambda tid, prio: tid and prio is not None and prio < REALTIME_BELOW)

    def lower_share(self, cpu: int, start: int, end: int) -> float:
        """Of [start, end), the share in which the CPU ran threads of other classes, or none."""
        return self._share(cpu, start, end, lambda tid, prio: not tid or (prio is not None and prio >= REALTIME_BELOW))

    def _share(self, cpu: int, start: int, end: int, of: Callable[[int, int | None], bool | int]) -> float:
        ran = self.switches.lasting(cpu, start, end)
        return sum(ns for row, ns in ran if of(*row.what)) / (end - start)

"""A second reading of answers: is what they say true of the waits, by what was recorded?

The checker's rules are asked while a trace streams by, of facts that it kept. Here the same words of docs/causes are
asked anew of tables of events (switches, attempts of the balancer, queues of sched_ext), in SQL and Python that are
not the rules', for the times at which the thread waited on its CPU while the other one was wasted. (Those times are
the checker's own. Where several CPUs were wasted they count for each, so that a pair of CPUs has more time than was
charged to it: an answer that is false of a part of the charged time may be covered by another part.)
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import Any

from wastenot.analyzer import Trace

REALTIME_BELOW = 100
"""Kernel priorities of the real-time and deadline classes: include/linux/sched/prio.h, MAX_RT_PRIO."""
BEFORE_ALL = -(1 << 62)
"""A time before each recording (ns)."""
FOR_ALL = frozenset({"global", "shared", "bypass"})
"""Queues from which more CPUs than one take."""


@dataclass(frozen=True)
class Wait:
    """A thread waits on CPU `queue` in [start, end) ns, while CPU `idle` is wasted: that lasts until `wasted_until`."""

    utid: int
    tid: int
    queue: int
    idle: int
    start: int
    end: int
    wasted_until: int


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


class RawRecords:
    """The raw events of a checked trace."""

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
    def moves(self) -> Timeline:
        """By thread: from which CPU to which."""
        return self._timeline("SELECT tid AS key, ts_ns AS t, orig_cpu, dest_cpu FROM sched_migrate_task ORDER BY id")

    @cached_property
    def kicks(self) -> Timeline:
        """By the CPU that was kicked."""
        return self._timeline("SELECT target_cpu AS key, ts_ns AS t FROM ext_kick ORDER BY id")

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
        return self._timeline(
            """
            SELECT dst_cpu AS key, ts_ns AS t, domain_level, pulled, idle_type_name(idle_type) = 'newly_idle' AS newly
            FROM balance_attempt WHERE domain_level IS NOT NULL ORDER BY ts_ns"""
        )

    @cached_property
    def groups(self) -> dict[tuple[int, int, int], list[list[int]]]:
        """By time from which they hold, CPU and level: CPUs of each group."""
        found: defaultdict[tuple[int, int, int], list[list[int]]] = defaultdict(list)
        for row in self._trace.sql("SELECT since_ns, cpu, level, cpus FROM domain_group").rows():
            found[row["since_ns"], row["cpu"], row["level"]].append(row["cpus"])
        return found

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
                    yield Wait(utid, tid, queue, idle, since, until, wasted.what[0])

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


def _in_local_queue(raw: RawRecords, wait: Wait) -> bool:
    """Of its CPU, or of one to which it is on its way: dispatched from another CPU, it is moved by that one later."""
    move = raw.moves.first_after(wait.tid, wait.start)
    cpus = {wait.queue, move.what[1] if move else wait.queue}
    return any(place == "local" and cpu in cpus for place, cpu in raw.places_of(wait))


def _behind_realtime(raw: RawRecords, wait: Wait) -> bool:
    """For most of this wait, or of its stay in that queue."""
    came = raw.places.last(wait.tid, wait.start)
    since = min(came.t, wait.start) if came else wait.start
    share = max(raw.realtime_share(wait.queue, start, wait.end) for start in (wait.start, since))
    return _in_local_queue(raw, wait) and share > 0.5


def _bypassed(raw: RawRecords, wait: Wait) -> bool:
    depth = raw.bypass.last(None, wait.start)
    return depth is not None and depth.what[0] != 0


def _not_kicked(raw: RawRecords, wait: Wait) -> bool:
    at = raw.places.last(wait.tid, wait.start)
    if at is None or not any(place in FOR_ALL for place, _ in raw.places_of(wait)):
        return False
    # It idled when the thread came, or had asked for one before that as it was about to idle.
    idle, asked = raw.switches.last(wait.idle, at.t), raw.searches.last(wait.idle, at.t)
    return (
        idle is not None
        and (idle.what[0] == 0 or (asked is not None and asked.t >= idle.t))
        and not raw.kicks.within(wait.idle, at.t, wait.end)
        and not raw.searches.within(wait.idle, at.t, wait.end)
    )


def _stay(raw: RawRecords, wait: Wait) -> tuple[int, int] | None:
    """Since when and until when it is in the queue for all where it was as the wait began."""
    at = raw.places.last(wait.tid, wait.start)
    if at is None or not any(place in FOR_ALL for place, _ in raw.places_of(wait)):
        return None
    later = raw.places.first_after(wait.tid, at.t), raw.runs.first_after(wait.tid, at.t)
    return at.t, min((of.t for of in later if of), default=wait.end)


def _not_dispatched(raw: RawRecords, wait: Wait) -> bool:
    stay = _stay(raw, wait)
    return stay is not None and bool(raw.searches.within(wait.idle, *stay))


def _kicked(raw: RawRecords, wait: Wait, *, late: bool) -> bool:
    """The first kick came after most of the stay, or before; where it is near to half of it, both are true.

    Until when the checker charged a stay is not known here.
    """
    stay = _stay(raw, wait)
    kicks = raw.kicks.within(wait.idle, *stay) if stay else []
    if stay is None or not kicks:
        return False
    before, after = kicks[0].t - stay[0], min(stay[1], wait.wasted_until) - kicks[0].t
    return before > 0.8 * after if late else after > 0.8 * before


def _held(raw: RawRecords, wait: Wait) -> bool:
    return any(place == "held" for place, _ in raw.places_of(wait))


def _no_common_domain(raw: RawRecords, wait: Wait) -> bool:
    return raw.since(wait) is not None and raw.level(wait) is None


def _cut_off(raw: RawRecords, wait: Wait) -> bool:
    level = raw.level(wait)
    return level is not None and _reached(raw, wait, level) == []


def _hidden_by_groups(raw: RawRecords, wait: Wait) -> bool:
    """Each group with the busy CPU has the idle one: an attempt takes threads out of those without it."""
    since, level = raw.since(wait), raw.level(wait)
    of = raw.groups.get((since, wait.idle, level), []) if since is not None and level is not None else []
    with_queue = [group for group in of if wait.queue in group]
    return bool(with_queue) and all(wait.idle in group for group in with_queue)


def _no_attempt(raw: RawRecords, wait: Wait) -> bool:
    """Over the common domain, for a CPU of the idle one's smaller domain; one that moved threads ends the wait."""
    level = raw.level(wait)
    if level is None:
        return False
    smaller = [span for of, span in raw.domains_of(wait) if of < level]
    group = smaller[-1] if smaller else [wait.idle]
    made = [row for cpu in group for row in raw.attempts.within(cpu, wait.start, wait.end)]
    pulled = [row.what[1] for row in made if raw.ranks[row.what[0]] == level]
    return not pulled or (len(pulled) == 1 and pulled[0] > 0)


def _of_sched_ext(raw: RawRecords, wait: Wait) -> bool:
    """And nothing is known of where it was: else there is more to say."""
    policy, prio, state = (
        of.last(key, wait.end)
        for of, key in ((raw.policies, wait.tid), (raw.priorities, wait.tid), (raw.ext_states, None))
    )
    by_policy = policy is not None and policy.what[0] == "ext"
    is_lower = prio is not None and prio.what[0] >= REALTIME_BELOW
    of_all = state is not None and state.what == ("enabled", False)
    return (by_policy or (is_lower and of_all)) and raw.places.last(wait.tid, wait.end) is None


def _behind_lower(raw: RawRecords, wait: Wait) -> bool:
    prio = raw.priorities.last(wait.tid, wait.end)
    if prio is None or prio.what[0] >= REALTIME_BELOW:
        return False
    return raw.lower_share(wait.queue, wait.start, wait.end) > 0.5


def _reached(raw: RawRecords, wait: Wait, level: int) -> list[Timed] | None:
    """Attempts of the idle CPU as it was about to idle, over that level or a wider one; None: it did not go idle."""
    time = raw.before_idle(wait)
    if time is None:
        return None
    made = raw.attempts.within(wait.idle, time[0], time[1] + 1)
    return [row for row in made if row.what[2] and raw.ranks[row.what[0]] >= level]


def _pulled_nothing(raw: RawRecords, wait: Wait) -> bool:
    level = raw.level(wait)
    made = _reached(raw, wait, level) if level is not None else None
    return bool(made) and all(row.what[1] == 0 for row in made or [])


def _stopped(holds: Callable[[tuple[Any, ...], int], bool]) -> Callable[[RawRecords, Wait], bool]:
    """It made no attempt over the common domain, and what it decided by says why."""

    def of(raw: RawRecords, wait: Wait) -> bool:
        level, time = raw.level(wait), raw.before_idle(wait)
        if level is None or time is None or _reached(raw, wait, level):
            return False
        entry = raw.decided_by.last(wait.idle, time[1])
        return entry is not None and entry.t >= time[0] and holds(entry.what, level)

    return of


def _too_short(entry: tuple[Any, ...], level: int) -> bool:
    overloaded, pending, too_short_level, _ = entry
    return bool(overloaded) and not pending and too_short_level is not None and too_short_level <= level


CONDITIONS: dict[str, Callable[[RawRecords, Wait], bool]] = {
    "ext_local_queue": _in_local_queue,
    "ext_behind_realtime": _behind_realtime,
    "ext_bypass": _bypassed,
    "ext_not_kicked": _not_kicked,
    "ext_held": _held,
    "ext_not_dispatched": _not_dispatched,
    "ext_kick_late": partial(_kicked, late=True),
    "ext_cpu_late": partial(_kicked, late=False),
    "sched_ext": _of_sched_ext,
    "no_common_domain": _no_common_domain,
    "misbuilt_groups": _hidden_by_groups,
    "periodic_did_not_run": _no_attempt,
    "newidle_cut_off": _cut_off,
    "realtime_behind_lower": _behind_lower,
    "newidle_pulled_nothing": _pulled_nothing,
    "newidle_wakeup_pending": _stopped(lambda entry, _: bool(entry[1])),
    "newidle_none_overloaded": _stopped(lambda entry, _: not entry[0] and not entry[1]),
    "newidle_too_short": _stopped(_too_short),
}
"""By answer to *not_moved_because*: whether it is true of a wait. Answers that are missing are not read twice."""


def not_shown(trace: Trace, proved: Iterable[dict[str, Any]]) -> Counter[str]:
    """Of rows of `attribution` with their episodes' times: weight (core-ns) by answer that is not shown to be true.

    A row is shown as far as the waits of its pair reach of which its condition is true; of answers without one
    nothing is.
    """
    raw = RawRecords(trace)
    weights: Counter[tuple[Any, ...]] = Counter()
    for row in proved:
        pair = tuple(row[name] for name in ("utid", "waited_on", "idle_cpu", "start_ns", "end_ns"))
        weights[row["answer"], *pair] += row["weight_ns"]
    missing: Counter[str] = Counter()
    for (answer, *of_pair), weight in weights.items():
        condition = CONDITIONS.get(answer)
        shown = sum(wait.end - wait.start for wait in raw.waits(*of_pair) if condition and condition(raw, wait))
        missing[answer] += max(0, weight - shown)
    return +missing

"""A second reading of answers: is what they say true of the waits, by what was recorded?

The checker's rules are asked while a trace streams by, of facts that it kept. Here the same words of docs/causes are
asked anew of tables of events (switches, attempts of the balancer, queues of sched_ext), in SQL and Python that are
not the rules', for the times at which the thread waited on its CPU while the other one was wasted. (Those times are
the checker's own. Where several CPUs were wasted they count for each, so that a pair of CPUs has more time than was
charged to it: an answer that is false of a part of the charged time may be covered by another part.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from typing import Any

from wastenot.analyzer import Trace

from bench.attribution.recorded_events import BEFORE_ALL, REALTIME_BELOW, RecordedEvents, Timed, Timeline, Wait

WF_TTWU, WF_CURRENT_CPU = 0x08, 0x40
"""Flags of a placement: of a wakeup; the waker's CPU is to be taken (kernel/sched/sched.h)."""
IRQ_NS = 100_000
"""Between the start of a softirq and the instant from which its CPU counts as busy with it, at most as a rule."""
FOR_ALL = frozenset({"global", "shared", "bypass"})
"""Queues from which more CPUs than one take."""


def _in_local_queue(events: RecordedEvents, wait: Wait) -> bool:
    """Of its CPU, or of one to which it is on its way: dispatched from another CPU, it is moved by that one later."""
    move = events.moves.first_after(wait.tid, wait.start)
    cpus = {wait.queue, move.what[1] if move else wait.queue}
    return any(place == "local" and cpu in cpus for place, cpu in events.places_of(wait))


def _behind_realtime(events: RecordedEvents, wait: Wait) -> bool:
    """For most of this wait, or of its stay in that queue."""
    came = events.places.last(wait.tid, wait.start)
    since = min(came.t, wait.start) if came else wait.start
    share = max(events.realtime_share(wait.queue, start, wait.end) for start in (wait.start, since))
    return _in_local_queue(events, wait) and share > 0.5


def _bypassed(events: RecordedEvents, wait: Wait) -> bool:
    depth = events.bypass.last(None, wait.start)
    return depth is not None and depth.what[0] != 0


def _not_kicked(events: RecordedEvents, wait: Wait) -> bool:
    at = events.places.last(wait.tid, wait.start)
    if at is None or not any(place in FOR_ALL for place, _ in events.places_of(wait)):
        return False
    # It idled when the thread came, or had asked for one before that as it was about to idle.
    idle, asked = events.switches.last(wait.idle, at.t), events.searches.last(wait.idle, at.t)
    return (
        idle is not None
        and (idle.what[0] == 0 or (asked is not None and asked.t >= idle.t))
        and not events.kicks.within(wait.idle, at.t, wait.end)
        and not events.searches.within(wait.idle, at.t, wait.end)
    )


def _stay(events: RecordedEvents, wait: Wait) -> tuple[int, int] | None:
    """Since when and until when it is in the queue for all where it was as the wait began."""
    at = events.places.last(wait.tid, wait.start)
    if at is None or not any(place in FOR_ALL for place, _ in events.places_of(wait)):
        return None
    later = events.places.first_after(wait.tid, at.t), events.runs.first_after(wait.tid, at.t)
    return at.t, min((of.t for of in later if of), default=wait.end)


def _not_dispatched(events: RecordedEvents, wait: Wait) -> bool:
    stay = _stay(events, wait)
    return stay is not None and bool(events.searches.within(wait.idle, *stay))


def _kicked(events: RecordedEvents, wait: Wait, *, late: bool) -> bool:
    """The first kick came after most of the stay, or before; where it is near to half of it, both are true.

    Until when the checker charged a stay is not known here.
    """
    stay = _stay(events, wait)
    kicks = events.kicks.within(wait.idle, *stay) if stay else []
    if stay is None or not kicks:
        return False
    before, after = kicks[0].t - stay[0], min(stay[1], wait.wasted[1]) - kicks[0].t
    return before > 0.8 * after if late else after > 0.8 * before


def _held(events: RecordedEvents, wait: Wait) -> bool:
    return any(place == "held" for place, _ in events.places_of(wait))


def _not_granted(events: RecordedEvents, wait: Wait) -> bool:
    """And never was meanwhile."""
    came = events.schedulers.last(wait.tid, wait.start)
    schedulers = {
        of.what[0] for of in [*([came] if came else []), *events.schedulers.within(wait.tid, wait.start, wait.end)]
    }
    if len(schedulers) != 1 or _bypassed(events, wait):
        return False
    key = (*schedulers, wait.idle)
    before = events.accesses.last(key, wait.start)
    accesses = [*([before] if before else []), *events.accesses.within(key, wait.start, wait.end)]
    return before is not None and not any(access.what[0] for access in accesses)


def _no_common_domain(events: RecordedEvents, wait: Wait) -> bool:
    return events.since(wait) is not None and events.level(wait) is None


def _cut_off(events: RecordedEvents, wait: Wait) -> bool:
    level = events.level(wait)
    return level is not None and _reached(events, wait, level) == []


def _hidden_by_groups(events: RecordedEvents, wait: Wait) -> bool:
    """Each group with the busy CPU has the idle one: an attempt takes threads out of those without it."""
    since, level = events.since(wait), events.level(wait)
    of = events.groups.get((since, wait.idle, level), []) if since is not None and level is not None else []
    with_queue = [group for group in of if wait.queue in group]
    return bool(with_queue) and all(wait.idle in group for group in with_queue)


def _group(events: RecordedEvents, wait: Wait, level: int) -> list[int]:
    """CPUs for whom an attempt over that level is one for the idle CPU: those of its smaller domain."""
    smaller = [span for of, span in events.domains_of(wait) if of < level]
    return smaller[-1] if smaller else [wait.idle]


def _no_attempt(events: RecordedEvents, wait: Wait) -> bool:
    """Over the common domain, for a CPU of the idle one's smaller domain; one that moved threads ends the wait."""
    level = events.level(wait)
    if level is None:
        return False
    group = _group(events, wait, level)
    made = [row for cpu in group for row in events.attempts.within(cpu, wait.start, wait.end)]
    pulled = [row.what[1] for row in made if events.ranks[row.what[0]] == level]
    return not pulled or (len(pulled) == 1 and pulled[0] > 0)


def _not_due(events: RecordedEvents, wait: Wait, than: int) -> float | None:
    """For which share of the wait the kernel held the idle CPU's attempts not due, by more than `than` ns.

    By what was read last before each instant, as long as the CPU ran nothing since and no CPU was called to balance
    for all. None: of half of the wait nothing is known.
    """
    known = ns = 0
    for row, held in events.due.lasting(wait.idle, wait.start, wait.end):
        start = max(row.t, wait.start)
        later = [events.calls.first_after(None, row.t), events.switched_to_thread.first_after(wait.idle, row.t)]
        until = min([start + held, *(of.t for of in later if of is not None)])
        known += max(0, until - start)
        if row.what[0] - row.t > than:
            ns += max(0, min(row.what[0], until) - start)
    length = wait.end - wait.start
    return ns / length if 2 * known > length else None


def _no_kick(events: RecordedEvents, wait: Wait) -> bool:
    """No attempt for the CPU over any domain, nor for its group over the common one, none due later, no kick.

    Nor a softirq on the CPU, but one that a kick for loads called. CPUs about to idle look for themselves.
    """
    end = wait.end - IRQ_NS  # the CPU's own tick ends waits beside it, as interrupt work
    softirqs = [row.t for row in events.calls.within(wait.idle, wait.start, end) if row.what[0] == "softirq"]
    called = [events.calls.last(wait.idle, t - 1) for t in softirqs]
    own = [row for row in called if row is None or row.what[0] != "sent_for_loads"]
    not_due = _not_due(events, wait, 0)
    level = events.level(wait)
    group = _group(events, wait, level) if level is not None else []
    of_group = [row for cpu in group for row in events.looks.within(cpu, wait.start, wait.end)]
    over = [row for row in of_group if events.ranks[row.what[0]] == level]
    for_it = [*events.attempts.within(wait.idle, wait.start, wait.end), *over]
    kicks = events.calls.within(None, wait.start, wait.end)
    if level is None or own or kicks or any(row.what[1] == 0 and not row.what[2] for row in for_it):
        return False
    return not_due is not None and not_due < 0.6


def _far_off(events: RecordedEvents, wait: Wait) -> bool:
    """No attempt, as the kernel held none due for over a second, or since the domain's interval is far beyond its own.

    MAX_PINNED_INTERVAL, doubled, is 1,024 ms; sd_init gives 2 ms per CPU at most.
    """
    level, since = events.level(wait), events.since(wait)
    if level is None or since is None:
        return False
    long = 8_000_000 * events.cpus
    if (events.intervals[since, wait.idle, level] or 0) > long:
        made = (events.attempts.within(cpu, wait.start, wait.end) for cpu in range(events.cpus))
        most = max(sum(events.ranks[row.what[0]] == level and not row.what[2] for row in of) for of in made)
        return most <= 1 + 2 * (wait.end - wait.start) / long
    return _no_attempt(events, wait) and (_not_due(events, wait, 1_024_000_000) or 0) > 0.4


def _about(events: RecordedEvents, wait: Wait, rows: Timeline) -> list[tuple[Timed, int]]:
    """Of attempts over the common domain for the idle CPU's group, those near the wait, with the CPU that each is for.

    From two balance intervals before it on, until two after it or, if that is earlier, until the CPU idled no more.
    Empty where some were overdue, by two intervals, for more than a quarter of the wait; those of CPUs about to idle
    are never due.
    (How often attempts are due is the kernel's, so this the rules ask too, of the pair of CPUs instead of each wait.)
    """
    level, since = events.level(wait), events.since(wait)
    if level is None or since is None:
        return []
    group, due = _group(events, wait, level), 2 * (events.intervals[since, wait.idle, level] or 0)
    until = min(wait.end + due, max(wait.end, wait.wasted[1]))

    def over(rows: Timeline) -> list[tuple[Timed, int]]:
        made = ((row, cpu) for cpu in group for row in rows.within(cpu, wait.start - due, until))
        return [(row, cpu) for row, cpu in made if events.ranks[row.what[0]] == level]

    periodic = [row.t for row, _ in over(events.looks) if row.t < wait.end and not row.what[2]]
    times = sorted([max(wait.start - due, wait.wasted[0]), *periodic, wait.end])
    overdue = sum(max(0, after - before - due) for before, after in pairwise(times))
    return over(rows) if overdue <= (wait.end - wait.start) / 4 else []


def _attempts_moved_nothing(events: RecordedEvents, wait: Wait) -> bool:
    """But for one that ended the wait."""
    made = [row for row, _ in _about(events, wait, events.looks)]
    moved = [row for row in made if (row.what[1] or 0) > 0 and wait.start < row.t < wait.end]
    return any(row.what[1] == 0 for row in made) and len(moved) <= 1


def _left_of_pair(events: RecordedEvents, wait: Wait) -> list[tuple[Any, ...]]:
    """What attempts that examined threads of this queue, or were for this CPU, left: as hot, for others, as pinned.

    Ones that met only threads that ran aside.
    """
    made = _about(events, wait, events.left)
    of_pair = [row.what for row, cpu in made if cpu == wait.idle or row.what[1] == wait.queue]
    return [what[2:] for what in of_pair if any(what[2:])]


def _left_as_hot(events: RecordedEvents, wait: Wait) -> bool:
    """Some left hot threads, and none left others that may use the CPU."""
    left = _left_of_pair(events, wait)
    return any(hot for hot, _, _ in left) and not any(other for _, other, _ in left)


def _left_as_pinned(events: RecordedEvents, wait: Wait) -> bool:
    """All left threads that may not use the CPU, and no others."""
    left = _left_of_pair(events, wait)
    return bool(left) and all(pinned and not hot and not other for hot, other, pinned in left)


def _left_in_cache(events: RecordedEvents, wait: Wait) -> bool:
    """Some left threads in the cache that their process prefers: of this queue, or for this CPU."""
    made = _about(events, wait, events.kept_in_cache)
    return any(cpu == wait.idle or row.what[1] == wait.queue for row, cpu in made)


def _of_sched_ext(events: RecordedEvents, wait: Wait) -> bool:
    """And nothing is known of where it was: else there is more to say."""
    policy, prio, state = (
        of.last(key, wait.end)
        for of, key in ((events.policies, wait.tid), (events.priorities, wait.tid), (events.ext_states, None))
    )
    by_policy = policy is not None and policy.what[0] == "ext"
    is_lower = prio is not None and prio.what[0] >= REALTIME_BELOW
    of_all = state is not None and state.what == ("enabled", False)
    return (by_policy or (is_lower and of_all)) and events.places.last(wait.tid, wait.end) is None


def _behind_lower(events: RecordedEvents, wait: Wait) -> bool:
    prio = events.priorities.last(wait.tid, wait.end)
    if prio is None or prio.what[0] >= REALTIME_BELOW:
        return False
    return events.lower_share(wait.queue, wait.start, wait.end) > 0.5


def _reached(events: RecordedEvents, wait: Wait, level: int) -> list[Timed] | None:
    """Attempts of the idle CPU as it was about to idle, over that level or a wider one; None: it did not go idle."""
    time = events.before_idle(wait)
    if time is None:
        return None
    made = events.attempts.within(wait.idle, time[0], time[1] + 1)
    return [row for row in made if row.what[2] and events.ranks[row.what[0]] >= level]


def _pulled_nothing(events: RecordedEvents, wait: Wait) -> bool:
    level = events.level(wait)
    made = _reached(events, wait, level) if level is not None else None
    return bool(made) and all(row.what[1] == 0 for row in made or [])


def _stopped(holds: Callable[[tuple[Any, ...], int], bool]) -> Callable[[RecordedEvents, Wait], bool]:
    """It made no attempt over the common domain, and what it decided by says why."""

    def of(events: RecordedEvents, wait: Wait) -> bool:
        level, time = events.level(wait), events.before_idle(wait)
        if level is None or time is None or _reached(events, wait, level):
            return False
        entry = events.decided_by.last(wait.idle, time[1])
        return entry is not None and entry.t >= time[0] and holds(entry.what, level)

    return of


def _too_short(entry: tuple[Any, ...], level: int) -> bool:
    overloaded, pending, too_short_level, _ = entry
    return bool(overloaded) and not pending and too_short_level is not None and too_short_level <= level


CONDITIONS: dict[str, Callable[[RecordedEvents, Wait], bool]] = {
    "ext_local_queue": _in_local_queue,
    "ext_behind_realtime": _behind_realtime,
    "ext_bypass": _bypassed,
    "ext_not_kicked": _not_kicked,
    "ext_held": _held,
    "ext_not_granted": _not_granted,
    "ext_not_dispatched": _not_dispatched,
    "ext_kick_late": partial(_kicked, late=True),
    "ext_cpu_late": partial(_kicked, late=False),
    "sched_ext": _of_sched_ext,
    "no_common_domain": _no_common_domain,
    "misbuilt_groups": _hidden_by_groups,
    "periodic_did_not_run": _no_attempt,
    "interval_too_long": _far_off,
    "nohz_kick_missing": _no_kick,
    "found_balance": _attempts_moved_nothing,
    "cache_hot": _left_as_hot,
    "all_pinned": _left_as_pinned,
    "cache_aware": _left_in_cache,
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
    events = RecordedEvents(trace)
    weights: Counter[tuple[Any, ...]] = Counter()
    for row in proved:
        pair = tuple(row[name] for name in ("utid", "waited_on", "idle_cpu", "start_ns", "end_ns"))
        weights[row["answer"], *pair] += row["weight_ns"]
    missing: Counter[str] = Counter()
    for (answer, *of_pair), weight in weights.items():
        condition = CONDITIONS.get(answer)
        shown = sum(wait.end - wait.start for wait in events.waits(*of_pair) if condition and condition(events, wait))
        missing[answer] += max(0, weight - shown)
    return +missing


def _can_idle(events: RecordedEvents, cpu: int, start: int, end: int) -> bool:
    """At some time of [start, end]."""
    before = events.switches.last(cpu, start)
    rows = [*([before] if before else []), *events.switches.within(cpu, start, end)]
    return before is None or any(row.what[0] == 0 for row in rows)


def _searched_one_cache(events: RecordedEvents, row: dict[str, Any]) -> bool:
    """A CPU idled that the thread may use, none of the cache of the one it got, and a search in that cache chose.

    That it was a search show the CPUs that it scanned; else no CPU of the cache can have idled throughout the choice.
    """
    placed = events.placements.get(next((event for event in row["event_ids"] if event in events.placements), None))
    if placed is None:
        return False
    by, tid, target, prev, scanned, flags = placed.what
    may_use = events.may_use(tid, placed.t)
    usable = set(events.caches) if may_use is None else set(may_use)
    cache = events.caches[target] & usable
    if not any(events.idles(cpu, placed.t) for cpu in usable - cache):
        return False
    if scanned is not None:
        begun = placed.t
    else:
        waking, last = events.wakings.last(tid, placed.t), events.switches.last(by, placed.t)
        begun = max((of.t for of in (waking, last) if of is not None), default=BEFORE_ALL)
    if any(_can_idle(events, cpu, begun, placed.t) for cpu in cache):
        return False
    is_search = flags is not None and flags & (WF_TTWU | WF_CURRENT_CPU) == WF_TTWU
    return is_search if scanned is None else set(scanned) <= {*events.caches[target], prev, by}


def placements_not_shown(trace: Trace, proved: Iterable[dict[str, Any]]) -> Counter[str]:
    """The same of rows that answer *placed_by*: of wakeups that searched one cache the recorded choices are read again.

    Of other answers nothing is shown.
    """
    events = RecordedEvents(trace)
    missing: Counter[str] = Counter()
    for row in proved:
        if row["answer"] != "wakeup_one_llc" or not _searched_one_cache(events, row):
            missing[row["answer"]] += row["weight_ns"]
    return missing

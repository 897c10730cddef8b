"""Calls in which ranks wait: when each rank was inside one, and the calls that iterations are found by.

A rank waits while the innermost region that it has entered is a call that waits. In the body of a parallel region it
computes. A thread that executes bodies of parallel regions which another thread starts waits outside of them as well.
Where bodies are not recorded (a stripped program), a thread that starts parallel regions is taken to compute in them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from wastenot.analyzer.balance.periods import call_stretches
from wastenot.analyzer.balance.timelines import EMPTY, Ints, Timeline, split
from wastenot.schemas.generated.enums import REGION_KIND_WORDS

KINDS = tuple(REGION_KIND_WORDS)
"""Names of region_kind by code."""

WORK, PARALLEL = KINDS.index("work"), KINDS.index("parallel")
TOGETHER = np.array([kind in ("parallel", "barrier", "collective") for kind in KINDS])
"""By kind: all ranks take part."""

MEETING = re.compile(
    r"GOMP_barrier|__kmpc_barrier|barrier explicit"
    r"|P?MPI_(?:Barrier|Allreduce|Alltoall[vw]?|Allgatherv?|Reduce_scatter(?:_block)?)"
)
"""Calls that no rank leaves before all have entered them."""

MOST_COMPARED = 7
"""Other ranks that the calls of a rank are compared with, those that entered most."""

NEVER = 2**62
"""End of what was not left (ns)."""


@dataclass(frozen=True)
class RegionEvents:
    """What one thread entered and left, in order: when (ns), kind, whether it entered, number of the name."""

    ts_ns: Ints
    kinds: Ints
    enters: NDArray[np.bool_]
    names: Ints

    def where(self, chosen: NDArray[np.bool_]) -> RegionEvents:
        """Some of them."""
        return RegionEvents(self.ts_ns[chosen], self.kinds[chosen], self.enters[chosen], self.names[chosen])


@dataclass(frozen=True)
class Calls:
    """The regions that a rank entered, in the order of entering, of those that tell iterations."""

    starts: Ints
    ends: Ints
    """`NEVER` where it was not left."""
    kinds: Ints
    names: Ints

    def where(self, chosen: NDArray[np.bool_] | Ints | slice) -> Calls:
        """Some of them."""
        return Calls(self.starts[chosen], self.ends[chosen], self.kinds[chosen], self.names[chosen])


@dataclass(frozen=True)
class RankCalls:
    """When a rank waited in calls, what it entered, and the instants at which it entered or left anything (ns).

    `unknown`: when it may have waited or computed, since a call was not seen to start or to end; `not_whole`: how many
    such calls there are, one that was under way as the recording started not counted.
    """

    waiting: Timeline
    calls: Calls
    instants: Ints
    unknown: Timeline = EMPTY
    not_whole: int = 0

    @property
    def starts_regions(self) -> bool:
        """Whether it is the thread that starts parallel regions."""
        return bool((self.calls.kinds == PARALLEL).any())


def rank_calls(events: RegionEvents) -> RankCalls:
    """From all that a thread entered and left."""
    keep = _have_counterparts(events)
    unknown, not_whole = _around(events, ~keep)
    events = events.where(keep)
    count = len(events.ts_ns)
    if not count:
        none = np.zeros(0, np.int64)
        return RankCalls(Timeline.of(none, none), Calls(none, none, none, none), none, unknown, not_whole)
    depth = np.cumsum(np.where(events.enters, 1, -1))
    innermost, parent = _nesting(events, depth)
    entered = np.flatnonzero(events.enters)
    is_worker = bool((events.kinds[entered][depth[entered] == 1] == WORK).any())
    is_worker &= not bool((events.kinds == PARALLEL).any())
    bodies = events.enters & (events.kinds == WORK) & (parent >= 0)
    computing = [WORK] if (events.kinds[parent[bodies]] == PARALLEL).any() else [WORK, PARALLEL]
    waits = np.where(innermost >= 0, ~np.isin(events.kinds[innermost], computing), is_worker)
    # Before the first event a worker waits for its first region, if it is not in one already.
    waits = np.concatenate([[is_worker and events.kinds[0] == WORK and bool(events.enters[0])], waits])
    times = np.concatenate([[-NEVER], events.ts_ns, [NEVER]])
    calls = _of_program(events, entered, parent, depth)
    return RankCalls(_merged(times, waits), calls, events.ts_ns, unknown, not_whole)


def _have_counterparts(events: RegionEvents) -> NDArray[np.bool_]:
    """Which events have a counterpart, or are of a region that was under way as the recording ended.

    The others are those of calls that were not seen to start or to end: a probe missed them, records were lost, or the
    program left the call otherwise (longjmp, an exception). A call that waits is not entered again from within, and
    what is entered in it is a task; a region is not directly inside a region of its own name that never ends.
    """
    keep, of_entry = _paired_by_name(events)
    opened = np.flatnonzero(keep & events.enters & (of_entry == NEVER))
    # What was entered inside of a region that was left did not outlast it.
    reached = np.maximum.accumulate(np.where(events.enters & (of_entry != NEVER), of_entry, -1))
    keep[opened[reached[opened] > opened]] = False
    while True:
        places = np.flatnonzero(keep)
        kept = events.where(keep)
        _, parent = _nesting(kept, np.cumsum(np.where(kept.enters, 1, -1)))
        inner = np.flatnonzero(parent >= 0)
        around = parent[inner]
        regions = np.isin(kept.kinds[around], (WORK, PARALLEL))
        refutes = np.where(regions, kept.names[inner] == kept.names[around], kept.kinds[inner] != WORK)
        over = places[around[refutes]]
        over = over[of_entry[over] == NEVER]
        if not len(over):
            return keep
        keep[over] = False


def _paired_by_name(events: RegionEvents) -> tuple[NDArray[np.bool_], Ints]:
    """Which events are not refuted by those of the same name alone, and for each entry the place at which that region
    is left: `NEVER` where it is not."""
    keep = np.ones(len(events.ts_ns), np.bool_)
    left = np.full(len(events.ts_ns), NEVER)
    for name in np.unique(events.names).tolist():
        of = np.flatnonzero(events.names == name)
        enters = events.enters[of]
        if events.kinds[of[0]] not in (WORK, PARALLEL):
            again = np.concatenate([enters[:-1] & enters[1:], [False]])
            keep[of[again]] = False
            of, enters = of[~again], enters[~again]
        open_ = np.cumsum(np.where(enters, 1, -1))
        lowest = np.minimum.accumulate(np.minimum(open_, 0))
        unentered = np.diff(lowest, prepend=0) < 0
        keep[of[unentered]] = False
        of, enters = of[~unentered], enters[~unentered]
        depth = np.cumsum(np.where(enters, 1, -1))
        for level in range(1, int(depth.max(initial=0)) + 1):
            starts, ends = of[enters & (depth == level)], of[~enters & (depth == level - 1)]
            left[starts[: len(ends)]] = ends
    return keep, left


def _around(events: RegionEvents, dropped: NDArray[np.bool_]) -> tuple[Timeline, int]:
    """When it is not known whether a thread waited: from an entry without an end to the thread's next event, and from
    its event before to an end without an entry. Also how many there are; ends before its first entry do not count."""
    times = np.concatenate([[-NEVER], events.ts_ns, [NEVER]])
    gaps = np.zeros(len(times) - 1, np.bool_)
    places = np.flatnonzero(dropped)
    gaps[np.where(events.enters[places], places + 1, places)] = True
    count = int(dropped[int(np.argmax(events.enters)) :].sum()) if events.enters.any() else 0
    return _merged(times, gaps), count


def _nesting(events: RegionEvents, depth: Ints) -> tuple[Ints, Ints]:
    """After each event the entry of the innermost region, and for each entry that of the region around it; -1 none."""
    count = len(depth)
    innermost, parent = np.full(count, -1), np.full(count, -1)
    places = np.arange(count)
    above = np.zeros(0, np.int64)
    for level in range(1, int(depth.max(initial=0)) + 1):  # a few: regions are nested, not recursive
        opened = places[events.enters & (depth == level)]
        at = places[depth == level]
        innermost[at] = opened[np.searchsorted(opened, at, side="right") - 1]
        if len(above):
            parent[opened] = above[np.searchsorted(above, opened) - 1]
        above = opened
    return innermost, parent


def _merged(times: Ints, waits: NDArray[np.bool_]) -> Timeline:
    """The stretches between neighbouring times in which `waits` is true, those that touch as one."""
    longer = np.diff(times) > 0
    starts, ends, on = times[:-1][longer], times[1:][longer], waits[longer]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]))).reshape(-1, 2)
    return Timeline.of(starts[edges[:, 0]], ends[edges[:, 1] - 1])


def _of_program(events: RegionEvents, entered: Ints, parent: Ints, depth: Ints) -> Calls:
    """The entries that follow from the program's text: not tasks, which any thread may execute wherever it waits."""
    follows = np.zeros(len(depth), np.bool_)
    levels = depth[entered]
    for level in range(1, int(levels.max(initial=0)) + 1):
        at = entered[levels == level]
        around = parent[at]
        of = np.where(around >= 0, events.kinds[around], PARALLEL)
        is_inside = np.isin(of, (PARALLEL, WORK)) & ((around < 0) | follows[around])
        follows[at] = is_inside & ((events.kinds[at] != WORK) | (of == PARALLEL))
    ends = _ends(events, depth)
    chosen = entered[follows[entered]]
    return Calls(events.ts_ns[chosen], ends[chosen], events.kinds[chosen], events.names[chosen])


def _ends(events: RegionEvents, depth: Ints) -> Ints:
    """For each entry when that region is left: at the next event after it that is less deep."""
    ends = np.full(len(depth), NEVER)
    places = np.arange(len(depth))
    for level in range(1, int(depth.max(initial=0)) + 1):
        opened = places[events.enters & (depth == level)]
        left = places[~events.enters & (depth == level - 1)]
        at = np.searchsorted(left, opened)
        is_left = at < len(left)
        ends[opened[is_left]] = events.ts_ns[left[at[is_left]]]
    return ends


def without_released(ranks: list[RankCalls]) -> list[RankCalls]:
    """The ranks, which do not wait any more once the last one has come.

    A rank that is off its CPU when a barrier opens leaves it later: that is the machine's doing. When the last one came
    is known where the calls of all ranks can be matched: each rank entered as many in which all take part, under the
    same names; each executed as many bodies as one of them started parallel regions. Where the recording began or ended
    inside of one, and a rank has more of them, the first or the last ones match if no rank left before all had come.
    """
    free: list[list[tuple[Ints, Ints]]] = [[] for _ in ranks]
    meeting = [r.calls.where(TOGETHER[r.calls.kinds] & (r.calls.kinds != PARALLEL)) for r in ranks]
    meeting = _matched(meeting)
    if meeting:
        opened = np.max([m.starts for m in meeting], axis=0)
        for of, m in zip(free, meeting, strict=True):
            of.append((np.maximum(opened, m.starts), m.ends))
    bodies = [r.calls.where(r.calls.kinds == WORK) for r in ranks]
    starters = [n for n, r in enumerate(ranks) if r.starts_regions]
    if len(starters) == 1:
        regions = ranks[starters[0]].calls.where(ranks[starters[0]].calls.kinds == PARALLEL)
        if all(len(b.starts) == len(regions.starts) for b in bodies):
            for of, body in zip(free, bodies, strict=True):
                of.append((regions.starts, body.starts))
            free[starters[0]].append((np.max([b.ends for b in bodies], axis=0), regions.ends))
    return [dataclasses.replace(r, waiting=_without(r.waiting, of)) for r, of in zip(ranks, free, strict=True)]


def with_joined_parted(ranks: list[RankCalls], names: Sequence[str]) -> list[RankCalls]:
    """The ranks, with what looks like one call and is several parted into these.

    Where the end of a call and the entry of the next one of its name are both missing, what is left looks like one call
    and the computing in between like waiting. No rank leaves a barrier (`MEETING`) twice while another one is in its
    first: where half of the others have two or more calls that overlap one of a rank, in the order of the meetings,
    the first ends as they leave theirs, and it is not known whether the rank waited from then to the end of their last
    one. Where that is so of more than half of a rank's calls, the others meet without it (a communicator of their own),
    and nothing is missing.
    """
    for name in (number for number, text in enumerate(names) if MEETING.fullmatch(text)):
        places = [np.flatnonzero((r.calls.names == name) & (r.calls.ends != NEVER)) for r in ranks]
        meeting = [r.calls.where(of) for r, of in zip(ranks, places, strict=True)]
        by_count = sorted(range(len(ranks)), key=lambda n: -len(places[n]))
        parted = []
        for number, rank in enumerate(ranks):
            others = [meeting[n] for n in by_count if n != number and len(places[n])][:MOST_COMPARED]
            parted.append(_joined_parted(rank, places[number], others) if others else rank)
        ranks = parted
    return ranks


def _joined_parted(rank: RankCalls, places: Ints, others: list[Calls]) -> RankCalls:
    """A rank whose calls at some places are parted by when others left theirs of that name."""
    starts, ends = rank.calls.starts[places], rank.calls.ends[places]
    met = [_met(starts, ends, o) for o in others]
    counts, first = (np.array([pair[i] for pair in met]) for i in (0, 1))
    most = np.sort(counts, axis=0)[::-1][(len(others) - 1) // 2]  # so many at least, by half of the others
    joined = np.flatnonzero(most > 1)
    if 2 * len(joined) > len(places) - 1:  # of the first one it is not known
        return rank
    parts: list[Calls] = []
    gaps: list[tuple[int, int]] = []
    taken = not_whole = 0
    for at in joined.tolist():
        count, place = int(most[at]), int(places[at])
        which = [(o.ends, f) for o, f, c in zip(others, first[:, at], counts[:, at], strict=True) if c == count]
        left = np.minimum(np.min([e[f : f + count] for e, f in which], axis=0), ends[at])
        if left[0] == left[-1]:
            continue
        parts += [
            rank.calls.where(slice(taken, place)),
            Calls(
                np.append(starts[at], left[1:]), np.append(left[:-1], ends[at]),
                np.full(count, rank.calls.kinds[place]), np.full(count, rank.calls.names[place]),
            ),
        ]  # fmt: skip
        gaps.append((int(left[0]), int(left[-1])))
        taken, not_whole = place + 1, not_whole + count
    if not gaps:
        return rank
    parts.append(rank.calls.where(slice(taken, None)))
    from_ns, to_ns = np.array(gaps, np.int64).T
    unknown_from, unknown_to = np.append(rank.unknown.starts, from_ns), np.append(rank.unknown.ends, to_ns)
    order = np.argsort(unknown_from, kind="stable")
    fields = (f.name for f in dataclasses.fields(Calls))
    return dataclasses.replace(
        rank, waiting=_without(rank.waiting, [(from_ns, to_ns)]), not_whole=rank.not_whole + not_whole,
        unknown=Timeline.of(unknown_from[order], unknown_to[order]),
        calls=Calls(*(np.concatenate([getattr(part, field) for part in parts]) for field in fields)),
    )  # fmt: skip


def _met(starts: Ints, ends: Ints, other: Calls) -> tuple[Ints, Ints]:
    """How many calls of another rank are the same meeting as each of a rank's, and the first of them.

    Both take part in each meeting in order, and their calls of it overlap: that another rank is slow to leave one while
    this one is in the next already is no second call.
    """
    count = len(starts)
    if count == len(other.starts) and (starts <= other.ends).all() and (other.starts <= ends).all():
        return np.ones(count, np.int64), np.arange(count)
    counts, first = np.zeros(count, np.int64), np.zeros(count, np.int64)
    other_starts, other_ends = other.starts.tolist(), other.ends.tolist()
    following = [*starts[1:].tolist(), NEVER]
    at, until = 0, len(other_starts)
    for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        while at < until and other_ends[at] < start:
            at += 1
        first[number] = at
        if at < until and other_starts[at] <= end:
            at += 1
            # What ended before this rank entered again can be no later meeting.
            while at < until and other_starts[at] <= end and other_ends[at] < following[number]:
                at += 1
        counts[number] = at - first[number]
    counts[:1] = np.minimum(counts[:1], 1)  # its first call: the other one may be slow to leave an earlier one
    return counts, first


def with_unseen_ends(ranks: list[RankCalls], start_ns: int, end_ns: int) -> list[RankCalls]:
    """The ranks, of which one whose last call does not end for most of the time, while others went on to meet, is not
    known to wait: that it left the call was not seen."""
    out = []
    for number, rank in enumerate(ranks):
        calls = rank.calls.where(rank.calls.starts == rank.instants[-1:].sum())
        in_call = bool((calls.ends == NEVER).any()) and not np.isin(calls.kinds, (WORK, PARALLEL)).any()
        last = int(rank.instants[-1]) if in_call else NEVER
        others = [r.calls.ends[TOGETHER[r.calls.kinds]] for n, r in enumerate(ranks) if n != number]
        meetings = max((int(((ends > last) & (ends <= end_ns)).sum()) for ends in others), default=0)
        if in_call and meetings > 1 and end_ns - max(last, start_ns) > (end_ns - start_ns) / 2:
            tail = Timeline.of(np.array([last]), np.array([NEVER]))
            starts, ends = np.append(rank.unknown.starts, tail.starts), np.append(rank.unknown.ends, tail.ends)
            rank = dataclasses.replace(
                rank, waiting=_without(rank.waiting, [(tail.starts, tail.ends)]), unknown=Timeline.of(starts, ends),
                not_whole=rank.not_whole + 1,
            )  # fmt: skip
        out.append(rank)
    return out


def _matched(meeting: list[Calls]) -> list[Calls]:
    """The calls of each rank in which all take part, as many of each; empty where they cannot be matched."""
    counts = [len(m.starts) for m in meeting]
    fewest = min(counts)
    if fewest == max(counts):
        return meeting if all(np.array_equal(m.names, meeting[0].names) for m in meeting) else []
    for parts in ([slice(fewest)] * len(counts), [slice(count - fewest, count) for count in counts]):
        cut = [Calls(m.starts[p], m.ends[p], m.kinds[p], m.names[p]) for m, p in zip(meeting, parts, strict=True)]
        opened = np.max([m.starts for m in cut], axis=0)
        if all(np.array_equal(m.names, cut[0].names) and (m.ends >= opened).all() for m in cut):
            return cut
    return []


def _without(waiting: Timeline, free: list[tuple[Ints, Ints]]) -> Timeline:
    """A timeline without some intervals; those that end before they start count as none."""
    starts, ends = (np.concatenate([pair[i] for pair in free] or [np.zeros(0, np.int64)]) for i in (0, 1))
    some = np.flatnonzero(starts < ends)
    if not len(some):
        return waiting
    order = some[np.argsort(starts[some])]
    starts, reached = starts[order], np.maximum.accumulate(ends[order])
    # Intervals that touch or overlap are one.
    heads = np.flatnonzero(np.concatenate([[True], starts[1:] > reached[:-1]]))
    last = np.append(heads[1:], len(starts)) - 1
    _, is_free, a, b = split(waiting.starts, waiting.ends, Timeline.of(starts[heads], reached[last]))
    return Timeline.of(a[~is_free], b[~is_free])


@dataclass(frozen=True)
class CallPeriod:
    """Iterations by calls: the bounds of each (ns), and how many calls it has."""

    bounds: Ints
    period: int


def iterations_by_calls(calls: Calls, start_ns: int, end_ns: int) -> list[CallPeriod]:
    """Where the calls of a rank repeat, in order. Each iteration ends as the same call does: of the calls of a period
    the one in which the rank waited longest, of those in which all ranks take part if there are any.

    Of a program whose number of messages differs from iteration to iteration the calls of all ranks alone may repeat.
    """
    inside = (calls.starts >= start_ns) & (calls.ends <= end_ns)
    whole = calls.where(inside)
    found, of_all = _by_calls(whole), _by_calls(whole.where(TOGETHER[whole.kinds]))
    return found if _covered(found) >= NEARLY * _covered(of_all) else of_all


NEARLY = 0.9
"""Share of the time in iterations by the calls of all ranks that those by all calls have to have, to be taken."""


def _covered(found: list[CallPeriod]) -> int:
    return sum(int(p.bounds[-1] - p.bounds[0]) for p in found)


def _by_calls(calls: Calls) -> list[CallPeriod]:
    found = []
    identifiers = calls.names * len(KINDS) + calls.kinds
    for stretch in call_stretches(identifiers, calls.starts):
        first, period = stretch.first, stretch.period
        of = slice(first, first + stretch.iterations * period + period)
        lasted = (calls.ends[of] - calls.starts[of]).reshape(-1, period).sum(axis=0)
        kinds = calls.kinds[first : first + period]
        ends_all, waits = TOGETHER[kinds], kinds != WORK
        if not waits.any():
            continue
        place = int(np.argmax(np.where(ends_all if ends_all.any() else waits, lasted, -1)))
        bounds = np.unique(calls.ends[first + place : stretch.last + 1 : period])
        if len(bounds) > 1:
            found.append(CallPeriod(bounds, period))
    return found


def ends_of_all(calls: Calls, start_ns: int, end_ns: int) -> Ints:
    """The instants at which the rank left calls in which all ranks take part (ns)."""
    of = TOGETHER[calls.kinds] & (calls.starts >= start_ns) & (calls.ends <= end_ns)
    return np.unique(calls.ends[of])

"""The balance of a trace: finds the applications and measures each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from wastenot.analyzer.balance.application import (
    SEEN,
    Application,
    Balance,
    CallCount,
    CallEvidence,
    Candidate,
    RankTime,
    Segment,
    SegmentKind,
    Source,
    SourceKind,
)
from wastenot.analyzer.balance.calls import (
    RankCalls,
    RegionEvents,
    ends_of_all,
    iterations_by_calls,
    rank_calls,
    with_joined_parted,
    with_unseen_ends,
    without_released,
)
from wastenot.analyzer.balance.counters import RankCounters, Readings, rank_counters
from wastenot.analyzer.balance.crews import (
    LAUNCHERS,
    Crew,
    Rank,
    Thread,
    crew_of,
    find_crews,
    in_cgroup,
    matching,
)
from wastenot.analyzer.balance.decomposition import (
    BLOCKED,
    EXTRINSIC,
    PARTS,
    PLACE,
    PREEMPTED,
    RUNNABLE,
    SLEEPING,
    CpuTimes,
    States,
    decompose,
    in_calls,
    known_of,
)
from wastenot.analyzer.balance.metrics import WindowFigures, efficiency
from wastenot.analyzer.balance.periods import meetings_of_iteration, stretches
from wastenot.analyzer.balance.releases import bursts, by_outsiders, under_way
from wastenot.analyzer.balance.sources import UNKNOWN, CpuSlices, TakenTime, interrupt_words, take
from wastenot.analyzer.balance.timelines import EMPTY, Ints, Timeline
from wastenot.analyzer.errors import BadArgument, NotChecked
from wastenot.analyzer.model.verdict import PROGRAM_TRACES, suspicions_of
from wastenot.analyzer.result import Queryable
from wastenot.analyzer.text.sentences import doubts_of

MOST_CREWS = 8
"""Crews that no launcher started that are looked at where the user names none; those that ran longest."""

STARTED_AS_ONE = ("launcher", "environment")
"""How crews are found that a launcher started: applications whatever they do."""

LEAST_ACTIVE = 0.1
"""Share of its time for which a crew is runnable on average, or it is not looked at."""

LEAST_COVERED = 0.5
"""Share of its time that iterations have to cover for a crew to be called an application."""

LEAST_PERIODIC = 0.1
"""Share of its time that iterations have to cover to be reported."""

ONE_PERIOD = 0.8
"""Share of its time that iterations of one period have to cover where ranks are nearly always woken together; else the
time between any two releases is a window."""

HIGHEST_FAIR = 100
"""The kernel's priority from which on threads are of a fair class (MAX_RT_PRIO)."""

FIXED_WINDOWS = 20
"""Windows into which the time of an application without iterations is cut."""

MOST_UNKNOWN = 0.05
"""Share of a window for which the state of a rank may not be known, or the window is left out."""

MOST_ROWS = 4_000_000
"""About so many states of ranks are read at once."""

MOST_CELLS = 4_000_000
"""Ranks times windows times parts that are kept one by one."""

SHOWN_EPISODES = 5


@dataclass(frozen=True)
class Selection:
    """What the user asks for: threads or processes by name, by cgroup, or a bubble; None: what looks like a program."""

    app: str | None = None
    cgroup: str | None = None
    bubble: int | None = None

    @property
    def is_given(self) -> bool:
        """Whether the user names something."""
        return (self.app, self.cgroup, self.bubble) != (None, None, None)


def balance_of(trace: Queryable, selection: Selection | None = None) -> Balance:
    """The balance of the applications of a trace. NotChecked; BadArgument where the selection has none."""
    selection = selection or Selection()
    if not trace.sql("SELECT 1 FROM verdict"):
        raise NotChecked(trace.path)
    threads = trace.metric("crew_threads", launchers=list(LAUNCHERS)).rows()
    facts = trace.metric("trace").one()
    crews, more = (
        (_selected(trace, threads, selection), 0)
        if selection.is_given
        else _plausible(threads, _declared(trace, threads))
    )
    applications: list[Application] = []
    candidates = []
    in_bubbles: set[int] = set()  # the threads of bubbles that are applications: crews in them are parts of these
    for crew in crews:
        if in_bubbles & crew.family:
            continue
        if crew.end_ns <= crew.start_ns:
            candidates.append(Candidate(crew, "never_together"))
            continue
        calls, evidence = _calls(trace, crew)
        if calls:
            found, releases, is_collective = _segments_by_calls(calls, crew)
        else:
            instants, is_collective = _releases(trace, crew)
            found, releases = _segments(instants, crew, is_collective), len(instants)
        covered = sum(int(bounds[-1] - bounds[0]) for kind, bounds, _ in found if kind == "iterations")
        is_certain = selection.is_given or crew.found_by in STARTED_AS_ONE or facts["source"] in PROGRAM_TRACES
        is_called = is_certain or is_collective
        if not is_certain and not calls and _is_realtime(trace, crew):
            candidates.append(Candidate(crew, "realtime"))
        elif is_called or covered >= LEAST_COVERED * (crew.end_ns - crew.start_ns):
            number = len(applications) + 1
            if crew.found_by == "bubble":
                in_bubbles |= crew.family
            applications.append(_measured(trace, crew, number, found, releases, calls, evidence))
        else:
            candidates.append(Candidate(crew, "no_iterations" if _sleeps(threads, crew) else "never_asleep"))
    suspect, doubt = _doubt(trace, facts)
    return Balance(
        tuple(applications), tuple(candidates), facts["start_ns"], bool(facts["shows_wakeups"]),
        suspect, doubt, more,
    )  # fmt: skip


def _doubt(trace: Queryable, facts: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    """The self-checks that make the trace suspect, and what the verdict says of them."""
    rows = trace.sql("SELECT what, detail, sum(value)::BIGINT AS value FROM data_quality GROUP BY ALL").rows()
    shares, counts = (
        {row["detail"]: row["value"] for row in rows if row["what"] == what and row["detail"] and row["value"]}
        for what in ("suspect", "self_check_total")
    )
    return tuple(sorted(shares)), doubts_of(suspicions_of(shares, counts), facts["unverified"])


def _selected(trace: Queryable, threads: list[Thread], selection: Selection) -> list[Crew]:
    if selection.bubble is not None:
        if selection.app is not None or selection.cgroup is not None:
            raise BadArgument(f"--bubble {selection.bubble}: goes without --app and --cgroup; choose one")
        return _of_bubble(trace, threads, selection.bubble)
    if selection.app is not None:
        chosen, what = matching(threads, selection.app), f"--app {selection.app!r}"
        nothing = "no thread that ran and no process has such a name; `wastenot top` lists names"
    else:
        path = selection.cgroup or "/"
        chosen, what = in_cgroup(threads, path), f"--cgroup {path!r}"
        nothing = "no thread that ran was in it; `wastenot top --by cgroup` lists the cgroups"
    if selection.app is not None and selection.cgroup is not None:
        chosen, what = in_cgroup(chosen, selection.cgroup), f"{what} --cgroup {selection.cgroup!r}"
    if not chosen:
        raise BadArgument(f"{what}: {nothing}")
    found_by = "app" if selection.app is not None else "cgroup"
    crews = find_crews(chosen, found_by)  # type: ignore[arg-type]
    if not crews:
        one = crew_of(chosen, selection.app or selection.cgroup or "", found_by)  # type: ignore[arg-type]
        crews = [] if one is None else [one]
    if not crews:
        raise BadArgument(f"{what}: only one thread that ran; a program has two ranks or more")
    return crews


MEMBERS = """WITH RECURSIVE inside(root, bubble_id) AS (
        SELECT bubble_id, bubble_id FROM bubble WHERE bubble_id IN (SELECT unnest($bubbles)) UNION
        SELECT root, m.member_id FROM bubble_member m JOIN inside USING (bubble_id) WHERE m.member_id IS NOT NULL)
    SELECT DISTINCT root, m.utid FROM bubble_member m JOIN inside USING (bubble_id) WHERE m.utid IS NOT NULL"""
"""The threads of bubbles and of the bubbles in them."""


def _of_bubble(trace: Queryable, threads: list[Thread], bubble: int) -> list[Crew]:
    names = trace.sql("SELECT name FROM bubble WHERE bubble_id = $bubble", {"bubble": bubble}).rows()
    if not names:
        raise BadArgument(f"--bubble {bubble}: this trace has no such bubble; `wastenot top --by bubble` lists them")
    members = {row["utid"] for row in trace.sql(MEMBERS, {"bubbles": [bubble]})}
    crew = crew_of([t for t in threads if t["utid"] in members], names[0]["name"] or f"bubble {bubble}", "bubble")
    if crew is None:
        raise BadArgument(f"--bubble {bubble}: fewer than two threads in it ran")
    return [crew]


def _declared(trace: Queryable, threads: list[Thread]) -> list[Crew]:
    """The crews of the outermost bubbles that programs declared, those that ran longest first."""
    if not trace.sql("SELECT 1 FROM bubble_event LIMIT 1"):
        return []
    roots = trace.sql(
        "SELECT bubble_id, name FROM bubble WHERE bubble_tree_name(tree) = 'declared' AND parent_id IS NULL"
    ).rows()
    of: dict[int, set[int]] = {}
    for row in trace.sql(MEMBERS, {"bubbles": [root["bubble_id"] for root in roots]}):
        of.setdefault(row["root"], set()).add(row["utid"])
    crews = []
    for root in roots:
        members = [t for t in threads if t["utid"] in of.get(root["bubble_id"], ())]
        if members and (crew := crew_of(members, root["name"] or f"bubble {root['bubble_id']}", "bubble")) is not None:
            crews.append(crew)
    return sorted(crews, key=lambda c: (-c.run_ns, c.ranks[0].utid))


def _plausible(threads: list[Thread], declared: Sequence[Crew] = ()) -> tuple[list[Crew], int]:
    """The crews that may be applications: all that were launched as one, the first that are `declared` and split no
    other crew, and of those that are active the ones that ran longest. Also how many active ones are left out."""
    sums = {t["utid"]: t["run_ns"] + t["wait_ns"] for t in threads}

    def is_active(crew: Crew) -> bool:
        whole = sum(r.ended_ns - r.born_ns for r in crew.ranks)
        return bool(sum(sums[r.utid] for r in crew.ranks) >= LEAST_ACTIVE * whole)

    launched = find_crews(threads)
    in_launched = {utid for c in launched if c.found_by in STARTED_AS_ONE for utid in c.family}
    bubbles = [
        c
        for c in declared[:MOST_CREWS]
        if not in_launched & c.family
        and all(other.family <= c.family for other in launched if other.family & c.family and is_active(other))
    ]
    found = [*bubbles, *(c for c in launched if c.found_by in STARTED_AS_ONE or is_active(c))]
    others = [c for c in found if c.found_by not in (*STARTED_AS_ONE, "bubble")]
    left_out = others[MOST_CREWS:]
    return [c for c in found if c not in left_out], len(left_out)


def _sleeps(threads: list[Thread], crew: Crew) -> bool:
    """Whether some rank slept for 1 % of its life or longer."""
    ranks = {r.utid for r in crew.ranks}
    return any(
        100 * (t["sleep_ns"] + t["blocked_ns"]) > t["ended_ns"] - t["born_ns"] for t in threads if t["utid"] in ranks
    )


def _is_realtime(trace: Queryable, crew: Crew) -> bool:
    """Whether all ranks run under a real-time or deadline class, most times that they start to run: such threads have
    timers of their own, and one that an interrupt wakes while another runs seems to be released by that one."""
    statement = """SELECT t.utid FROM thread t JOIN sched_switch e ON e.next_tid = t.tid
        AND e.ts_ns >= coalesce(t.start_ns, e.ts_ns) AND e.ts_ns <= coalesce(t.end_ns, e.ts_ns)
        WHERE t.utid IN (SELECT unnest($utids)) GROUP BY t.utid
        HAVING avg((e.next_prio < $fair)::INTEGER) > 0.5"""
    utids = [r.utid for r in crew.ranks]
    return len(trace.sql(statement, {"utids": utids, "fair": HIGHEST_FAIR}).rows()) == len(utids)


def _columns(rows: Any, *names: str) -> tuple[Ints, ...]:
    table = rows.arrow()
    return tuple(table.column(name).to_numpy().astype(np.int64) for name in names)


def _states(trace: Queryable, crew: Crew) -> Iterator[tuple[Rank, States]]:
    """What each rank did, in order of the ranks; some ranks are read at once."""
    group: list[Rank] = []
    rows = 0
    for rank in [*crew.ranks, None]:
        if group and (rank is None or rows > MOST_ROWS):
            columns = ("utid", "start_ns", "end_ns", "phase", "cpu")
            utids, *values = _columns(trace.metric("rank_states", utids=[r.utid for r in group]), *columns)
            for of in group:
                low, high = np.searchsorted(utids, [of.utid, of.utid + 1])
                yield of, States(*(v[low:high] for v in values))
            group, rows = [], 0
        if rank is not None:
            group.append(rank)
            rows += 4 * rank.switches


def _releases(trace: Queryable, crew: Crew) -> tuple[Ints, bool]:
    """The instants (ns) at which the ranks went on together, while all were alive, and whether they mostly did so."""
    utids = np.array([r.utid for r in crew.ranks])
    wakes = trace.metric("rank_wakes", utids=utids.tolist())
    table = wakes.arrow()
    wakers = np.nan_to_num(table.column("waker_utid").to_numpy(), nan=-1).astype(np.int64)
    ts_ns, woken = _columns(wakes, "ts_ns", "utid")
    creators = _creators(trace, crew)
    in_time = (ts_ns > crew.start_ns) & (ts_ns < crew.end_ns)
    is_inside = np.isin(wakers, np.array([*crew.family, *creators])) & in_time
    outside = np.flatnonzero(in_time & ~is_inside)
    is_inside[outside] = by_outsiders(ts_ns[outside], crew.places_of(woken[outside]), wakers[outside], len(utids))
    ts_ns, woken, wakers = ts_ns[is_inside], woken[is_inside], wakers[is_inside]
    by_ranks = np.where(np.isin(wakers, utids), crew.places_of(wakers), -1)
    found = bursts(ts_ns, crew.places_of(woken), by_ranks, len(utids))
    asleep = np.zeros(len(found.ends), np.int64)
    if len(asleep):
        for _, states in _states(trace, crew):
            of = (states.phases == SLEEPING) | (states.phases == BLOCKED)
            asleep += under_way(states.starts[of], states.ends[of], found.ends)
    return found.releases(len(utids), asleep), found.is_collective(len(utids), int(in_time.sum()))


def _creators(trace: Queryable, crew: Crew) -> list[int]:
    """The threads that created ranks, and those of the processes that did: a master that is not a rank itself."""
    statement = """SELECT DISTINCT c.utid FROM thread t JOIN thread c ON c.utid = t.parent_utid
        WHERE t.utid IN (SELECT unnest($utids)) AND c.is_kernel IS NOT TRUE AND c.utid <> 0"""
    return [row["utid"] for row in trace.sql(statement, {"utids": [r.utid for r in crew.ranks]})]


_Part = tuple[SegmentKind, Ints, int | None]


def _calls(trace: Queryable, crew: Crew) -> tuple[list[RankCalls], CallEvidence | None]:
    """When each rank was in calls that wait, and what the trace has of them. Without ranks where that is not enough:
    some rank has no calls, or for most of the time one is in none."""
    utids = [r.utid for r in crew.ranks]
    counts = trace.metric("rank_call_counts", utids=utids).rows()
    if not counts:
        return [], None
    totals: dict[tuple[str, str], int] = {}
    for row in counts:
        key = (row["name"], row["kind"])
        totals[key] = totals.get(key, 0) + row["calls"]
    ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    named = tuple(CallCount(name, kind, calls) for (name, kind), calls in ordered)
    having = {row["utid"] for row in counts if row["kind"] != "startup" and row["calls"]}
    lost = trace.sql("SELECT coalesce(sum(count), 0)::BIGINT AS n FROM lost_events WHERE what = 'region_event'")
    calls: list[RankCalls] = []
    not_whole = 0
    if len(having) == len(utids):
        names = sorted({c.name for c in named})
        calls = with_joined_parted(list(_calls_of_ranks(trace, crew, counts, names)), names)
        calls = without_released(calls)
        calls = with_unseen_ends(calls, crew.start_ns, crew.end_ns)
        not_whole = sum(c.not_whole for c in calls)
        if _seen_in_calls(calls, crew) < SEEN:
            calls = []
    return calls, CallEvidence(named, len(having), lost.one()["n"], not_whole, bool(calls))


def _calls_of_ranks(
    trace: Queryable, crew: Crew, counts: list[dict[str, Any]], names: list[str]
) -> Iterator[RankCalls]:
    """Of each rank, in order; some ranks are read at once."""
    rows_of: dict[int, int] = {}
    for row in counts:
        rows_of[row["utid"]] = rows_of.get(row["utid"], 0) + 2 * row["calls"]
    group: list[Rank] = []
    rows = 0
    for rank in [*crew.ranks, None]:
        if group and (rank is None or rows > MOST_ROWS):
            columns = ("utid", "ts_ns", "kind", "enter", "name")
            of_group = trace.metric("rank_calls", utids=[r.utid for r in group], names=names)
            utids, ts_ns, kinds, enters, numbers = _columns(of_group, *columns)
            for of in group:
                part = slice(*np.searchsorted(utids, [of.utid, of.utid + 1]))
                yield rank_calls(RegionEvents(ts_ns[part], kinds[part], enters[part] == 1, numbers[part]))
            group, rows = [], 0
        if rank is not None:
            group.append(rank)
            rows += rows_of[rank.utid]


def _seen_in_calls(calls: Sequence[RankCalls], crew: Crew) -> float:
    """The share of the time, in windows of equal length, in which every rank entered, left or was in a call."""
    windows = min(FIXED_WINDOWS, crew.end_ns - crew.start_ns)
    bounds = crew.start_ns + np.arange(windows + 1) * (crew.end_ns - crew.start_ns) // windows
    seen = np.ones(windows, np.bool_)
    for of in calls:
        events = np.diff(np.searchsorted(of.instants, bounds))
        seen &= (events > 0) | (of.waiting.in_windows(bounds) > 0)
    return float(seen.mean())


def _segments_by_calls(calls: Sequence[RankCalls], crew: Crew) -> tuple[list[_Part], int, bool]:
    """As `_segments`, by the calls of one rank: the first one that starts parallel regions, else the first. Also how
    many calls that is, and whether calls show that the ranks belong together."""
    of = next((c for c in calls if c.starts_regions), calls[0]).calls
    start, end = crew.start_ns, crew.end_ns
    found = iterations_by_calls(of, start, end)
    parts: list[_Part] = []
    if sum(int(p.bounds[-1] - p.bounds[0]) for p in found) >= LEAST_PERIODIC * (end - start):
        parts = [("iterations", p.bounds, p.period) for p in found]
    else:
        ends = ends_of_all(of, start, end)
        if len(ends) > FIXED_WINDOWS and ends[-1] - ends[0] >= LEAST_COVERED * (end - start):
            parts = [("releases", ends, None)]
    if not parts:
        return _segments(np.zeros(0, np.int64), crew, False), len(of.starts), True
    return _filled(parts, start, end), len(of.starts), True


def _filled(parts: list[_Part], start: int, end: int) -> list[_Part]:
    """The parts of a time with what lies before, between and after them."""
    out: list[_Part] = []
    at = start
    for kind, bounds, period in parts:
        if bounds[0] > at:
            out.append(("outside", np.array([at, bounds[0]]), None))
        out.append((kind, bounds, period))
        at = int(bounds[-1])
    if end > at:
        out.append(("outside", np.array([at, end]), None))
    return out


def _segments(releases: Ints, crew: Crew, is_collective: bool) -> list[_Part]:
    """Kind, bounds and period of each segment, in order, from the start to the end of the crew's common life."""
    start, end = crew.start_ns, crew.end_ns
    found = stretches(releases)
    by_period: dict[int, int] = {}
    for s in found:
        by_period[s.period] = by_period.get(s.period, 0) + int(releases[s.last] - releases[s.first])
    covered = sum(by_period.values())
    if is_collective and len(releases) > 1 and max(by_period.values(), default=0) < ONE_PERIOD * (end - start):
        inside: _Part = ("releases", releases, None)
        before: _Part = ("outside", np.array([start, releases[0]]), None)
        after: _Part = ("outside", np.array([releases[-1], end]), None)
        return [before, inside, after]
    if covered < LEAST_PERIODIC * (end - start):
        windows = min(FIXED_WINDOWS, end - start)
        return [("windows", start + np.arange(windows + 1) * (end - start) // windows, None)]
    periodic: list[_Part] = [("iterations", releases[s.first : s.last + 1 : s.period], s.period) for s in found]
    return _filled(periodic, start, end)


def _measured(
    trace: Queryable,
    crew: Crew,
    number: int,
    parts_of_time: list[_Part],
    releases: int,
    calls: Sequence[RankCalls],
    evidence: CallEvidence | None,
) -> Application:
    bounds = np.concatenate([[crew.start_ns], *(b[1:] for _, b, _ in parts_of_time)])
    firsts = np.cumsum([0, *(len(b) - 1 for _, b, _ in parts_of_time)])
    on_cpus = cpu_times(trace)
    inside = [InCalls(c.waiting, c.unknown) for c in calls] or [InCalls()] * len(crew.ranks)
    whole = _pass(trace, crew, on_cpus, inside, bounds, firsts, np.ones(len(bounds) - 1, np.bool_))
    observed = whole.figures.max_other <= MOST_UNKNOWN * np.diff(bounds)
    part = whole if observed.all() else _pass(trace, crew, on_cpus, inside, bounds, firsts, observed)
    avoidable = _avoidable(trace, crew)
    cpus = sorted(whole.cpus - {-1})
    of_kind = np.array([kind == "iterations" for kind, *_ in parts_of_time])
    iterations = np.repeat(of_kind, np.diff(firsts))
    taken = _taken(trace, crew, cpus, inside, avoidable, bounds, part.figures.critical, observed, iterations)
    ends = bounds[[0, -1]]
    counters = _counters(trace, crew, [i.not_computing for i in inside], ends)
    ranks = tuple(
        RankTime(
            r, whole.by_segment.sum(axis=0)[r.place],
            sum(int(t.in_windows(ends).sum()) for t in avoidable[r.place].values()), counters.get(r.place),
        )
        for r in crew.ranks
    )  # fmt: skip
    totals = part.by_segment.sum(axis=0)
    lengths = np.where(observed, np.diff(bounds), 0)
    segments = tuple(
        _segment(i, kind, slice(int(firsts[i]), int(firsts[i + 1])), b, period, part, observed, lengths, not calls)
        for i, (kind, b, period) in enumerate(parts_of_time)
    )
    return Application(
        number, crew, "H1" if calls else "H0", evidence, int(bounds[0]), int(bounds[-1]), bounds, segments, ranks,
        tuple(part.by_segment),
        part.figures, efficiency(totals[:, PLACE["compute"]], int(lengths.sum())),
        tuple(
            _sources(
                trace, crew, part, part.by_segment[of_kind].sum(axis=0), taken, iterations, names_interrupts=not calls
            )
        ),
        tuple(trace.metric("rank_episodes", utids=[r.utid for r in crew.ranks], limit=SHOWN_EPISODES).rows()),
        whole.detail, releases, observed, tuple(i.waiting for i in inside),
    )  # fmt: skip


@dataclass(frozen=True)
class InCalls:
    """When a rank waited in calls, and when it is not known whether it did."""

    waiting: Timeline = EMPTY
    unknown: Timeline = EMPTY

    @property
    def not_computing(self) -> Timeline:
        """When it waited, or may have done so."""
        if not len(self.unknown.starts):
            return self.waiting
        starts = np.concatenate([self.waiting.starts, self.unknown.starts])
        ends = np.concatenate([self.waiting.ends, self.unknown.ends])
        order = np.argsort(starts, kind="stable")
        starts, reached = starts[order], np.maximum.accumulate(ends[order])
        heads = np.flatnonzero(np.concatenate([[True], starts[1:] > reached[:-1]]))
        return Timeline.of(starts[heads], reached[np.append(heads[1:], len(starts)) - 1])


@dataclass(frozen=True)
class _Pass:
    """What one walk over the states of all ranks gives."""

    figures: WindowFigures
    by_segment: Ints
    detail: Ints | None
    cpus: set[int]


def _pass(
    trace: Queryable,
    crew: Crew,
    on_cpus: CpuTimes,
    inside: Sequence[InCalls],
    bounds: Ints,
    firsts: Ints,
    counted: NDArray[np.bool_],
) -> _Pass:
    """Decompose the time of each rank; windows that do not count are left empty."""
    windows, count = len(bounds) - 1, len(crew.ranks)
    figures = WindowFigures(windows)
    by_segment = np.zeros((len(firsts) - 1, count, len(PARTS)), np.int64)
    keep = count * windows * len(PARTS) <= MOST_CELLS
    detail = np.zeros((count, len(PARTS), windows), np.int64) if keep else None
    cpus: set[int] = set()
    for rank, states in _states(trace, crew):
        parts = decompose(states, on_cpus, bounds, inside[rank.place].waiting, inside[rank.place].unknown) * counted
        figures.add(parts)
        by_segment[:, rank.place] = np.add.reduceat(parts, firsts[:-1], axis=1).T
        if detail is not None:
            detail[rank.place] = parts
        queued = (states.phases == RUNNABLE) | (states.phases == PREEMPTED)
        cpus.update(np.unique(states.cpus[queued]).tolist())
    return _Pass(figures, by_segment, detail, cpus)


def _segment(
    number: int,
    kind: SegmentKind,
    of: slice,
    bounds: Ints,
    period: int | None,
    part: _Pass,
    observed: NDArray[np.bool_],
    lengths: Ints,
    by_releases: bool,
) -> Segment:
    figures = part.figures
    returns_after = 1
    if by_releases and kind == "iterations" and part.detail is not None:
        returns_after = meetings_of_iteration(part.detail[:, PLACE["compute"], of].astype(np.float64))
    computes = part.by_segment[number][:, PLACE["compute"]]
    lost, intrinsic, extrinsic = (
        float(values[of].sum()) / figures.ranks for values in (figures.lost_n, figures.intrinsic_n, figures.extrinsic_n)
    )
    return Segment(
        number + 1, kind, of.start, of.stop, int(bounds[0]), int(bounds[-1]), period, int(np.median(np.diff(bounds))),
        efficiency(computes, int(lengths[of].sum())), lost, intrinsic, extrinsic, int(observed[of].sum()),
        returns_after,
    )  # fmt: skip


def _counters(trace: Queryable, crew: Crew, waiting: Sequence[Timeline], ends: Ints) -> dict[int, RankCounters]:
    """By rank, what hardware counters say of its computing; empty where the trace has none."""
    rows = trace.metric("rank_counters", utids=[r.utid for r in crew.ranks])
    if not len(rows.arrow()):
        return {}
    utids, *values = _columns(rows, "utid", "ts_ns", "is_cycles", "value")
    found = {}
    for rank, states in _states(trace, crew):
        low, high = np.searchsorted(utids, [rank.utid, rank.utid + 1])
        readings = Readings(*(v[low:high] for v in values))
        of = rank_counters(states, waiting[rank.place], readings, int(ends[0]), int(ends[1]))
        if of is not None:
            found[rank.place] = of
    return found


def cpu_times(trace: Queryable) -> CpuTimes:
    """When each CPU did interrupt work, and when it was not observed."""
    return CpuTimes(_of_cpus(trace, "irq_span", "interrupts_of_cpu"), _of_cpus(trace, "cpu_slice", "unobserved_of_cpu"))


def _of_cpus(trace: Queryable, table: str, metric: str) -> dict[int, Timeline]:
    """The intervals of a metric by CPU, for the CPUs of a table that have some."""
    cpus = [row["cpu"] for row in trace.sql(f"SELECT DISTINCT cpu FROM {table} ORDER BY cpu")]
    found = {cpu: Timeline.of(*_columns(trace.metric(metric, cpu=cpu), "start_ns", "end_ns")) for cpu in cpus}
    return {cpu: timeline for cpu, timeline in found.items() if len(timeline.starts)}


def _avoidable(trace: Queryable, crew: Crew) -> list[dict[int, Timeline]]:
    """Per rank and CPU on which it was queued, when it waited beside an idle CPU that it may use."""
    out: list[dict[int, Timeline]] = []
    columns = ("utid", "waited_on", "start_ns", "end_ns")
    utids, on, starts, ends = _columns(trace.metric("avoidable_waits", utids=[r.utid for r in crew.ranks]), *columns)
    for rank in crew.ranks:
        low, high = np.searchsorted(utids, [rank.utid, rank.utid + 1])
        of = {cpu: on[low:high] == cpu for cpu in np.unique(on[low:high]).tolist()}
        out.append({cpu: Timeline.of(starts[low:high][is_on], ends[low:high][is_on]) for cpu, is_on in of.items()})
    return out


def _taken(
    trace: Queryable,
    crew: Crew,
    cpus: Sequence[int],
    inside: Sequence[InCalls],
    avoidable: list[dict[int, Timeline]],
    bounds: Ints,
    critical: Ints,
    counted: NDArray[np.bool_],
    iterations: NDArray[np.bool_],
) -> TakenTime:
    taken = TakenTime()
    utids = np.array([r.utid for r in crew.ranks])
    for cpu in cpus:
        columns = ("utid", "start_ns", "end_ns", "phase")
        waited, starts, ends, phases = _columns(trace.metric("rank_waits", utids=utids.tolist(), cpu=cpu), *columns)
        waits = _outside_calls(crew.places_of(waited), starts, ends, phases, inside)
        slices = CpuSlices(*_columns(trace.metric("slices_of_cpu", cpu=cpu), "start_ns", "end_ns", "utid"))
        beside = {n: of[cpu] for n, of in enumerate(avoidable) if cpu in of}
        take(taken, waits, slices, beside, bounds, critical, counted, iterations)
    return taken


def _outside_calls(
    ranks: Ints, starts: Ints, ends: Ints, phases: Ints, inside: Sequence[InCalls]
) -> tuple[Ints, Ints, Ints]:
    """The waits (rank, start, end) that keep a rank from computing: not those of one that waits in a call anyway."""
    if not any(len(of.waiting.starts) or len(of.unknown.starts) for of in inside):
        return ranks, starts, ends
    pieces = []
    for rank in np.unique(ranks).tolist():
        of = ranks == rank
        states = States(starts[of], ends[of], phases[of], np.zeros(int(of.sum()), np.int64))
        cut, is_inside = in_calls(known_of(states, inside[rank].unknown), inside[rank].waiting)
        kept = cut.where(~is_inside)
        pieces.append((np.full(len(kept.starts), rank), kept.starts, kept.ends))
    if not pieces:
        return ranks, starts, ends
    rank_of, start_of, end_of = (np.concatenate(values) for values in zip(*pieces, strict=True))
    return rank_of, start_of, end_of


def _interrupts(trace: Queryable, crew: Crew) -> str:
    """Interrupts, with those that took most time while ranks ran."""
    utids = [r.utid for r in crew.ranks]
    cpus = [row["cpu"] for row in trace.metric("rank_places", utids=utids)]
    times = {"start_ns": crew.start_ns, "end_ns": crew.end_ns}
    rows = trace.metric("interrupt_sources", cpus=cpus or [-1], utids=utids, limit=1, **times).rows()
    words = interrupt_words(rows[0]) if rows else None
    return "interrupts" if words is None else f"interrupts (most: {words})"


def _sources(
    trace: Queryable, crew: Crew, part: _Pass, of_iterations: Ints, taken: TakenTime, iterations: NDArray[np.bool_],
    *, names_interrupts: bool,
) -> Iterator[Source]:  # fmt: skip
    """What adds up to the extrinsic imbalance, the largest first. `of_iterations`: ns by rank and part within them.

    `names_interrupts`: those that hit a rank as it ran took that time from it, since it does not spin in calls.
    """
    figures, totals = part.figures, part.by_segment.sum(axis=0)
    count = figures.ranks
    waits = [i for i, part in enumerate(EXTRINSIC) if part in ("preempted", "queued")]
    waiting = [PLACE["preempted"], PLACE["queued"]]
    known = {u: ns for u, ns in taken.everything.items() if u != UNKNOWN}
    names = {
        row["utid"]: row
        for row in trace.sql(
            "SELECT utid, tid, name FROM thread WHERE utid IN (SELECT unnest($utids))", {"utids": [*known, 0]}
        )
    }
    ranks = {r.utid for r in crew.ranks}

    def of(
        kind: SourceKind, name: str, run: tuple[int, int], inside: tuple[int, int], utid: int | None = None,
        beside: int = 0,
    ) -> Source:  # fmt: skip
        """What it took from the rank that ended last, and from all: of the run, and in iterations."""
        tid = names[utid]["tid"] if utid in names and utid else None
        (critical, whole), (of_last, of_all) = run, inside
        return Source(
            kind, utid, tid, name, critical - whole / count, beside, whole, critical, of_last - of_all / count
        )

    found = []
    for utid, whole in known.items():
        kind: SourceKind = "idle" if utid == 0 else "rank" if utid in ranks else "thread"
        name = "the CPU was about to switch" if utid == 0 else names[utid]["name"] or f"tid {names[utid]['tid']}"
        inside = taken.critical_in_iterations[utid], taken.everything_in_iterations[utid]
        found.append(of(kind, name, (taken.critical[utid], whole), inside, utid, taken.avoidable[utid]))
    last = figures.critical_parts[waits].sum(axis=0)
    unknown = [
        (
            int(last[chosen].sum()) - sum(of_last[u] for u in known),
            int(sums[:, waiting].sum()) - sum(of_all[u] for u in known),
        )
        for chosen, sums, of_last, of_all in (
            (slice(None), totals, taken.critical, taken.everything),
            (iterations, of_iterations, taken.critical_in_iterations, taken.everything_in_iterations),
        )
    ]
    found.append(of("unknown", "not observed", unknown[0], unknown[1]))
    for part_name, name in (
        ("irq", _interrupts(trace, crew) if names_interrupts else "interrupts"),
        ("throttled", "no quota left"),
    ):
        last = figures.critical_parts[EXTRINSIC.index(part_name)]
        run, within = (int(sums[:, PLACE[part_name]].sum()) for sums in (totals, of_iterations))
        sums_of_last = int(last.sum()), int(last[iterations].sum())
        found.append(of(part_name, name, (sums_of_last[0], run), (sums_of_last[1], within)))  # type: ignore[arg-type]
    moved, moved_inside = (float(figures.moved_n[chosen].sum()) / count for chosen in (slice(None), iterations))
    found.append(Source("moved", None, None, "hit a rank with less work", moved, 0, 0, 0, moved_inside))
    yield from sorted((s for s in found if s.extrinsic_ns or s.taken_ns), key=lambda s: -abs(s.extrinsic_ns))

"""Balance of parallel programs for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text
from wastenot.analyzer.balance.application import (
    BUSY,
    OBSERVED,
    Application,
    Balance,
    CallEvidence,
    Candidate,
    Segment,
    Source,
)
from wastenot.analyzer.balance.counters import RankCounters
from wastenot.analyzer.balance.crews import Crew
from wastenot.analyzer.balance.decomposition import PARTS, PLACE
from wastenot.analyzer.balance.metrics import Efficiency, by_part
from wastenot.analyzer.render.terminal import plain_table
from wastenot.analyzer.text.units import counted, cpu_list, duration, percent

SHOWN_RANKS = 32
"""Ranks that the terminal lists; with more, the ones that computed most and least."""

SHOWN_SOURCES = 6
HELPERS = 0.05
"""Share of what the ranks ran from which on further threads of their processes are mentioned."""

SHOWN_SEGMENTS = 12
LEAST_SHOWN = 0.0005
"""Parts of less than this share of every rank's time have no column."""

LEAST_APART = 0.005
"""By how much U within iterations differs from that of the whole run, for some rank, or it has no column."""

LISTED_ITERATIONS = 10_000
"""Windows, and cells of ranks and windows, that JSON lists at most."""

_FOUND_BY = {
    "launcher": "started by {launcher}",
    "environment": "started as ranks by their environment",
    "siblings": "found by its names, its lives and its {seen}",
    "app": "named by --app",
    "cgroup": "named by --cgroup",
    "bubble": "declared as a bubble",
}
_WHY = {
    "no_iterations": "no iterations seen: not called an application",
    "never_asleep": "its threads hardly sleep: a parallel program that spins while it waits and independent work look "
    "the same. Not visible",
    "never_together": "its ranks were never alive at one time",
    "realtime": "its threads run under a real-time or deadline class, each by a timer of its own: not called an "
    "application",
}
_UNIT = {"H0": "release", "H1": "call"}
_TOGETHER = {"H0": "its ranks are woken together", "H1": "its ranks meet in calls"}
_BETWEEN = {"H0": "releases", "H1": "the ends of such calls"}
LEAST_SEGMENT = 0.002
"""Segments of less than this share of the time are not shown."""

EVIDENCE = {
    "H0": "Evidence H0: switches and wakeups. Waiting is seen as sleep; what a rank spins while it waits counts as "
    "computing. Unless the rank that computes most is one that spins, load balance is at most, and what is lost at "
    "least, what is shown.",
    "H1": "Evidence H1: switches, wakeups and {calls}. A rank waits while it is in one, asleep or spinning; what it "
    "waits for elsewhere (locks, files, loops of its own) counts as computing where it spins.",
}
PART_MEANINGS = {
    "compute": "On a CPU, outside of calls that wait",
    "spin": "On a CPU inside a call: it waits and looks busy",
    "wait": "Asleep: it waits for other ranks, messages or a timer. Inside a call that waits also preempted, blocked or"
    " without quota",
    "preempted": "Runnable after a preemption: another thread ran on its CPU",
    "queued": "Runnable after a wakeup, not yet on a CPU",
    "irq": "Its CPU did interrupt work, outside of calls that wait",
    "blocked": "Uninterruptible sleep outside of calls that wait: I/O, page faults",
    "throttled": "Runnable outside of calls that wait, and its cgroup had no quota",
    "other": "Stopped, not alive, or not known, as from a call that was not seen to end to the next one",
}
"""What each part of a rank's time is, in words."""

WITHOUT_BODIES = (
    " When threads execute parallel regions is not recorded (the program is stripped): what they spin at the ends of "
    "these counts as computing."
)
WITHOUT_WAKEUPS = "This trace has no wakeups: iterations cannot be found, and waits after wakeups are not seen."

NAMED_CALLS = 3
"""Functions that the evidence names, those called most often."""


def balance_text(balance: Balance) -> RenderableType:
    """What `wastenot balance` prints."""
    parts: list[RenderableType] = [Text(headline(balance), style="bold")]
    parts += [Text(remark) for remark in balance_remarks(balance)]
    for application in balance.applications:
        parts += [Text(), *_application(application, balance.start_ns)]
    if balance.candidates:
        parts += [Text(), Text("Possible applications, not measured:")]
        parts += [Padding(Text(candidate_words(c)), (0, 0, 0, 2)) for c in balance.candidates]
        parts.append(Text("`--app NAME` measures one all the same."))
    return Group(*parts)


def balance_remarks(balance: Balance) -> list[str]:
    """What puts all figures in doubt, what the trace lacks, and what was not looked at."""
    more = balance.unlisted_crews
    return [
        *([f"{balance.doubt[0].upper()}{balance.doubt[1:]}."] if balance.doubt else []),
        *([] if balance.shows_wakeups else [WITHOUT_WAKEUPS]),
        *([f"{counted(more, 'further crew')} of threads or processes ran less and {'was' if more == 1 else 'were'} not "
           "looked at: --app names one."] if more else []),
    ]  # fmt: skip


def headline(balance: Balance) -> str:
    """The first line: what was found, how balanced it is, and the evidence."""
    found = balance.applications
    if not found:
        return "No application found: no threads or processes that wait for each other in iterations."
    states = {
        "imbalanced": "imbalanced", "balanced": "balanced", "no_imbalance_seen": "without imbalance that is seen",
        "not_visible": "not visible",
    }  # fmt: skip
    counts = [(words, sum(a.state == state for a in found)) for state, words in states.items()]
    if len(found) == 1:
        return headline_of(found[0], balance)
    levels = [(level, sum(a.evidence == level for a in found)) for level in ("H0", "H1", "H2")]
    evidence = ", ".join(f"{level} of {n}" for level, n in levels if n)
    shown = ", ".join(f"{n} {words}" for words, n in counts if n)
    return f"{counted(len(found), 'application')}: {shown} (evidence {evidence}){in_doubt(balance)}"


def headline_of(a: Application, balance: Balance) -> str:
    """How balanced one application is, the evidence, and whether the trace is in doubt."""
    return f"{a.crew.name}: {_state_words(a)} {_rests_on(a)}{in_doubt(balance)}"


def in_doubt(balance: Balance) -> str:
    """What a headline adds where the trace is suspect or unverified."""
    return f"; the trace is {balance.doubt.split(':')[0]}" if balance.doubt else ""


def _rests_on(a: Application) -> str:
    """The level of evidence, and what it is."""
    if a.level == "H0" or a.calls is None:
        return "(H0: sleep and wakeups)"
    missing = f"; {a.calls.not_whole:,} not seen whole" if a.calls.not_whole else ""
    lost = f"; {counted(a.calls.lost, 'event')} of calls lost" if a.calls.lost else ""
    counters = "; hardware counters" if a.has_counters else ""
    return f"({a.evidence}: calls of {_names_of_calls(a)}{missing}{lost}{counters})"


def _names_of_calls(a: Application) -> str:
    assert a.calls is not None
    names = [c.name for c in a.calls.counts]
    if len(names) <= NAMED_CALLS + 1:
        return ", ".join(names)
    return ", ".join(names[:NAMED_CALLS]) + f" and {len(names) - NAMED_CALLS} more"


def evidence_words(a: Application) -> str:
    """What the figures rest on, and what that leaves open."""
    if a.calls is None:
        return EVIDENCE["H0"]
    number = f"{counted(a.calls.total, 'call')} of {_names_of_calls(a)}"
    lost = f" {counted(a.calls.lost, 'event')} of calls were lost: waiting is less exact." if a.calls.lost else ""
    if a.calls.not_whole:
        lost += (
            f" {counted(a.calls.not_whole, 'call was', 'calls were')} not seen to start, or not to end: whether the "
            "rank waited or computed from there to its next call, or since the one before, is not known."
        )
    if a.calls.is_used:
        kinds = {c.kind for c in a.calls.counts}
        without = WITHOUT_BODIES if "parallel" in kinds and "work" not in kinds else ""
        return EVIDENCE["H1"].format(calls=number) + without + lost
    if a.calls.ranks < len(a.ranks):
        why = f"of {a.calls.ranks} of {len(a.ranks)} ranks alone"
    else:
        why = "for most of the time a rank is in none"
    return f"{EVIDENCE['H0']} The trace has {number}, which are not used: {why}.{lost}"


def _state_words(application: Application) -> str:
    if application.state == "not_visible":
        return "balance not visible"
    lost = percent(max(application.lost_ns, 0) / application.length_ns)
    figure = percent(application.efficiency.load_balance or 0)
    if application.level == "H0":
        seen = "no imbalance seen, " if application.state == "no_imbalance_seen" else ""
        return f"{seen}at least {lost} of the time lost to imbalance, load balance at most {figure}"
    even = "balanced, " if application.state == "balanced" else ""
    return f"{even}{lost} of the time lost to imbalance, load balance {figure}"


def _application(a: Application, trace_start_ns: int) -> Iterator[RenderableType]:
    yield Text(f"Application {a.number}: {crew_words(a.crew, a.level)}")
    yield Text(time_words(a, trace_start_ns))
    if not a.observed.all():
        yield Text(observed_words(a))
    if a.state == "not_visible":
        yield Text(not_visible_words(a))
    else:
        yield _figures(a)
        yield Text(loss_words(a))
        if counted_work := counters_words(a):
            yield Text(counted_work)
        yield from _sources(a)
    yield _ranks(a)
    if helpers := helpers_words(a):
        yield Text(helpers)
    if len(a.segments) > 1:
        yield _segments(a, trace_start_ns)
    yield Text(evidence_words(a), style="dim")


def helpers_words(a: Application) -> str:
    """What further threads of the ranks' processes ran; empty where that is little."""
    helpers = sum(r.rank.helpers_run_ns for r in a.ranks)
    if helpers <= HELPERS * a.crew.run_ns:
        return ""
    return (
        f"Further threads of these processes ran for {duration(helpers)}, {percent(helpers / a.crew.run_ns)} of what "
        "the ranks ran, and are not counted: of a process its busiest thread is the rank."
    )


def crew_words(crew: Crew, level: str = "H0") -> str:
    """What the ranks are and how they were found."""
    of = f" of process {crew.ranks[0].tgid}" if crew.kind == "threads" and crew.ranks[0].tgid is not None else ""
    seen = "calls" if level == "H1" else "wakeups"
    by = _FOUND_BY[crew.found_by].format(launcher=crew.launcher, seen=seen)
    return f"{crew_words_short(crew)}{of}, {by}{_elsewhere_words(crew)}"


def _elsewhere_words(crew: Crew) -> str:
    """Which of the program's ranks these are, where it has others; else empty."""
    if not crew.ranks_elsewhere:
        return ""
    numbers = cpu_list(crew.numbers.tolist())
    of = "more" if crew.world_size is None else crew.world_size
    return f". They are ranks {numbers} of {of}, and figures of balance are of these alone"


_ORDINALS = {2: "second", 3: "third", 4: "fourth"}


def time_words(a: Application, trace_start_ns: int) -> str:
    """When all ranks were alive, and the iterations or windows that figures are of."""
    at = f"All ranks alive from +{(a.start_ns - trace_start_ns) / 1e9:.6f} s for {duration(a.whole_ns)}."
    repeating = [s for s in a.segments if s.kind == "iterations"]
    if any(s.kind == "releases" for s in a.segments):
        between = next(s for s in a.segments if s.kind == "releases")
        return (
            f"{at} No iterations of one period; {_TOGETHER[a.level]}: figures are of "
            f"{counted(between.end - between.first, 'stretch', 'stretches')} between {_BETWEEN[a.level]}, typically "
            f"{duration(between.typical_ns)}."
        )
    if not repeating:
        return (
            f"{at} No iterations: no three equal periods in {counted(a.releases, _UNIT[a.level])} of its ranks; "
            f"figures are of {counted(len(a.bounds) - 1, 'window')} of {duration(a.segments[0].typical_ns)}."
        )
    longest = max(repeating, key=lambda s: s.end_ns - s.start_ns)
    count = sum(s.end - s.first for s in repeating)
    share = sum(s.end_ns - s.start_ns for s in repeating) / a.whole_ns
    each = f" ({longest.period} {_UNIT[a.level]}s each)" if (longest.period or 1) > 1 else ""
    returns = longest.work_returns_after
    if returns > 1:
        where = " in the longest stretch" if len(repeating) > 1 else ""
        every = f"what ranks compute returns{where} with every {_ORDINALS[returns]}"
        each += f"; {every}: an iteration of the program may be {returns} of these"
    return (
        f"{at} {counted(count, 'iteration')}, typically {duration(longest.typical_ns)}{each}, in {percent(share)} of "
        "this time."
    )


def observed_words(a: Application) -> str:
    """What was left out, since the state of a rank is not known there."""
    left_out = int((~a.observed).sum())
    return (
        f"Left out: {counted(left_out, 'window')} of {len(a.bounds) - 1} "
        f"({percent(1 - a.length_ns / a.whole_ns)} of the "
        "time), in which the state of a rank is not known (its CPU was not observed, or events of it or its calls are "
        "missing)."
    )


def not_visible_words(a: Application) -> str:
    """Why the balance is not visible, and what to do."""
    if a.length_ns < OBSERVED * a.whole_ns:
        return "Balance not visible: for most of the time the state of a rank is not known."
    low = min(r.utilization or 0 for r in a.ranks)
    if low >= BUSY:
        seen = f"every rank is runnable nearly all the time (U is {percent(low)}{' or more' if low < 1 else ''})"
    else:
        seen = f"a rank is seen to wait in {percent(a.waiting_seen)} of the time only"
    return (
        f"Balance not visible: {seen}. Ranks that "
        "spin while they wait look like ranks that compute. Record again with `wastenot record --openmp` or `--mpi`, "
        "which see the calls in which they wait."
    )


def _figures(a: Application) -> RenderableType:
    heads = ("load balance", "communication efficiency", "parallel efficiency", "lambda", "U")
    table = plain_table(*((head, "right") for head in heads))
    table.add_row(*_efficiency_cells(a.efficiency), _share(a.efficiency.imbalance), _share(a.utilization))
    return table


def _efficiency_cells(e: Efficiency) -> tuple[str, str, str]:
    return _share(e.load_balance), _share(e.communication_efficiency), _share(e.parallel_efficiency)


def _share(value: float | None) -> str:
    return "-" if value is None else percent(value)


def loss_words(a: Application) -> str:
    """What was lost to imbalance, intrinsic and extrinsic, and the rank that computes most."""
    computes = a.totals[:, PLACE["compute"]]
    heaviest = int(computes.argmax())
    times = f"{computes[heaviest] / computes.mean():.2f} times the mean" if computes.any() else "-"
    return (
        f"Lost to imbalance: {percent(a.lost_ns / a.length_ns)} of the time ({duration(round(a.lost_ns))}), of it "
        f"intrinsic {percent(a.intrinsic_ns / a.length_ns)} (the ranks' own computing), extrinsic "
        f"{percent(a.extrinsic_ns / a.length_ns)} (what the machine added). "
        f"Rank {a.ranks[heaviest].rank.number} computes most: {times}."
    )


def counters_words(a: Application) -> str:
    """Whether the rank that computes most has more work, or is slower; empty without hardware counters."""
    if not a.has_counters:
        return ""
    heaviest = int(a.totals[:, PLACE["compute"]].argmax())
    computes = a.totals[:, PLACE["compute"]]
    counted_ranks = [r.counters for r in a.ranks if r.counters is not None]
    # Runs that touch a call are not counted: what was counted stands for all computing of the rank.
    work = np.array([c.instructions / c.counted_ns for c in counted_ranks]) * computes
    ipc = np.array([c.ipc for c in counted_ranks])
    if not work.any():
        return ""
    more, faster = work[heaviest] / work.mean(), ipc[heaviest] / ipc.mean()
    share = sum(c.counted_ns for c in counted_ranks) / max(int(computes.sum()), 1)
    spins = "" if a.level == "H1" else ", which may hold spinning"
    number = a.ranks[heaviest].rank.number
    return (
        f"Hardware counters: rank {number} executes {more:.2f} times the mean of instructions at {faster:.2f} times "
        f"the mean of instructions per cycle (of {percent(min(share, 1))} of the computing{spins})."
    )


def _sources(a: Application) -> Iterator[RenderableType]:
    shown = shown_sources(a)
    if not shown:
        return
    # The start of a program may hold more noise than its iterations, or less.
    differs = a.has_iterations and any(
        abs(s.extrinsic_ns - s.in_iterations_ns) >= LEAST_APART * a.length_ns for s in shown
    )
    table = plain_table(
        ("extrinsic", "right"), *((("in iterations", "right"),) if differs else ()), ("beside an idle CPU", "right"),
        ("by", "left"),
    )  # fmt: skip
    for source in shown[:SHOWN_SOURCES]:
        table.add_row(
            percent(source.extrinsic_ns / a.length_ns),
            *([percent(source.in_iterations_ns / a.length_ns)] if differs else []),
            percent(source.avoidable_ns / a.length_ns) if source.avoidable_ns else "",
            Text(source_words(source)),
        )
    if len(shown) > SHOWN_SOURCES:
        rest = sum(s.extrinsic_ns for s in shown[SHOWN_SOURCES:])
        inside = sum(s.in_iterations_ns for s in shown[SHOWN_SOURCES:])
        cells = [percent(inside / a.length_ns)] if differs else []
        table.add_row(percent(rest / a.length_ns), *cells, "", f"{len(shown) - SHOWN_SOURCES} more")
    yield table
    if beside := episode_words(a):
        yield Text(f"{beside} (`wastenot episode`).")


def shown_sources(a: Application) -> list[Source]:
    """The sources of extrinsic imbalance that are worth a row."""
    return [s for s in a.sources if abs(s.extrinsic_ns) >= LEAST_SHOWN * a.length_ns]


def episode_words(a: Application) -> str:
    """Where ranks waited longest beside an idle CPU; empty where no source that is shown did that."""
    if not a.episodes or not any(s.avoidable_ns for s in shown_sources(a)):
        return ""
    pair = a.episodes[0]
    return (
        f"Ranks waited on CPU {pair['waited_on']} beside idle CPU {pair['idle_cpu']} for "
        f"{duration(pair['core_ns'])} in episode {pair['episode_id']}"
    )


def source_words(source: Source) -> str:
    """What took the time, in words."""
    if source.kind == "rank":
        return f"another rank: {source.name} (tid {source.tid})"
    return f"{source.name} (tid {source.tid})" if source.kind == "thread" else source.name


def shown_parts(a: Application) -> list[int]:
    """The parts, by their place in `PARTS`, that are worth a column: computing, and what some rank has enough of."""
    whole = np.stack([r.parts for r in a.ranks])
    most = whole.max(axis=0)
    return [i for i, part in enumerate(PARTS) if part == "compute" or most[i] >= LEAST_SHOWN * a.whole_ns]


def _ranks(a: Application) -> RenderableType:
    columns = shown_parts(a)
    avoidable = any(r.avoidable_ns >= LEAST_SHOWN * a.whole_ns for r in a.ranks)
    within = a.utilization_in_iterations
    differs = any(abs((r.utilization or 0) - (u or 0)) >= LEAST_APART for r, u in zip(a.ranks, within, strict=False))
    first = "compute or spin" if a.state == "not_visible" else "compute"
    heads = [first if PARTS[i] == "compute" else PARTS[i] for i in columns]
    table = plain_table(
        ("rank", "right"), ("tid", "right"), ("name", "left"), ("U", "right"),
        *((("in iterations", "right"),) if differs else ()), *((head, "right") for head in heads),
        *((("avoidable wait", "right"),) if avoidable else ()), *((("IPC", "right"),) if a.has_counters else ()),
    )  # fmt: skip
    shown = a.ranks
    if len(shown) > SHOWN_RANKS:
        ordered = sorted(a.ranks, key=lambda r: -r.parts[0])
        chosen = {r.rank.number for r in ordered[: SHOWN_RANKS // 2] + ordered[-SHOWN_RANKS // 2 :]}
        shown = tuple(r for r in a.ranks if r.rank.number in chosen)
        table.caption = f"The {SHOWN_RANKS} ranks that computed most and least of {len(a.ranks)}; --json lists all."
        table.caption_justify = "left"
    for r in shown:
        cells = [percent(r.parts[i] / a.whole_ns) for i in columns]
        extra = [percent(r.avoidable_ns / a.whole_ns)] if avoidable else []
        extra += [f"{r.counters.ipc:.2f}"] if a.has_counters and r.counters is not None else []
        shares = [_share(r.utilization), *([_share(within[r.rank.place])] if differs else [])]
        table.add_row(str(r.rank.number), str(r.rank.tid), Text(r.rank.name), *shares, *cells, *extra)
    return table


def long_segments(a: Application) -> list[Segment]:
    """The segments that are long enough to be shown."""
    return [s for s in a.segments if s.end_ns - s.start_ns >= LEAST_SEGMENT * a.whole_ns]


def _segments(a: Application, trace_start_ns: int) -> RenderableType:
    table = plain_table(
        ("segment", "left"), ("at", "right"), ("for", "right"), ("count", "right"), ("each", "right"),
        ("load balance", "right"), ("lost", "right"), ("extrinsic", "right"),
    )  # fmt: skip
    long = long_segments(a)
    shown = sorted(sorted(long, key=lambda s: s.start_ns - s.end_ns)[:SHOWN_SEGMENTS], key=lambda s: s.start_ns)
    for s in shown:
        length = s.end_ns - s.start_ns
        hidden = a.state == "not_visible" or not s.windows
        table.add_row(
            s.kind, f"+{(s.start_ns - trace_start_ns) / 1e9:.6f} s", duration(length), str(s.end - s.first),
            duration(s.typical_ns), "-" if hidden else _share(s.efficiency.load_balance),
            *(("-", "-") if hidden else (percent(ns / s.length_ns) for ns in (s.lost_ns, s.extrinsic_ns))),
        )  # fmt: skip
    if len(shown) < len(long):
        table.caption = f"The {len(shown)} longest of {len(a.segments)} segments; --json lists all."
        table.caption_justify = "left"
    return table


def candidate_words(candidate: Candidate) -> str:
    """A crew that is not called an application, and why."""
    return f"{crew_words_short(candidate.crew)}: {_WHY[candidate.why]}"


def crew_words_short(crew: Crew) -> str:
    """Name and number of ranks."""
    noun = {
        "threads": ("thread", "threads"), "processes": ("process", "processes"),
        "threads_or_processes": ("thread or process", "threads or processes"),
    }[crew.kind]  # fmt: skip
    return f"{crew.name}, {counted(len(crew.ranks), *noun)}"


def balance_json(balance: Balance) -> dict[str, Any]:
    """The balance as `wastenot balance --json` prints it."""
    return {
        "evidence_level": level_of(balance),
        "shows_wakeups": balance.shows_wakeups,
        "suspect": list(balance.suspicions),
        "applications": [_application_json(a) for a in balance.applications],
        "candidates": [
            {"name": c.crew.name, "kind": c.crew.kind, "ranks": len(c.crew.ranks), "why": c.why}
            for c in balance.candidates
        ],
    }


def level_of(balance: Balance) -> str:
    """The lowest level of evidence of the applications."""
    return min((a.evidence for a in balance.applications), default="H0")


def _calls_json(calls: CallEvidence | None) -> dict[str, Any] | None:
    if calls is None:
        return None
    functions = [{"name": c.name, "kind": c.kind, "calls": c.calls} for c in calls.counts]
    return {
        "is_used": calls.is_used,
        "ranks": calls.ranks,
        "lost": calls.lost,
        "not_whole": calls.not_whole,
        "functions": functions,
    }


def _efficiency_json(e: Efficiency, visible: bool) -> dict[str, float | None]:
    return {
        "load_balance": e.load_balance if visible else None,
        "communication_efficiency": e.communication_efficiency if visible else None,
        "parallel_efficiency": e.parallel_efficiency if visible else None,
        "lambda": e.imbalance if visible else None,
    }


def _loss_json(lost: float, intrinsic: float, extrinsic: float, visible: bool) -> dict[str, float | None]:
    values = {"lost_ns": lost, "intrinsic_ns": intrinsic, "extrinsic_ns": extrinsic}
    return {name: value if visible else None for name, value in values.items()}


def _application_json(a: Application) -> dict[str, Any]:
    visible = a.state != "not_visible"
    windows = len(a.bounds) - 1
    listed = windows <= LISTED_ITERATIONS
    cells = a.detail is not None and windows * len(a.ranks) <= LISTED_ITERATIONS
    return {
        "application": a.number, "name": a.crew.name, "kind": a.crew.kind, "found_by": a.crew.found_by,
        "launcher": a.crew.launcher, "world_size": a.crew.world_size, "evidence_level": a.evidence,
        "state": a.state, "ranks": len(a.ranks),
        "calls": _calls_json(a.calls),
        "start_ns": a.start_ns, "end_ns": a.end_ns, "length_ns": a.length_ns,
        "run_ns": a.whole_ns, "releases": a.releases if a.level == "H0" else None,
        "windows": windows, "windows_observed": int(a.observed.sum()), "utilization": a.utilization,
        "waiting_seen_share": a.waiting_seen,
        **_efficiency_json(a.efficiency, visible), **_loss_json(a.lost_ns, a.intrinsic_ns, a.extrinsic_ns, visible),
        "segments": [_segment_json(s, visible, a.level) for s in a.segments],
        "rank": [
            {
                "rank": r.rank.number, "utid": r.rank.utid, "tid": r.rank.tid, "tgid": r.rank.tgid, "name": r.rank.name,
                "utilization": r.utilization, "utilization_in_iterations": u, **by_part(r.parts),
                "avoidable_wait_ns": r.avoidable_ns,
                "helpers_run_ns": r.rank.helpers_run_ns, "counters": _counters_json(r.counters),
            }
            for r, u in zip(a.ranks, a.utilization_in_iterations or [None] * len(a.ranks), strict=True)
        ],
        "sources": [
            {
                "kind": s.kind, "utid": s.utid, "tid": s.tid, "name": s.name, "extrinsic_ns": s.extrinsic_ns,
                "extrinsic_in_iterations_ns": s.in_iterations_ns,
                "avoidable_ns": s.avoidable_ns, "taken_ns": s.taken_ns,
                "last_ns": s.last_ns,
            }
            for s in (a.sources if visible else ())
        ],
        "episodes": list(a.episodes),
        "iteration": _windows_json(a) if listed and visible else None,
        "rank_iteration": _cells_json(a) if cells else None,
    }  # fmt: skip


def _counters_json(counters: RankCounters | None) -> dict[str, Any] | None:
    if counters is None:
        return None
    return {"instructions": counters.instructions, "cycles": counters.cycles, "counted_ns": counters.counted_ns}


def _segment_json(s: Segment, visible: bool, level: str) -> dict[str, Any]:
    return {
        "segment": s.number, "kind": s.kind, "start_ns": s.start_ns, "end_ns": s.end_ns, "windows": s.end - s.first,
        "windows_observed": s.windows,
        "releases_per_iteration": s.period if level == "H0" else None,
        "calls_per_iteration": s.period if level == "H1" else None,
        "work_returns_after": s.work_returns_after,
        "median_ns": s.typical_ns, **_efficiency_json(s.efficiency, visible),
        **_loss_json(s.lost_ns, s.intrinsic_ns, s.extrinsic_ns, visible),
    }  # fmt: skip


def _windows_json(a: Application) -> list[dict[str, Any]]:
    f, count = a.figures, len(a.ranks)
    segment = np.repeat([s.number for s in a.segments], [s.end - s.first for s in a.segments])
    columns: Sequence[Any] = (
        segment.tolist(), a.bounds[:-1].tolist(), a.bounds[1:].tolist(), f.sum_compute.tolist(), f.max_compute.tolist(),
        f.lost_n.tolist(), f.intrinsic_n.tolist(), f.extrinsic_n.tolist(), a.crew.numbers[f.critical].tolist(),
    )  # fmt: skip
    return [
        {
            "iteration": i + 1, "segment": number, "start_ns": start, "end_ns": end,
            **_efficiency_json(Efficiency(end - start, total / count, most), True),
            **_loss_json(lost / count, intrinsic / count, extrinsic / count, True), "last_rank": last,
        }
        for i, row in enumerate(zip(*columns, strict=True))
        if a.observed[i]
        for number, start, end, total, most, lost, intrinsic, extrinsic, last in [row]
    ]  # fmt: skip


def _cells_json(a: Application) -> list[dict[str, Any]]:
    assert a.detail is not None
    return [
        {"rank": r.rank.number, "iteration": window + 1, **by_part(a.detail[r.rank.place, :, window])}
        for r in a.ranks
        for window in range(len(a.bounds) - 1)
    ]

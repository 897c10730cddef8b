"""The verdict in words: how much was wasted and how sure, why, what was excused or not recorded, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from wastenot.analyzer.model.verdict import Suspicion, VerdictData
from wastenot.analyzer.text.causes import (
    LIVE_SOURCES,
    cause_sentence,
    kinds_with_reasons,
    missing_evidence_text,
    prevention_sentence,
)
from wastenot.analyzer.text.grade_bounds import grade_bounds
from wastenot.analyzer.text.units import core_seconds, counted, cpu_list, duration, percent, three_digits
from wastenot.schemas.generated.enums import (
    EXCUSE_WORDS,
    EXT_SCHEDULER_CHANGE_WORDS,
    GRADE_WORDS,
    SUSPICION_WORDS,
    ExtSchedulerChange,
)

_SUSPICIONS: Mapping[str, str] = {str(check): words for check, words in SUSPICION_WORDS.items()}

UNOBSERVED_SHARE = 0.1
"""Share of the CPU time that was not observed from which the headline says so."""

NEVER_MISSED = frozenset({"dl_parameters", "late_idle_exits"})
"""Kinds of evidence on which no figure of the verdict rests: `wastenot deadlines` says itself where the first was not
recorded, the second only explains why CPUs ran nothing."""

LATE_NS = 10_000_000
"""CPUs that left idle late are named from so much time on."""

OF_RECORDER = frozenset({"balance_searches", "domains_built"})
"""Kinds that only `wastenot record` records: that another tool's trace has none of them goes without saying. Where no
reason is given, the recording is older than the kind, and may have them."""

REASONS_SHOWN = 2
"""Reasons why a verdict is suspect that its headline gives; the others follow under data quality."""


@dataclass(frozen=True)
class Headline:
    """How much was wasted and how sure, in the parts that a page sets apart. A part may be empty, save `head`."""

    doubt: str
    """`suspect: why` or `unverified: why`; empty where nothing puts the verdict in doubt."""
    head: str
    """`2.3 of 8 cores wasted for 1.22 s`."""
    amount: str
    """`2.84 core-s, 6.19 % of the machine in 5.74 s`; empty where nothing was wasted."""
    rest: str
    """How sure it is."""
    severity: str = ""
    """`Severity: persistent (over 100 ms or 3 balance intervals).`; empty where no episode is listed."""
    limits: str = ""
    """What is not seen, and by which thresholds other than the definition's it is graded."""

    @property
    def text(self) -> str:
        """The parts as one text."""
        amount = f" ({self.amount})" if self.amount else ""
        rest = " ".join(part for part in (self.rest, self.severity, self.limits) if part)
        if self.doubt:
            return f"{self.doubt}. {self.head}{amount}; {rest}"
        return f"{self.head}{amount}{',' if amount else ':'} {rest}"


@dataclass(frozen=True)
class VerdictText:
    """The verdict in words, the same in the terminal, a notebook, the browser and a report. A text may be empty."""

    headline: str
    doubt: str
    head: str
    amount: str
    rest: str
    severity: str
    limits: str
    """The parts of the headline, as `Headline` has them."""
    main_reason: str
    needed: str
    """What of the main reason is not known, and which evidence would show it."""
    prevented: str
    """Which other decisions would have prevented the main reason's waste; the last sentence of `main_reason`."""
    excused: str
    not_recorded: str
    kernel: str
    """The release and the mode of preemption, as far as they are known."""
    figures: list[tuple[str, str]]
    """Names and values for the head of the tables."""
    grade_bounds: dict[str, str]
    """By grade, how long one of its intervals lasts."""
    notes: list[str]
    """What limits or confirms the verdict."""
    next_steps: list[tuple[str, str]]
    """Commands, and what each shows."""


def verdict_text(v: VerdictData) -> VerdictText:
    """The verdict in words."""
    parts = headline_parts(v)
    return VerdictText(
        headline=parts.text,
        **asdict(parts),
        main_reason=main_reason_text(v),
        needed=main_reason_needs(v),
        prevented=main_reason_prevented(v),
        excused=excused_line(v),
        not_recorded=not_recorded_line(v),
        kernel=kernel_line(v),
        figures=figures_line(v),
        grade_bounds=dict(grade_bounds(v.trace.get("tick_ns"), v.thresholds_ns)),
        notes=data_quality_remarks(v),
        next_steps=next_steps(v),
    )


def sentence(v: VerdictData) -> str:
    """How much was wasted, how sure, and the main reason."""
    return " ".join(text for text in (headline(v), main_reason_text(v)) if text)


def headline(v: VerdictData) -> str:
    """How much was wasted and how sure; leads with what is certain, or with why the verdict is in doubt.

    Where the figures are a lower bound, a second sentence says so.
    """
    return headline_parts(v).text


def headline_parts(v: VerdictData) -> Headline:
    """The parts of the headline."""
    doubt = doubts(v)
    if not v.shows_waste:
        return Headline(
            doubt,
            head="Waste is not visible in such a trace",
            amount="",
            rest="it has no runqueues: what the ranks of the program lost is the question of `wastenot balance`.",
        )
    parts = _uncertain(v, doubt) if doubt else _sentence(v)
    limits = f"{_not_seen(v)}{_unobserved(v)}{_thresholds(v)}".lstrip()
    return replace(parts, severity="" if doubt else _severity(v), limits=limits)


def _severity(v: VerdictData) -> str:
    """How bad the worst of it is; empty where only short intervals were wasted."""
    if not v.lasting_ns or v.severity is None:
        return ""
    bounds = grade_bounds(v.trace.get("tick_ns"), v.thresholds_ns)
    condition = "" if v.figures["certain_ns"] else ", if so"
    return f"Severity{condition}: {v.severity.replace('_', ' ')} ({bounds[v.severity]})."


def main_reason_text(v: VerdictData) -> str:
    """The main reason, each answer with its level of proof; empty where nothing lasted, or the verdict is in doubt."""
    reason = v.main_reason
    if reason is None:
        return ""
    why = f"Main reason, {core_seconds(reason.core_ns)} ({percent(reason.share)}): {cause_sentence(reason.cause)}."
    return f"{why} {main_reason_prevented(v)}".rstrip()


def main_reason_prevented(v: VerdictData) -> str:
    """Which other decisions would have prevented the main reason's waste; empty where that is not known."""
    if v.main_reason is None:
        return ""
    cause = v.main_reason.cause
    return prevention_sentence(cause["prevented"], cause["not_moved_because"])


def main_reason_needs(v: VerdictData) -> str:
    """What is unknown of the main reason, which evidence would show it and how to record it; empty if all is known.

    Why a recording does not have it is a part of `not_recorded_line`.
    """
    reason = v.main_reason
    return "" if reason is None else missing_evidence_text(reason.cause, v.evidence, v.trace, with_reasons=False)


def excused_line(v: VerdictData) -> str:
    """What was excused, by excuse; empty where no CPU was idle beside a waiting thread."""
    if not v.figures["idle_while_waiting_ns"] or not v.shows_waste:
        return ""
    took = sorted((e for e in v.excuses if e["core_ns"] > 0), key=lambda e: -e["core_ns"])
    if not took:
        return "Excused: nothing."
    total = core_seconds(sum(e["core_ns"] for e in took))
    if len(took) == 1:
        return f"Excused: {total}, {EXCUSE_WORDS[took[0]['excuse']]}."
    each = ", ".join(f"{EXCUSE_WORDS[e['excuse']]} {core_seconds(e['core_ns'])}" for e in took)
    return f"Excused: {total} ({each})."


def not_recorded_line(v: VerdictData) -> str:
    """Evidence and excuses that the trace does not show; empty where it shows all, or cannot show waste."""
    if not v.shows_waste:
        return ""
    of_waste = [row for row in v.evidence if _is_missed(v, row)]
    absent = [row for row in of_waste if row["state"] == "absent"]
    kinds = kinds_with_reasons([row for row in absent if row["kind"] not in EXCUSE_WORDS])
    excuses = kinds_with_reasons([row for row in absent if row["kind"] in EXCUSE_WORDS])
    partial = kinds_with_reasons([row for row in of_waste if row["state"] == "partial"])
    lacking = "; ".join(part for part in (kinds, f"excuses: {excuses}" if excuses else "") if part)
    lines = (f"Not recorded: {lacking}." if lacking else "", f"Recorded in part: {partial}." if partial else "")
    return " ".join(line for line in lines if line)


def _is_missed(v: VerdictData, row: Mapping[str, Any]) -> bool:
    """Whether evidence that was not recorded would tell something about this trace."""
    kind = row["kind"]
    if kind == "sched_ext":
        return v.trace["sched_ext_recorded"] is False
    if kind in OF_RECORDER and (v.trace["source"] not in LIVE_SOURCES or row["why"] is None):
        return False
    if kind == "balance_searches":
        return any(row["kind"] == "load_balance_attempts" and row["state"] != "absent" for row in v.evidence)
    return kind not in NEVER_MISSED


def _thresholds(v: VerdictData) -> str:
    """That the stored findings were made with thresholds other than the definition's."""
    if not v.thresholds_ns:
        return ""
    by_grade = v.thresholds_ns
    given = ", ".join(f"{words} {duration(by_grade[g])}" for g, words in GRADE_WORDS.items() if g in by_grade)
    return f" Graded with other thresholds than the definition's: {given} (--threshold)."


def _not_seen(v: VerdictData) -> str:
    """Why the figures are a lower bound; empty where they are none."""
    if not v.is_lower_bound:
        return ""
    missing = "sched_waking but no sched_wakeup" if v.trace["has_waking"] else "no sched_wakeup"
    if v.trace["wakeups_from_ns"] is not None:
        missing = f"no sched_wakeup in its first {duration(v.trace['wakeups_from_ns'])}"
    return f" This is a lower bound: the trace has {missing}, so woken threads that wait are not seen."


def _unobserved(v: VerdictData) -> str:
    """How much of the machine's time is missing from the figures; empty where that is little."""
    share = v.figures["unobserved_share"]
    return f" {percent(share)} of the CPU time was not observed." if share > UNOBSERVED_SHARE else ""


def suspicion_text(s: Suspicion) -> str:
    """What a self-check found, in words."""
    return _SUSPICIONS[s.check].format(count=f"{s.count:,}", share=percent(s.share))


def doubts(v: VerdictData) -> str:
    """`suspect: why` or `unverified: why`; empty when no check puts the verdict in doubt."""
    return doubts_of(v.suspicions, v.trace["unverified"])


def doubts_of(suspicions: Sequence[Suspicion], unverified: Sequence[str]) -> str:
    """The same of the self-checks that make a trace suspect, and why reading its events is not verified."""
    suspect = [suspicion_text(s) for s in suspicions if s.check != "unverified"]
    kind, reasons = ("suspect", suspect) if suspect else ("unverified", list(unverified))
    if not reasons:
        return ""
    more = len(reasons) - REASONS_SHOWN
    shown = "; ".join(reasons[:REASONS_SHOWN]) + (f"; {counted(more, 'more reason')} below" if more > 0 else "")
    return f"{kind}: {shown}"


def _uncertain(v: VerdictData, doubt: str) -> Headline:
    """The figures of a verdict in doubt: as reconstructed, none of them certain."""
    f, cpus = v.figures, v.trace["cpus"]
    window = duration(f["end_ns"] - f["start_ns"])
    if f["wasted_ns"] == 0:
        seen = "no waste seen" if v.is_lower_bound else "no core wasted"
        head = f"As reconstructed, {seen} in {window} on {counted(cpus, 'CPU')}"
        return Headline(doubt, head, amount="", rest="not certain.")
    return Headline(
        doubt,
        head=f"As reconstructed, {_cores(v, f['wasted_ns'], f['wall_wasted_ns'])}",
        amount=f"{core_seconds(f['wasted_ns'])}, {percent(f['share'])} of the machine in {window}",
        rest="nothing of it is certain.",
    )


def _sentence(v: VerdictData) -> Headline:
    """The figures of a verdict that is not in doubt."""
    f, cpus = v.figures, v.trace["cpus"]
    window = duration(f["end_ns"] - f["start_ns"])
    nothing = "No waste seen" if v.is_lower_bound else "No core wasted"
    if f["idle_while_waiting_ns"] == 0:
        rest = f"in {window} on {counted(cpus, 'CPU')} none was idle beside a waiting thread."
        return Headline("", nothing, amount="", rest=rest)
    if f["wasted_ns"] == 0:
        rest = (
            f"CPUs were idle beside waiting threads for {core_seconds(f['idle_while_waiting_ns'])} "
            f"in {window}, all of it excused{_by_most(v)}{_as_to(v)}."
        )
        return Headline("", nothing, amount="", rest=rest)
    lasting = (
        "No lasting waste seen, only short intervals: "
        if v.is_lower_bound
        else "No lasting waste, only short intervals: "
    )
    start = "" if v.lasting_ns else lasting
    if f["certain_ns"] == 0:
        return Headline(
            "",
            head=f"{start}{_cores(v, f['wasted_ns'], f['wall_wasted_ns'])}",
            amount=f"{core_seconds(f['wasted_ns'])}, {percent(f['share'])} of the machine in {window}",
            rest=f"none of it certain: assumes that {_assumption(v)}.",
        )
    more = f["wasted_ns"] - f["certain_ns"]
    assumed = f"; {core_seconds(more)} more if {_assumption(v)}" if more else ""
    return Headline(
        "",
        head=f"{start}{_cores(v, f['certain_ns'], f['wall_certain_ns'])}",
        amount=f"{core_seconds(f['certain_ns'])}, {percent(f['certain_share'])} of the machine in {window}",
        rest=f"certain{_as_to(v)}{assumed}.",
    )


def _cores(v: VerdictData, core_ns: int, wall_ns: int) -> str:
    bound = "at least " if v.is_lower_bound else ""
    return f"{bound}{core_ns / max(wall_ns, 1):.1f} of {v.trace['cpus']} cores wasted for {duration(wall_ns)}"


def _assumption(v: VerdictData) -> str:
    n = v.count("unknown_mask_threads")
    threads = "threads" if n == 0 else "one thread" if n == 1 else f"{n:,} threads"
    return f"{threads} with unknown affinity may run on any CPU"


def _as_to(v: VerdictData) -> str:
    """That the verdict is certain only where none of the excuses applies that the trace does not show."""
    unrecorded = v.excuses_not_recorded
    if not unrecorded:
        return ""
    if len(unrecorded) == len(v.excuses):
        return " as far as no excuse applied (none was recorded)"
    return f" but for {counted(len(unrecorded), 'excuse')} not recorded"


def _by_most(v: VerdictData) -> str:
    took = sorted((e for e in v.excuses if e["core_ns"] > 0), key=lambda e: -e["core_ns"])
    return f" ({', '.join(EXCUSE_WORDS[e['excuse']] for e in took[:2])})" if took else ""


def data_quality_remarks(v: VerdictData) -> list[str]:
    """What limits the verdict, one remark each; a single all-clear when nothing does."""
    facts, out = v.trace, [f"suspect: {suspicion_text(s)}" for s in v.suspicions if s.check != "unverified"]
    out += [f"unverified: {text}" for text in facts["unverified"]]
    if v.thresholds_ns:
        again = shlex.quote(str(v.path))
        out.append(f"grades are those of `--threshold`; `wastenot check {again}` grades by the definition again")
    if not facts["complete"]:
        length = duration(facts["end_ns"] - facts["start_ns"])
        out.append(f"the recording was cut off ({facts['end_reason']}); it reaches {length} and no further")
    if v.lost:
        cpus = sorted({row["cpu"] for row in v.lost if row["cpu"] is not None})
        where = f" on CPU {', '.join(map(str, cpus[:8]))}{' ...' if len(cpus) > 8 else ''}" if cpus else ""
        out.append(f"{counted(v.lost_events, 'event')} lost{where}; the CPU counts as unobserved until its next switch")
    if v.figures["unobserved_share"] > 0.00005:
        share = percent(v.figures["unobserved_share"])
        out.append(f"{share} of the CPU time was not observed and counts as neither idle nor busy")
    if silent := facts["silent_cpus"]:
        out.append(f"no switch of CPU {cpu_list(silent)} is in the trace: whether it ran or idled is not known")
    unknown = v.count("unknown_mask_threads")
    if unknown and v.shows_waste:
        threads = counted(unknown, "thread")
        out.append(f"{threads} with unknown affinity: assumed to run on any CPU, except in `certain`")
    out += _looks_pinned(v.looks_pinned)
    for what, noun, text in (
        ("rejected", "event", "rejected"),
        ("contradiction", "event", "contradicting what was known"),
        ("repaired", "event", "missing, and inferred from what followed"),
        ("bubble", "inconsistent bubble event", "repaired"),
    ):
        reasons = v.by_reason(what)
        if reasons:
            most = sorted(reasons.items(), key=lambda r: (-r[1], r[0]))[:4]
            shown = ", ".join(f"{reason} {n:,}" for reason, n in most)
            out.append(f"{counted(sum(reasons.values()), noun)} {text}: {shown}")
    for what, noun, text in (
        ("placements_inferred", "placement", "inferred, not recorded"),
        ("clock_steps", "step", "of the clock"),
        ("migrate_mismatch", "move", "from another CPU than reconstructed"),
        ("donor_moves", "move", "of a thread that waited for a mutex on its owner's CPU (proxy execution)"),
    ):
        if v.count(what):
            out.append(f"{counted(v.count(what), noun)} {text}")
    if v.count("doubtful_idle_ns"):
        doubtful = core_seconds(v.count("doubtful_idle_ns"))
        hint = "" if facts["source"] in LIVE_SOURCES else " (sched_stat_runtime, recorded as well, shows when)"
        out.append(f"at most {doubtful} counted as idle was not: threads had started to run there unseen{hint}")
    if v.count("late_idle_exit_ns") >= LATE_NS:
        late = core_seconds(v.count("late_idle_exit_ns"))
        out.append(
            f"for {late} CPUs ran no thread although the kernel had asked them to: idle states, interrupts, or virtual "
            "CPUs that stood still"
        )
    if v.count("doubtful_wait_ns"):
        doubtful = core_seconds(v.count("doubtful_wait_ns"))
        out.append(
            f"for at most {doubtful} it is not known which of a queue's threads ran unseen and which waited: "
            "waste and excuses may be interchanged"
        )
    out += facts["notes"]
    compared = v.count("nr_running_compared")
    unexplained = v.count("nr_running_differs") - v.count("nr_running_ghost")
    if unexplained:
        share = percent(unexplained / compared)
        out.append(
            f"the kernel's nr_running differs from the reconstructed queue in {share} of {compared:,} comparisons"
        )
    return out or ["nothing lost, every CPU observed throughout, affinity of all threads known"]


def _looks_pinned(groups: list[dict[str, Any]]) -> list[str]:
    """A remark about the threads that look pinned though no mask was recorded; none where there are none."""
    if not groups:
        return []
    about = "; ".join(_pinned_group(group) for group in groups)
    names = [shlex.quote(f"{g['name'] or '?'}={cpu_list(g['cpus']).replace(' ', '')}") for g in groups]
    declared = " ".join(f"--affinity {name}" for name in names)
    if len(groups) == 1:
        return [f"{about}; if it is pinned, import with {declared}"]
    return [f"{len(groups)} groups of threads look pinned: {about}; if they are, import with {declared}"]


def _pinned_group(p: dict[str, Any]) -> str:
    elsewhere = f"but for {duration(p['elsewhere_ns'])} it ran" if p["elsewhere_ns"] else "it ran"
    return (
        f"{p['name'] or '?'} ({counted(p['threads'], 'thread')}) looks pinned to CPU {cpu_list(p['cpus'])}: "
        f"{elsewhere} nowhere else, and waited {core_seconds(p['avoidable_wait_ns'])} beside idle CPUs"
    )


def next_steps(v: VerdictData) -> list[tuple[str, str]]:
    """Commands to run next, each with what it shows."""
    name = shlex.quote(str(v.path))
    if not v.shows_waste:
        return [(f"wastenot balance {name}", "how unequal the ranks are, and what that costs")]
    out = []
    if v.worst:
        worst = v.worst[0]
        out.append((f"wastenot episode {name} {worst['episode_id']}", "the worst episode with its evidence"))
        out.append((f"wastenot episodes {name}", "all that lasted"))
    if v.figures["idle_while_waiting_ns"]:
        out.append((f"wastenot top {name}", "who waited, and for whom"))
    else:
        out.append((f"wastenot top {name} --by process", "where the time went"))
    is_live = v.trace["source"] in LIVE_SOURCES
    if is_live and any(row["state"] != "recorded" and _is_missed(v, row) for row in v.evidence):
        out.append(("wastenot doctor", "what this machine can record, and what to install"))
    elif not is_live and v.excuses_not_recorded:
        out.append(("wastenot import --help", "how to declare masks and the machine"))
    return out


def figures_line(v: VerdictData) -> list[tuple[str, str]]:
    """The figures as (name, value) pairs for the head of the table; none where waste is not visible."""
    if not v.shows_waste:
        return []
    f = v.figures
    certain = f"{core_seconds(f['certain_ns'])}  {percent(f['certain_share'])}"
    return [
        ("wasted", f"{core_seconds(f['wasted_ns'])}  {percent(f['share'])}"),
        ("certain", certain if v.is_certain else "nothing, see data quality"),
        ("idle while waiting", core_seconds(f["idle_while_waiting_ns"])),
        ("peak", f"{counted(f['peak_wasted'], 'core')} at once"),
        ("busy", f"{three_digits(f['busy_ns'] / max(f['end_ns'] - f['start_ns'], 1))} of {v.trace['cpus']} CPUs"),
        *([("kernel", kernel)] if (kernel := kernel_line(v)) else []),
        *([("sched_ext", scheduler)] if (scheduler := sched_ext_line(v.trace)) else []),
    ]


MOST_COUNTERS = 3
"""Of a sched_ext scheduler, in one line."""

DURATION = "_DURATION"
"""How the names of those end that are times, which are not compared with counts."""


def sched_ext_line(trace: Mapping[str, Any]) -> str:
    """Which sched_ext schedulers were in charge, why the kernel ended one, and what it counted; empty without one.

    `trace`: the row of `trace.sql`.
    """
    if trace["sched_ext"] is None:
        return ""
    of_cgroups = trace["sched_ext_of_cgroups"]
    parts = [trace["sched_ext"], *([f"of cgroups: {', '.join(of_cgroups)}"] if of_cgroups else [])]
    if trace["sched_ext_ended"] is not None:
        after = duration(trace["sched_ext_ended_ns"])
        why: ExtSchedulerChange = trace["sched_ext_ended"]
        parts.append(f"after {after} {EXT_SCHEDULER_CHANGE_WORDS[why]}")
    grown = [c for c in trace["sched_ext_counters"] if not c["name"].endswith(DURATION)]
    if grown:
        each = ", ".join(f"{c['name'].removeprefix('SCX_EV_')} {c['growth']:,}" for c in grown[:MOST_COUNTERS])
        more = f", {len(grown) - MOST_COUNTERS} more" if len(grown) > MOST_COUNTERS else ""
        parts.append(f"the kernel counted {each}{more} (table ext_counter)")
    return "; ".join(parts)


def kernel_line(v: VerdictData) -> str:
    """The release and the mode of preemption, as far as they are known."""
    mode = v.trace["preemption"]
    parts = [v.trace["kernel"], f"preemption {mode}" if mode else None]
    return ", ".join(part for part in parts if part)

"""The verdict in words: what is certain, what rests on an assumption, how far to trust it, what to do next."""

from __future__ import annotations

import shlex
from typing import Any

from wastenot.analyzer.units import core_seconds, counted, cpu_list, duration, percent, three_digits
from wastenot.analyzer.verdict import Verdict, cause_text

RECORDED = ("ebpf", "tracefs")
"""Sources of traces that wastenot recorded itself."""

UNOBSERVED_SHARE = 0.1
"""Share of the CPU time that was not observed from which the headline says so."""

REASONS_SHOWN = 2
"""Reasons why a verdict is suspect that its headline gives; the others follow under data quality."""


def sentence(v: Verdict) -> str:
    """One sentence that leads with what is certain; where the verdict is suspect, with why it is.

    Where the figures are a lower bound, a second one says so.
    """
    doubt = doubts(v)
    said = f"{doubt} {_uncertain(v)}" if doubt else f"{_sentence(v)}{_severity(v)}"
    return f"{said}{_not_seen(v)}{_unobserved(v)}{_thresholds(v)}"


def _severity(v: Verdict) -> str:
    """How bad the worst of it is, and why most of it came about; empty where only short gaps were wasted."""
    if not v.lasting_ns or v.severity is None:
        return ""
    severity = f" Severity{'' if v.figures['certain_ns'] else ', if so'}: {v.severity.replace('_', ' ')}."
    timed = [c for c in v.causes if not c["recurrent"]]
    # Most of what recurs is in the timed episodes as well.
    has_most = 2 * sum(c["core_ns"] for c in timed) >= v.lasting_ns
    causes = timed if has_most else [c for c in v.causes if c["recurrent"]]
    if not causes:
        return severity
    most = max(causes, key=lambda c: c["core_ns"])
    why = cause_text(most)
    cause = "not known from this trace" if why == "unknown" else f"{core_seconds(most['core_ns'])} {why}"
    return f"{severity} Cause: {cause}."


def _thresholds(v: Verdict) -> str:
    """That the stored findings were made with thresholds other than the definition's."""
    if not v.thresholds_ns:
        return ""
    given = ", ".join(f"{grade.replace('_', ' ')} {duration(ns)}" for grade, ns in v.thresholds_ns.items())
    return f" Graded with other thresholds than the definition's: {given} (--threshold)."


def _not_seen(v: Verdict) -> str:
    """Why the figures are a lower bound; empty where they are none."""
    if not v.is_lower_bound:
        return ""
    missing = "sched_waking but no sched_wakeup" if v.trace["has_waking"] else "no sched_wakeup"
    if v.trace["wakeups_from_ns"] is not None:
        missing = f"no sched_wakeup in its first {duration(v.trace['wakeups_from_ns'])}"
    return f" This is a lower bound: the trace has {missing}, so woken threads that wait are not seen."


def _unobserved(v: Verdict) -> str:
    """How much of the machine's time is missing from the figures; empty where that is little."""
    share = v.figures["unobserved_share"]
    return f" {percent(share)} of the CPU time was not observed." if share > UNOBSERVED_SHARE else ""


def doubts(v: Verdict) -> str:
    """`suspect: why.` or `unverified: why.`; empty when nothing speaks against the verdict."""
    suspect = [s.sentence for s in v.suspicions if s.check != "unverified"]
    kind, reasons = ("suspect", suspect) if suspect else ("unverified", list(v.trace["unverified"]))
    if not reasons:
        return ""
    more = len(reasons) - REASONS_SHOWN
    shown = "; ".join(reasons[:REASONS_SHOWN]) + (f"; {counted(more, 'more reason')} below" if more > 0 else "")
    return f"{kind}: {shown}."


def _uncertain(v: Verdict) -> str:
    """The figures of a verdict in doubt: as reconstructed, none of them certain."""
    f, cpus = v.figures, v.trace["cpus"]
    window = duration(f["end_ns"] - f["start_ns"])
    if f["wasted_ns"] == 0:
        seen = "no waste seen" if v.is_lower_bound else "no core wasted"
        return f"As reconstructed, {seen} in {window} on {counted(cpus, 'CPU')}; not certain."
    return (
        f"As reconstructed, {_cores(v, f['wasted_ns'], f['wall_wasted_ns'])} ({core_seconds(f['wasted_ns'])}, "
        f"{percent(f['share'])} of the machine in {window}); nothing of it is certain."
    )


def _sentence(v: Verdict) -> str:
    f, cpus = v.figures, v.trace["cpus"]
    window = duration(f["end_ns"] - f["start_ns"])
    nothing = "No waste seen" if v.is_lower_bound else "No core wasted"
    if f["idle_while_waiting_ns"] == 0:
        return f"{nothing}: in {window} on {counted(cpus, 'CPU')} none stood idle beside a waiting thread."
    if f["wasted_ns"] == 0:
        return (
            f"{nothing}: CPUs stood idle beside waiting threads for {core_seconds(f['idle_while_waiting_ns'])} "
            f"in {window}, all of it excused{_by_most(v)}{_as_to(v)}."
        )
    lasting = "No lasting waste seen, only short gaps: " if v.is_lower_bound else "No lasting waste, only short gaps: "
    start = "" if v.lasting_ns else lasting
    if f["certain_ns"] == 0:
        unrecorded = ", ".join(v.trace["unrecorded_excuses"])
        return (
            f"{start}{_cores(v, f['wasted_ns'], f['wall_wasted_ns'])} ({core_seconds(f['wasted_ns'])}, "
            f"{percent(f['share'])} of the machine in {window}), none of it certain: it is so if "
            f"{_assumption(v)}{f' (not recorded: {unrecorded})' if unrecorded else ''}."
        )
    more = f["wasted_ns"] - f["certain_ns"]
    assumed = f"; {core_seconds(more)} more if {_assumption(v)}" if more else ""
    return (
        f"{start}{_cores(v, f['certain_ns'], f['wall_certain_ns'])} ({core_seconds(f['certain_ns'])}, "
        f"{percent(f['certain_share'])} of the machine in {window}), certain{_as_to(v)}{assumed}."
    )


def _cores(v: Verdict, core_ns: int, wall_ns: int) -> str:
    bound = "at least " if v.is_lower_bound else ""
    return f"{bound}{core_ns / max(wall_ns, 1):.1f} of {v.trace['cpus']} cores wasted for {duration(wall_ns)}"


def _assumption(v: Verdict) -> str:
    n = v.count("unknown_mask_threads")
    if n == 0:
        return "threads of unknown affinity may run anywhere"
    threads = "one thread" if n == 1 else f"{n:,} threads"
    return f"{threads} of unknown affinity may run anywhere"


def _as_to(v: Verdict) -> str:
    """What the verdict is certain as to, while some excuses cannot be seen in the trace."""
    unrecorded = list(v.trace["unrecorded_excuses"])
    if not unrecorded:
        return ""
    seen = [e["excuse"] for e in v.excuses if e["excuse"] not in unrecorded]
    if not seen:
        return " as far as no excuse applied (none was recorded)"
    if len(seen) <= len(unrecorded):
        return f" as to {', '.join(seen)} (not recorded: {', '.join(unrecorded)})"
    return f" as to every excuse but {', '.join(unrecorded)} (not recorded)"


def _by_most(v: Verdict) -> str:
    took = sorted((e for e in v.excuses if e["core_ns"] > 0), key=lambda e: -e["core_ns"])
    return " by " + " and ".join(e["excuse"] for e in took[:2]) if took else ""


def data_quality_remarks(v: Verdict) -> list[str]:
    """What limits the verdict, one remark each; a single all-clear when nothing does."""
    facts, out = v.trace, [f"suspect: {s.sentence}" for s in v.suspicions if s.check != "unverified"]
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
    if unknown:
        threads = counted(unknown, "thread")
        out.append(f"{threads} of unknown affinity, taken as free to run anywhere except in `certain`")
    out += [_looks_pinned(p) for p in v.looks_pinned]
    for what, text in (
        ("rejected", "rejected"),
        ("contradiction", "contradicting what was known"),
        ("repaired", "missing, and inferred from what followed"),
        ("bubble", "of bubbles that cannot be so, repaired"),
    ):
        reasons = v.by_reason(what)
        if reasons:
            most = sorted(reasons.items(), key=lambda r: (-r[1], r[0]))[:4]
            shown = ", ".join(f"{reason} {n:,}" for reason, n in most)
            out.append(f"{counted(sum(reasons.values()), 'event')} {text}: {shown}")
    for what, noun, text in (
        ("placements_inferred", "placement", "inferred, not recorded"),
        ("clock_steps", "step", "of the clock"),
        ("migrate_mismatch", "move", "from another CPU than reconstructed"),
    ):
        if v.count(what):
            out.append(f"{counted(v.count(what), noun)} {text}")
    if v.count("doubtful_idle_ns"):
        doubtful = core_seconds(v.count("doubtful_idle_ns"))
        hint = "" if facts["source"] in RECORDED else " (sched_stat_runtime, recorded as well, tells when)"
        out.append(f"at most {doubtful} counted as idle was not: threads had begun to run there unseen{hint}")
    if v.count("doubtful_wait_ns"):
        doubtful = core_seconds(v.count("doubtful_wait_ns"))
        out.append(
            f"for at most {doubtful} it is not known which of a queue's threads ran unseen and which waited: "
            "waste and excuses may be interchanged"
        )
    if facts["unrecorded_excuses"]:
        out.append(f"this trace cannot show: {', '.join(facts['unrecorded_excuses'])}")
    out += facts["degraded"]
    compared = v.count("nr_running_compared")
    unexplained = v.count("nr_running_differs") - v.count("nr_running_ghost")
    if unexplained:
        share = percent(unexplained / compared)
        out.append(f"the kernel's nr_running differs from ours in {share} of {compared:,} comparisons")
    return out or ["nothing lost, every CPU observed throughout, every mask known"]


def _looks_pinned(p: dict[str, Any]) -> str:
    cpus = cpu_list(p["cpus"])
    name = p["name"] or "?"
    threads = f"{name} ({counted(p['threads'], 'thread')})"
    declare = shlex.quote(f"{name}={cpus.replace(' ', '')}")
    elsewhere = f"but for {duration(p['elsewhere_ns'])} it ran" if p["elsewhere_ns"] else "it ran"
    return (
        f"{threads} looks pinned to CPU {cpus}: {elsewhere} nowhere else, and waited "
        f"{core_seconds(p['avoidable_wait_ns'])} beside idle CPUs; if it is pinned, import with --affinity {declare}"
    )


def next_steps(v: Verdict) -> list[tuple[str, str]]:
    """Commands to run next, each with what it shows."""
    name = shlex.quote(str(v.path))
    out = []
    if v.worst:
        worst = v.worst[0]
        out.append((f"wastenot episode {name} {worst['episode_id']}", "the worst episode with its evidence"))
        out.append((f"wastenot episodes {name}", "all that lasted"))
    if v.figures["idle_while_waiting_ns"]:
        out.append((f"wastenot top {name}", "who waited, and for whom"))
    else:
        out.append((f"wastenot top {name} --by process", "where the time went"))
    missing = v.trace["unrecorded_excuses"] or v.trace["degraded"]
    if missing and v.trace["source"] in RECORDED:
        out.append(("wastenot doctor", "why evidence is missing and what to install"))
    elif missing:
        out.append(("wastenot import --help", "how to declare masks and the machine"))
    return out


def figures_line(v: Verdict) -> list[tuple[str, str]]:
    """The figures as (name, value) pairs for the head of the table."""
    f = v.figures
    certain = f"{core_seconds(f['certain_ns'])}  {percent(f['certain_share'])}"
    return [
        ("wasted", f"{core_seconds(f['wasted_ns'])}  {percent(f['share'])}"),
        ("certain", certain if v.is_certain else "nothing, see data quality"),
        ("before excuses", core_seconds(f["idle_while_waiting_ns"])),
        ("peak", f"{counted(f['peak_wasted'], 'core')} at once"),
        ("busy", f"{three_digits(f['busy_ns'] / max(f['end_ns'] - f['start_ns'], 1))} of {v.trace['cpus']} CPUs"),
    ]

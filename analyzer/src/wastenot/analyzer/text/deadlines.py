"""Jobs and missed deadlines in words: how many, whose fault, what is not visible, what to change."""

from __future__ import annotations

from typing import Any

from wastenot.analyzer.model.deadlines import DeadlineFigures
from wastenot.analyzer.text.units import counted, cpu_list, duration, percent, three_digits
from wastenot.schemas.generated.enums import DEADLINE_FAULT_WORDS, GRADE_WORDS

FAULT_WORDS = {str(fault): words for fault, words in DEADLINE_FAULT_WORDS.items()}
"""Whose fault a miss is, as people read it."""

FAULT_SENTENCES = {
    "own_overrun": "the job ran beyond its runtime, or its server had throttled it because of that",
    "scheduler": "the thread waited though a CPU that it may use idled, ran a lower class or a later deadline",
    "interference": "interrupts (also paid for by its server), the stop class, a CPU late from idle, or it was blocked",
    "overload": "other tasks had its CPUs, and the tasks bound to these need more than may be admitted there",
    "not_guaranteed": "earlier deadlines had its CPUs, within what may be admitted: global EDF guarantees less",
    "not_visible": "what its CPUs did is not known",
    "contention": "its CPU ran other threads of its class or a lower one (of tasks that are not SCHED_DEADLINE)",
}

FAULT_USES = {
    "own_overrun": ("throttled",),
    "scheduler": ("passed_over",),
    "interference": ("interference", "late_wake", "blocked"),
    "overload": ("earlier_deadlines", "confined", "contention"),
    "not_guaranteed": ("earlier_deadlines", "confined"),
    "not_visible": ("unknown",),
    "contention": ("contention",),
}
"""The ways in which a job lost time to each fault, as checker/rust/deadlines/faults.rs counts them."""

REPAIRS = {
    "own_overrun": "raise the runtime above the longest job ({run_max}), or shorten the job",
    "scheduler": "nothing in the application: report when threads were passed over, with the kernel's release",
    "interference": "keep interrupts off its CPUs (/proc/irq/*/smp_affinity), forbid deep idle states, lock its memory",
    "overload": "give these CPUs fewer tasks, or raise the periods: utilisation must stay below the bound",
    "not_guaranteed": "part the tasks among CPUs (cpuset partitions) if they fit so, or lower the largest density",
    "not_visible": "`wastenot check` says which events were lost; record again, with fewer events (--no-stacks)",
    "contention": "a higher priority (chrt), or a CPU that the threads named there do not use (taskset, cpuset)",
}
"""What to do about each fault."""

USE_WORDS = {
    "passed_over": "passed over",
    "late_wake": "CPU slow to wake",
    "earlier_deadlines": "earlier deadlines",
    "confined": "confined",
    "interference": "interference",
    "contention": "contention",
    "blocked": "blocked",
    "throttled": "throttled",
    "unknown": "not visible",
}
"""Ways not to run, in the order of the figures."""


def headline(figures: DeadlineFigures) -> str:
    """How many deadlines were missed and whose fault that is, or why none was measured."""
    r = figures.report
    evidence = r["parameters"]
    if not figures.has_tasks:
        return _nothing(r)
    if r["jobs"] == 0:
        parts = f"{counted(r['incomplete'], 'job')} seen in part"
        text = f"No job was seen whole: {counted(len(r['tasks']), 'task')}, {parts}"
    elif r["missed"] == 0:
        visible = " as far as is visible" if r["losses"] or r["lost"] else ""
        text = f"No deadline missed{visible}: {counted(r['jobs'], 'job')} of {counted(len(r['tasks']), 'task')}"
        if r["laxity_min_ns"] is not None:
            text += f", least laxity {duration(r['laxity_min_ns'])}"
        text += _not_whole(r)
    else:
        by_fault = ", ".join(f"{count:,} {FAULT_WORDS[fault]}" for fault, count in figures.faults())
        text = (
            f"{r['missed']:,} of {counted(r['jobs'], 'deadline')} missed, by up to {duration(r['tardiness_max_ns'])}: "
            f"{by_fault}{_not_whole(r)}"
        )
    unmatched = f"{unmatched_words(r)}. " if evidence["unmatched"] else ""
    return f"{unmatched}{text}. {_invariant(r)}{_doubts(r)}"


def _not_whole(r: dict[str, Any]) -> str:
    return f"; {counted(r['incomplete'], 'more job')} not seen whole" if r["incomplete"] else ""


def unmatched_words(r: dict[str, Any]) -> str:
    """That no thread has the name of a declared task."""
    names = [repr(name) for name in r["parameters"]["unmatched"]]
    return (
        f"No thread has a name that matches {' or '.join(names)}, which {'is' if len(names) == 1 else 'are'} declared"
    )


def unseen_words(r: dict[str, Any]) -> str | None:
    """Why more jobs may have missed than did; None where all that the recording covers are seen."""
    if r["losses"]:
        jobs = f"{counted(r['lost'], 'job')} or more" if r["lost"] else "jobs of that time"
        return f"events were lost {counted(r['losses'], 'time')}, so that {jobs} could not be measured"
    if r["lost"]:
        return f"{counted(r['lost'], 'job')} could not be measured, as events of them are missing"
    return None


def undecided_words(r: dict[str, Any]) -> str | None:
    """Why global EDF may have been violated although no violation was seen; None where it was not."""
    edf, parts = r["edf"], []
    if r["losses"]:
        parts.append(f"events were lost {counted(r['losses'], 'time')}")
    if edf["undecided"]:
        waits = counted(edf["undecided"], "longer wait")
        parts.append(f"of {waits} it is not known in part, as what a CPU ran is not")
    uncovered = uncovered_words(r)
    if uncovered is not None:
        parts.append(uncovered)
    return ", and ".join(parts) or None


def uncovered_words(r: dict[str, Any]) -> str | None:
    """What part of the time of SCHED_DEADLINE threads was not checked, as deadlines are unknown; None where all was."""
    edf, unknown = r["edf"], len(r["parameters"]["undescribed"])
    if edf["checked_ns"] == edf["awake_ns"] and not unknown:
        return None
    of = f" (of {counted(unknown, 'thread')} none is)" if unknown else ""
    share = three_digits(100 * (1 - edf["checked_ns"] / edf["awake_ns"])) if edf["awake_ns"] else "0"
    return f"in {share} % of the time for which SCHED_DEADLINE threads ran or waited their deadlines are not known{of}"


def _nothing(r: dict[str, Any]) -> str:
    evidence = r["parameters"]
    seen, unmatched = evidence["undescribed"], evidence["unmatched"]
    if seen:
        names = ", ".join(sorted({thread_name(thread) for thread in seen})[:4])
        return (
            f"Not visible: {counted(len(seen), 'SCHED_DEADLINE thread')} ran ({names}), but their parameters were not "
            f"recorded ({evidence['why'] or 'of these threads'}). "
            + (f"{unmatched_words(r)}." if unmatched else "Declare them: --task 'NAME=RUNTIME/DEADLINE/PERIOD'.")
        )
    if unmatched:
        return f"No job was measured. {unmatched_words(r)}, and no SCHED_DEADLINE thread was seen."
    if evidence["recorded"]:
        return (
            "No thread had a deadline: no SCHED_DEADLINE thread in this recording. "
            "For threads of other classes: --task 'NAME=RUNTIME/DEADLINE/PERIOD'."
        )
    return (
        "Not visible: this trace does not have the parameters of SCHED_DEADLINE threads "
        f"({evidence['why'] or 'it was recorded by a version that did not record them'}), no thread of that class was "
        "seen, and no task is declared. Declare tasks: --task 'NAME=RUNTIME/DEADLINE/PERIOD'."
    )


def _invariant(r: dict[str, Any]) -> str:
    edf = r["edf"]
    if not edf["checked"]:
        return "Global EDF: not checked, as no SCHED_DEADLINE thread with known deadlines ran."
    bound = duration(bound_of(edf, "lasting"))
    if edf["violations"] or edf["outside_mask"]:
        parts = []
        if edf["violations"]:
            parts.append(f"passed over {counted(edf['violations'], 'time')} for longer than {bound}")
        if edf["outside_mask"]:
            parts.append(f"run outside their affinity {counted(edf['outside_mask'], 'time')}")
        return f"Global EDF was violated: threads were {', and '.join(parts)}."
    undecided = undecided_words(r)
    if undecided is not None:
        seen = f"no thread was seen passed over for longer than {bound}"
        return f"Global EDF held as far as is visible: {seen}, but {undecided}."
    return f"Global EDF held: no thread was passed over for longer than {bound}."


def _doubts(r: dict[str, Any]) -> str:
    """What of the tasks is not recorded or only modelled."""
    evidence, out = r["parameters"], []
    unseen = unseen_words(r)
    if unseen is not None:
        out.append(unseen)
    if evidence["declared_in_vain"]:
        threads = counted(len(evidence["declared_in_vain"]), "thread")
        out.append(f"what is declared of {threads} is not used, as their parameters were recorded")
    if evidence["undescribed"]:
        out.append(
            f"{counted(len(evidence['undescribed']), 'SCHED_DEADLINE thread')} without known parameters, not measured"
        )
    declared = sum(task["parameters"] == "declared" for task in r["tasks"])
    if declared:
        out.append(f"parameters of {counted(declared, 'thread')} are declared, not recorded")
    if evidence["modelled"]:
        out.append("their servers are modelled by the kernel's rules")
    unknown_ns = sum(task["spent_ns"]["unknown"] for task in r["tasks"])
    if unknown_ns:
        out.append(f"{duration(unknown_ns)} of the jobs are not visible")
    out += lock_words(r)
    out += servers_words(r)
    return f" Note: {'; '.join(out)}." if out else ""


LOCK_WORDS = {"pi_futex": "futex with priority inheritance", "kernel_mutex": "mutex of the kernel", "futex": "futex"}
"""What a thread waited for."""


def lock_words(r: dict[str, Any]) -> list[str]:
    """Which jobs waited for locks that threads of lower priority held, and what is not known of that."""
    locks, out = r["locks"], []
    longest = locks["longest_inversion"]
    if longest is not None:
        length = duration(longest["end_ns"] - longest["start_ns"])
        holder = f"{thread_name(longest['held_by'])} ({longest['held_by']['tid']})"
        out.append(
            f"priority inversion: tasks waited {counted(locks['inversions'], 'time')} for a lock that a thread of "
            f"lower priority held, for up to {length} ({thread_name(longest['thread'])} for {holder})"
        )
    if locks["split_jobs"]:
        late = (
            f", and {locks['late']:,} of the last ones ended after the deadline of the first" if locks["late"] else ""
        )
        out.append(
            f"what follows {counted(locks['split_jobs'], 'wait')} for a lock counts as a job of its own, with a later "
            f"deadline{late}"
        )
    if locks["boosted"] and not locks["recorded"]:
        names = ", ".join(thread_name(thread) for thread in locks["boosted"][:4])
        out.append(
            f"{names} held a lock for which a SCHED_DEADLINE thread waited (priority inheritance): record with "
            "--switch-stacks to see for how long"
        )
    return out


def lock_waits_words(locks: dict[str, Any]) -> str:
    """How many waits for locks there are, and what is not known of them."""
    text = f"waits for locks: {counted(locks['waits'], 'time')}, {duration(locks['total_ns'])}"
    unknown = "; a futex may be a lock, a condition variable or a semaphore: who held it is not known"
    return text + (unknown if locks["not_known"] else "")


def lock_row_words(row: dict[str, Any]) -> tuple[str, str]:
    """What was waited for, and who held it and what that thread did meanwhile."""
    if row["held_by"] is None:
        return LOCK_WORDS[row["kind"]], "not known"
    holder = f"{thread_name(row['held_by'])} ({row['held_by']['tid']})"
    parts = [f"ran {duration(row['holder_ran_ns'])}"]
    if row["holder_waited_ns"]:
        parts.append(f"waited for a CPU {duration(row['holder_waited_ns'])}")
    lower = ", of lower priority" if row["is_inversion"] else ""
    return LOCK_WORDS[row["kind"]], f"{holder}{lower}: {', '.join(parts)}"


def servers_words(r: dict[str, Any]) -> list[str]:
    """What of the servers the figures do not account for."""
    servers, out = r["servers"], []
    later = servers["postponed"]
    if later["late"] or later["max_ns"] > bound_of(r["edf"], "lasting"):
        late = f", counted from which {later['late']:,} more would be missed" if later["late"] else ""
        deadlines = (
            "the deadline of 1 job counts" if later["jobs"] == 1 else f"deadlines of {later['jobs']:,} jobs count"
        )
        out.append(
            f"{deadlines} from a replenishment up to {duration(later['max_ns'])} after the wakeup{late}, as the server "
            "was throttled until then"
        )
    if servers["reclaiming"]:
        threads = counted(len(servers["reclaiming"]), "thread")
        out.append(
            f"runtime that {threads} may reclaim of others (SCHED_FLAG_RECLAIM) is not accounted for: what a job runs "
            "beyond its own is an overrun"
        )
    if servers["fair"] and any(task["is_deadline_class"] for task in r["tasks"]):
        out.append(
            "servers that run fair threads within the deadline class (dl_server, from Linux 6.8 on) are not recorded: "
            "their deadlines and their part of the bound are not accounted for"
        )
    return out


def bound_of(edf: dict[str, Any], grade: str) -> int:
    """Above how long a time of a grade is, ns."""
    return int(next(g["above_ns"] for g in edf["grades"] if g["grade"] == grade))


def thread_name(thread: dict[str, Any]) -> str:
    """A thread's name, or its number where it has none."""
    return thread["name"] or f"tid {thread['tid']}"


def reservation_words(task: dict[str, Any]) -> str:
    """Runtime, deadline and period on one scale: `4/10/10 ms`."""
    times = [task["runtime_ns"], task["deadline_ns"], task["period_ns"]]
    unit, scale = ("ms", 1e6) if times[0] >= 100_000 else ("µs", 1e3)
    return f"{'/'.join(f'{ns / scale:.6g}' for ns in times)} {unit}"


def figures_of(figures: DeadlineFigures) -> list[tuple[str, str]]:
    """Names and values for the head of the tables."""
    r = figures.report
    out = [("jobs", f"{r['jobs']:,}" + (f", {r['incomplete']:,} more not seen whole" if r["incomplete"] else ""))]
    if r["missed"]:
        unfinished = f", {r['unfinished']:,} of them under way at the end" if r["unfinished"] else ""
        out.append(("missed", f"{r['missed']:,}{unfinished}"))
        mean = duration(r["tardiness_mean_ns"])
        out.append(("tardiness", f"{duration(r['tardiness_max_ns'])} at most, {mean} on average"))
    if r["laxity_min_ns"] is not None:
        out.append(("least laxity", duration(r["laxity_min_ns"])))
    longest = max((task["overrun_max_ns"] for task in r["tasks"]), default=0)
    by = f", by up to {duration(longest)}" if longest else ""
    out.append(("overruns", f"{r['overruns']:,}{by}; servers throttled {counted(r['throttles'], 'time')}"))
    spent = {use: sum(task["spent_ns"][use] for task in r["tasks"]) for use in ("run", *USE_WORDS)}
    total = sum(spent.values())
    if total:
        shares = [f"{words} {percent(spent[use] / total)}" for use, words in USE_WORDS.items() if spent[use]]
        out.append(
            (
                "time of jobs",
                f"running {percent(spent['run'] / total)}" + "".join(f", {s}" for s in shares),
            )
        )
    return out


def root_domain_cells(root: dict[str, Any]) -> tuple[str, str, str, str, str, str]:
    """CPUs, tasks, utilisation, bound, tests of global EDF, partitioned test."""
    tests = root["tests"]
    bound = root["admission_bound"]
    if not root["is_deadline_class"]:
        admitted = "not admitted"
    elif bound is not None:
        admitted = f"{three_digits(bound)}{' EXCEEDED' if root['bound_exceeded'] else ''}"
    else:
        admitted = "none" if root["bound_exceeded"] is not None else "not recorded"
    guaranteed = tests["gfb"] if tests["gfb"] is not None else tests["global_density"]
    fits = tests["partitioned_first_fit"]
    by = "GFB" if tests["gfb"] is not None else "density"
    return (
        cpu_list(root["cpus"], 4),
        f"{tests['tasks']:,}{'' if root['is_deadline_class'] else ' declared'}",
        three_digits(tests["utilisation"]),
        admitted,
        f"not tested ({tests['not_covered']})" if guaranteed is None else f"{'yes' if guaranteed else 'no'} ({by})",
        "not tested" if fits is None else "yes" if fits else "not by first fit",
    )


NOT_COVERED = {
    "class": "class: the kernel admits, and EDF orders, SCHED_DEADLINE threads alone",
    "parameters": "parameters: those of another SCHED_DEADLINE thread are not known",
    "affinity": "affinity: a task may not use every CPU of the root domain, which the tests of global EDF presuppose",
}


def not_covered_words(roots: list[dict[str, Any]]) -> list[str]:
    """What `not tested` means, for each reason that occurs."""
    reasons = {root["tests"]["not_covered"] for root in roots}
    return [words for reason, words in NOT_COVERED.items() if reason in reasons]


def kept_by_words(row: dict[str, Any]) -> str:
    """Who kept a job from running, and for how long."""
    thread = row["thread"]
    match row["kind"]:
        case "thread":
            who = f"{thread_name(thread)} ({thread['tid']})"
        case "fair_server":
            who = f"{thread_name(thread)} ({thread['tid']}), run by the CPU's deadline server"
        case "interrupt":
            vector = "" if row["vector"] is None else row["vector"]
            who = f"{row['irq_kind'] or 'interrupt'} {vector} on CPU {row['cpu']}"
        case "idle_cpu":
            who = f"CPU {row['cpu']} idle"
        case _:
            who = "no CPU quota"
    return f"{USE_WORDS[row['on']]}: {who}, {duration(row['dur_ns'])}"


def main_loss(miss: dict[str, Any]) -> str:
    """What cost a missed job most, in few words."""
    if miss["fault"] == "own_overrun":
        parts = [f"ran {duration(miss['spent_ns']['run'])}"]
        if miss["overrun_ns"]:
            parts.append(f"{duration(miss['overrun_ns'])} over")
        if miss["spent_ns"]["throttled"]:
            parts.append(f"throttled {duration(miss['spent_ns']['throttled'])}")
        return ", ".join(parts)
    uses = FAULT_USES[miss["fault"]]
    use = max(uses, key=lambda name: miss["spent_ns"][name])
    # What blocked a job is not known by name: others that kept it for a moment must not stand for it.
    culprit = next((row for row in miss["kept_by"] if row["on"] == use), None)
    if culprit is not None:
        words = kept_by_words(culprit)
        if miss["fault"] == "overload":
            needed = f"{three_digits(miss['needed'])} needed, {miss['admissible']:.3g} allowed"
            words += f"; CPU {cpu_list(miss['cpus'], 4)}: {needed}"
        return words
    return f"{USE_WORDS[use]} {duration(miss['spent_ns'][use])}"


def fault_words(miss: dict[str, Any]) -> str:
    """Whose fault a miss is, and whether that is only the largest of several parts."""
    return FAULT_WORDS[miss["fault"]] + ("" if miss["alone"] else ", in part")


def passed_over_words(edf: dict[str, Any]) -> str:
    """How often, and for how long, deadline threads were passed over, by grade."""
    parts = []
    for grade in edf["grades"]:
        if grade["count"]:
            above = f" (over {duration(grade['above_ns'])})" if grade["above_ns"] else ""
            parts.append(
                f"{counted(grade['count'], 'time')} {GRADE_WORDS[grade['grade']]}{above}, "
                f"{three_digits(grade['total_ns'] / 1e6)} ms"
            )
    return f"deadline threads passed over: {'; '.join(parts) or 'never'}"


def instead_words(row: dict[str, Any]) -> str:
    """What a CPU did while a thread was passed over."""
    ran = f"{thread_name(row['ran'])} ({row['ran']['tid']})" if row["ran"] else ""
    return {
        "idle_cpu": f"CPU {row['cpu']} idle",
        "lower_class": f"CPU {row['cpu']} ran {ran}, of a lower class",
        "later_deadline": f"CPU {row['cpu']} ran {ran}, whose deadline is later",
    }[row["instead"]]


def advice(figures: DeadlineFigures) -> list[tuple[str, str]]:
    """Faults that occurred, and what to change."""
    runs = [task["run_max_ns"] for task in figures.tasks if task["faults"]["own_overrun"]]
    longest = duration(max(runs, default=0))
    return [(FAULT_WORDS[fault], REPAIRS[fault].format(run_max=longest)) for fault, _ in figures.faults()]

"""Waits for a CPU in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wastenot.analyzer.model.latency import Latency, WaitGroup
from wastenot.analyzer.text.units import counted, duration

PLURALS = {"thread": "threads", "process": "processes", "cgroup": "cgroups"}


def latency_sentence(found: Latency) -> str:
    """How long threads waited, and what limits that."""
    limits = ""
    if found.wakeups_not_seen:
        limits += " Waits after a wakeup are not visible: the trace has no sched_wakeup, or not from its start."
    limits += _lost_text(found) + _group_text(found)
    whose = "" if found.of is None else f" of {groups_text(found.by, found.of)}"
    when = "" if found.is_whole else f" of the window of {duration(found.end_ns - found.start_ns)}"
    after = "" if found.after == "any" else f" after a {found.after}"
    if found.total is None:
        which = "No thread waited for" if found.of is None else f"No wait{whose} for"
        return f"{which} a CPU{after}{when}, as far as is recorded.{limits}"
    total = found.total
    cut = ""
    if total["cut"]:
        cut = f" {counted(total['cut'], 'wait')} started before or ended after what is known: at least so long."
    return f"{figures_text(total, f'{whose} for a CPU{after}{when}')}.{cut}{limits}"


NAMED = 3
"""Groups that a sentence names; of more it says how many there are."""


def groups_text(by: str, groups: Sequence[WaitGroup]) -> str:
    """`hog (tid 410), hog (tid 411), hog (tid 412) and 6 more threads`."""
    named = ", ".join(_group_name(by, group) for group in groups[:NAMED])
    more = len(groups) - NAMED
    return named if more <= 0 else f"{named} and {more} more {PLURALS[by] if more > 1 else by}"


def _group_name(by: str, group: WaitGroup) -> str:
    if group.key is None:
        return f"a {by} that is not recorded"
    name = group.label or group.name or "unknown"
    number = {"thread": group.tid, "process": group.tgid}.get(by)
    return name if number is None else f"{name} ({'tid' if by == 'thread' else 'tgid'} {number})"


def _lost_text(found: Latency) -> str:
    if not found.lost_events:
        return ""
    events = counted(found.lost_events, "event")
    if found.lost_other_kinds:
        kinds = ", ".join(found.lost_other_kinds)
        return f" {events} lost that do not say when threads wait ({kinds}): at most, waits at those times are cut."
    return f" {events} lost: waits during that time are missing or cut."


def _group_text(found: Latency) -> str:
    """That the group of waits is not recorded, of all or of some."""
    waits = found.waits_without_group
    if not waits or found.total is None:
        return ""
    if waits == found.total["waits"]:
        return f" {PLURALS[found.by].capitalize()} are not recorded: all waits are in one row."
    return f" The {found.by} of {counted(waits, 'wait')} is not recorded."


def figures_text(row: dict[str, Any], which: str) -> str:
    """`1,705 waits: median 8.54 ms, p99 184 ms, longest 433 ms, together 42.8 s`; `which` follows the number."""
    parts = f"median {duration(row['median_ns'])}, p99 {duration(row['p99_ns'])}, longest {duration(row['longest_ns'])}"
    return f"{counted(row['waits'], 'wait')}{which}: {parts}, together {duration(row['wait_ns'])}"

"""Waits for a CPU in words."""

from __future__ import annotations

from typing import Any

from wastenot.analyzer.model.latency import Latency
from wastenot.analyzer.text.units import counted, duration


def latency_sentence(found: Latency) -> str:
    """How long threads waited, and what limits that."""
    limits = ""
    if found.wakeups_not_seen:
        limits += " Waits after a wakeup are not visible: the trace has no sched_wakeup, or not from its start."
    if found.lost_events:
        limits += f" {counted(found.lost_events, 'event')} lost: waits during that time are missing or cut."
    when = "" if found.is_whole else f" of the window of {duration(found.end_ns - found.start_ns)}"
    after = "" if found.after == "any" else f" after a {found.after}"
    if found.total is None:
        return f"No thread waited for a CPU{after}{when}, as far as is recorded.{limits}"
    total = found.total
    cut = ""
    if total["cut"]:
        cut = f" {counted(total['cut'], 'wait')} started before or ended after what is known: at least so long."
    return f"{figures_text(total, f' for a CPU{after}{when}')}.{cut}{limits}"


def figures_text(row: dict[str, Any], which: str) -> str:
    """`1,705 waits: median 8.54 ms, p99 184 ms, longest 433 ms, together 42.8 s`; `which` follows the number."""
    parts = f"median {duration(row['median_ns'])}, p99 {duration(row['p99_ns'])}, longest {duration(row['longest_ns'])}"
    return f"{counted(row['waits'], 'wait')}{which}: {parts}, together {duration(row['wait_ns'])}"

"""Lists of episodes and of threads or processes as rich tables with readable units."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text
from wastenot.analyzer.render.latency import caption_of_histograms, histogram_cells
from wastenot.analyzer.render.terminal import RECURRENT_NOTE, plain_table, severity_text
from wastenot.analyzer.result import Result
from wastenot.analyzer.text.causes import cause_cells
from wastenot.analyzer.text.units import core_seconds, cpu_list, duration


def episodes_table(episodes: Result) -> Table:
    """Episodes as `wastenot episodes` lists them, worst first; one that lies within another row is indented."""
    table = plain_table(
        ("episode", "right"), ("severity", "left"), ("at", "right"), ("for", "right"), ("wasted", "right"),
        ("peak", "right"), ("idle", "left"), ("overloaded", "left"), ("threads", "right"), ("cause", "left"),
    )  # fmt: skip
    for e in episodes:
        table.add_row(
            str(e["episode_id"]),
            severity_text(e) if e["within"] is None else Text.assemble("  ", severity_text(e), f" in {e['within']}"),
            f"+{e['at_ns'] / 1e9:.6f} s",
            duration(e["dur_ns"]),
            core_seconds(e["total_core_ns"]) if e["within"] is None else f"({core_seconds(e['total_core_ns'])})",
            str(e["peak"]) if e["grade"] != "recurrent" else "",
            cpu_list(e["idle_cpus"], 4),
            cpu_list(e["overloaded_cpus"], 4),
            str(e["threads"]),
            Text(_cause(e)),
        )
    if any(e["grade"] == "recurrent" for e in episodes):
        table.caption = RECURRENT_NOTE
        table.caption_justify = "left"
    return table


def _cause(e: dict[str, Any]) -> str:
    """Why it was wasted in few words: why nothing moved the threads, else how they came to wait there."""
    placed_by, not_moved_because, _ = cause_cells(e)
    return (
        not_moved_because if not_moved_because != "-" else f"placed by {placed_by}" if placed_by != "-" else "unknown"
    )


def sum_line(episodes: Result, wasted_ns: int, within: int) -> str:
    """What the rows of a list add up to, of all waste; `within` episodes lie within them and are not listed."""
    sums = sum(e["adds_ns"] for e in episodes)
    without = ["*"] if any(e["grade"] == "recurrent" for e in episodes) else []
    without += ["brackets"] if any(e["within"] is not None for e in episodes) else []
    which = f"The rows without {' or '.join(without)}" if without else "These rows"
    rest = "; the rest is in smaller episodes and short intervals" if sums < wasted_ns else ""
    text = f"{which} add up to {core_seconds(sums).removesuffix(' core-s')} of {core_seconds(wasted_ns)} wasted{rest}."
    if within:
        lie = "episode lies" if within == 1 else "episodes lie"
        text += f" {within:,} more {lie} within them, their waste included: --grade all."
    return text


def top_table(rows: Result, by: str) -> Table:
    """Threads or processes as `wastenot top` lists them, in their order."""
    single = by == "thread"
    latency = [("p99 wait", "right"), ("longest wait", "right")] if "longest_wait_ns" in rows.columns else []
    # Single waits have the time without quota in them.
    throttled = [("no quota", "right")] if latency and any(row["throttled_ns"] for row in rows) else []
    table = plain_table(
        (by, "left"), ("tid" if single else "tgid", "right"), ("run", "right"),
        ("wait", "right"), *throttled, *latency, ("avoidable wait", "right"), ("wakeups", "right"), ("moves", "right"),
        ("needless moves", "right"),
        *([("waits by length", "left")] if latency else []),
        ("waited for", "left"),
    )  # fmt: skip
    if latency:
        caption_of_histograms(table, rows)
    histograms = [[cell] for cell in histogram_cells(rows)] if latency else [[]] * len(rows)
    for row, histogram in zip(rows, histograms, strict=True):
        table.add_row(
            Text(row["name"] or "unknown"),
            str(row["tid" if single else "tgid"]),
            duration(row["run_ns"]),
            duration(row["wait_ns"]),
            *([duration(row["throttled_ns"])] if throttled else []),
            *(duration(row[name]) for name in ("p99_wait_ns", "longest_wait_ns") if latency),
            Text(duration(row["avoidable_wait_ns"]), style="bold red" if row["avoidable_wait_ns"] else ""),
            f"{row['wakeups']:,}",
            f"{row['migrations']:,}",
            f"{row['needless_migrations']:,}",
            *histogram,
            Text(", ".join(row["antagonists"])),
        )
    return table

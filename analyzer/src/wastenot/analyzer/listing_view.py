"""Lists of episodes and of threads, processes or cgroups as rich tables with readable units."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text
from wastenot.analyzer.result import Result
from wastenot.analyzer.units import core_seconds, cpu_list, duration
from wastenot.analyzer.view import STYLES, plain_table


def episodes_table(episodes: Result) -> Table:
    """Episodes as `wastenot episodes` lists them, worst first."""
    table = plain_table(
        ("#", "right"), ("grade", "left"), ("at", "right"), ("for", "right"), ("wasted", "right"), ("peak", "right"),
        ("idle", "left"), ("overloaded", "left"), ("threads", "right"), ("cause", "left"),
    )  # fmt: skip
    for e in episodes:
        table.add_row(
            str(e["episode_id"]),
            Text(e["grade"].replace("_", " "), style=STYLES.get(e["grade"], "")),
            f"+{e['at_ns'] / 1e9:.6f} s",
            duration(e["dur_ns"]),
            core_seconds(e["core_ns"]),
            str(e["peak"]),
            cpu_list(e["idle_cpus"], 4),
            cpu_list(e["overloaded_cpus"], 4),
            str(e["threads"]),
            cause(e),
        )
    return table


def cause(e: dict[str, Any]) -> str:
    """Placement, correction and resolution as far as they are known, and how sure that is."""
    known = [e[k] for k in ("placement", "correction", "resolution") if e[k] != "unknown"]
    return f"{' / '.join(known)} ({e['proof']})" if known else "unknown"


def top_table(rows: Result, by: str) -> Table:
    """Threads, processes or cgroups as `wastenot top` lists them, most needless wait first."""
    single = by == "thread"
    table = plain_table(
        (by, "left"), ("tid" if single else "tgid" if by == "process" else "threads", "right"), ("run", "right"),
        ("wait", "right"), ("needless", "right"), ("wakeups", "right"), ("moves", "right"), ("needless", "right"),
        ("waited for", "left"),
    )  # fmt: skip
    for row in rows:
        name = row["cgroup"] if by == "cgroup" else row["name"]
        table.add_row(
            Text(name or "unknown"),
            str(row["tid" if single else "tgid" if by == "process" else "threads"]),
            duration(row["run_ns"]),
            duration(row["wait_ns"]),
            Text(duration(row["needless_wait_ns"]), style="bold red" if row["needless_wait_ns"] else ""),
            f"{row['wakeups']:,}",
            f"{row['migrations']:,}",
            f"{row['needless_migrations']:,}",
            Text(", ".join(row["antagonists"])),
        )
    return table

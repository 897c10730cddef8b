"""What the kernel's load balancer counted: of a trace, of a `perf sched stats` file, or between two /proc/schedstat."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from rich.table import Table
from wastenot._native import collector
from wastenot.analyzer.render.terminal import plain_table
from wastenot.analyzer.result import Queryable

STATES = ("idle", "newidle", "busy")


def counted_in(trace: Queryable) -> list[dict[str, Any]]:
    """Rows of the metric `balancer_counters`; empty where the trace has no readings of the counters."""
    return trace.metric("balancer_counters").rows()


def counted_between(before: Path, after: Path | None = None) -> list[dict[str, Any]]:
    """The same rows from one file with two readings (`perf sched stats record`), or from two texts of /proc/schedstat.

    Raises WastenotError for files that are neither.
    """
    read = json.loads(collector.schedstat(str(before), None if after is None else str(after)))
    sums: dict[int, dict[str, int]] = {}
    names: dict[int, Counter[str]] = {}
    for domain in read["domains"]:
        of = sums.setdefault(domain["level"], {})
        names.setdefault(domain["level"], Counter()).update([domain["name"]])
        for name, count in domain["counters"].items():
            of[name] = of.get(name, 0) + count
    return [
        {
            "level": level,
            "name": names[level].most_common(1)[0][0] or None,
            "state": state,
            "attempts": of[f"{state}_lb_count"],
            "balanced": of[f"{state}_lb_balanced"],
            "failed": of[f"{state}_lb_failed"],
            "gained": of[f"{state}_lb_gained"],
            "hot_gained": of[f"{state}_lb_hot_gained"],
            "no_queue": of[f"{state}_lb_nobusyq"],
            "no_group": of[f"{state}_lb_nobusyg"],
        }
        for level, of in sorted(sums.items())
        for state in STATES
    ]


def counted_table(rows: list[dict[str, Any]]) -> Table:
    """The rows as `wastenot counters` prints them."""
    table = plain_table(
        ("level", "left"), ("CPU", "left"), ("attempts", "right"), ("balanced", "right"), ("failed", "right"),
        ("no busier queue", "right"), ("group", "right"), ("pulled", "right"), ("cache-hot", "right"),
    )  # fmt: skip
    for row in rows:
        name = f"{row['level']} {row['name']}" if row["name"] else str(row["level"])
        figures = ("attempts", "balanced", "failed", "no_queue", "no_group", "gained", "hot_gained")
        table.add_row(name, row["state"], *(f"{row[figure]:,}" for figure in figures))
    return table

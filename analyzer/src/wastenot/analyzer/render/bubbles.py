"""Bubbles as `wastenot top --by bubble` lists them: priority, share of a CPU, state, place, what was kept together."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from rich.table import Table
from rich.text import Text
from wastenot.analyzer.model.bubbles import tree_of
from wastenot.analyzer.render.terminal import plain_table
from wastenot.analyzer.result import Queryable
from wastenot.analyzer.text.units import duration

STATES = {"running": "R", "runnable": "W", "preempted": "W", "waiting": "W", "throttled": "T", "ended": "X"}
"""One letter per state, as top has it; everything else sleeps or waits for something else: S."""


def bubble_listing(trace: Queryable, tree: str, limit: int) -> list[dict[str, Any]]:
    """The `limit` bubbles with most avoidable wait, in the order of the tree; declared ones with `threads_in_it`."""
    rows = trace.metric("bubbles", tree=tree_of(trace, tree), limit=limit).rows()
    shown = {row["bubble_id"] for row in rows}
    below: dict[int | None, list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(rows, key=lambda r: r["bubble_id"]):
        below[row["parent_id"] if row["parent_id"] in shown else None].append(row)
    threads: dict[int, list[dict[str, Any]]] = defaultdict(list)
    if tree == "declared" and shown:
        for thread in trace.metric("bubble_threads", bubbles=sorted(shown)):
            threads[thread["bubble_id"]].append(thread)
    out: list[dict[str, Any]] = []
    todo = [(row, 0) for row in reversed(below[None])]
    while todo:
        row, level = todo.pop()
        out.append(row | {"level": level, "threads_in_it": threads[row["bubble_id"]]})
        todo += [(inner, level + 1) for inner in reversed(below.pop(row["bubble_id"], []))]
    return out


def bubble_table(listing: list[dict[str, Any]], tree: str) -> Table:
    """The listing as a table; a bubble's cpu column has how many CPUs it ran on, a thread's the last one."""
    declared = tree == "declared"
    heads = [("bubble", "left"), ("pr", "right"), ("%cpu", "right"), ("s", "left"), ("cpu", "right")]
    heads += [("threads", "right"), ("run", "right"), ("wait", "right"), ("avoidable", "right"), ("moves", "right")]
    heads += [("one cache", "right"), ("one node", "right"), ("spread", "right")]
    heads += [("held", "right"), ("where", "left")] if declared else [("kind", "left")]
    table = plain_table(*heads)
    for b in listing:
        cells: list[Text | str] = [
            Text("  " * b["level"] + (b["name"] or f"bubble {b['bubble_id']}"), style="bold"),
            _text(b["priority"]), _share(b["cpu_share"]), STATES.get(b["state"], "S"), f"×{b['cpus']}",
            f"{b['threads']:,}",
            duration(b["run_ns"]), duration(b["wait_ns"]), _avoidable(b["avoidable_wait_ns"]), f"{b['migrations']:,}",
            _share(b["llc_kept"], 0), _share(b["node_kept"], 0), "" if b["spread"] is None else f"{b['spread']:.2f}",
        ]  # fmt: skip
        cells += [_share(b["held_share"], 0), b["holder"] or ""] if declared else [b["kind"]]
        table.add_row(*cells)
        for t in b["threads_in_it"]:
            table.add_row(
                Text("  " * (b["level"] + 1) + (t["name"] or f"tid {t['tid']}")),
                _text(t["priority"]), _share(t["cpu_share"]), STATES.get(t["state"], "S"), _text(t["cpu"]), "",
                duration(t["run_ns"]), duration(t["wait_ns"]), _avoidable(t["avoidable_wait_ns"]),
                f"{t['migrations']:,}",
                *[""] * (len(heads) - 10),
            )  # fmt: skip
    return table


def _text(value: int | None) -> str:
    return "" if value is None else str(value)


def _share(share: float | None, digits: int = 1) -> str:
    return "" if share is None else f"{100 * share:.{digits}f}"


def _avoidable(ns: int) -> Text:
    return Text(duration(ns), style="bold red" if ns else "")

"""The machine as a tree: node, last-level cache, core, CPU."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import duckdb
from wastenot.analyzer.trace import run_on
from wastenot.web.library import OpenTrace
from wastenot.web.models import Cpu, Domain, Machine, MachineNode
from wastenot.web.trace_request import run_query

LEVELS = ("node", "llc", "core")
NAMES = {"node": "node", "llc": "LLC", "core": "core", "cpu": "CPU"}


def lanes_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace) -> list[int]:
    """The CPUs in the order of the lanes; read once per open trace."""
    if "lanes" not in opened.kept:
        opened.kept["lanes"] = run_query(cursor, opened, "machine").column("cpu").to_pylist()
    found = opened.kept["lanes"]
    assert isinstance(found, list)
    return found


def machine_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace) -> Machine:
    """Everything that is known of the machine."""
    rows = run_query(cursor, opened, "machine").to_pylist()
    domains = run_on(
        cursor,
        opened.path,
        "SELECT since_ns, cpu, level, name, span, flags, min_interval_ns, max_interval_ns, exact FROM domain "
        "ORDER BY ALL",
    ).to_pylist()
    nodes = run_on(cursor, opened.path, "SELECT node, distances FROM numa_node ORDER BY node").to_pylist()
    one = run_on(cursor, opened.path, "SELECT model, kernel, tick_ns FROM machine").to_pylist()
    facts: dict[str, Any] = one[0] if one else {"model": None, "kernel": None, "tick_ns": 0}
    return Machine(
        model=facts["model"],
        kernel=facts["kernel"],
        tick_ns=facts["tick_ns"],
        cpus=[Cpu(**row) for row in rows],
        levels=[level for level in LEVELS if _groups(rows, level)],
        tree=tree(rows),
        domains=[Domain(**row) for row in domains],
        nodes=[row["node"] for row in nodes],
        distances=[row["distances"] for row in nodes],
    )


def tree(rows: list[dict[str, Any]]) -> MachineNode:
    """The CPUs, in the order of their lanes, as nested parts; a level of which nothing is known is left out."""
    levels = [level for level in LEVELS if _groups(rows, level)]
    return MachineNode(kind="machine", id=0, name="machine", cpus=_numbers(rows), children=_parts(rows, levels))


def _groups(rows: list[dict[str, Any]], level: str) -> bool:
    """The level is known, and groups something: cores without hardware threads are their CPUs."""
    known = {row[level] for row in rows}
    return known != {-1} and (level != "core" or len(known) < len(rows))


def _parts(rows: list[dict[str, Any]], levels: list[str]) -> list[MachineNode]:
    if not levels:
        return [
            MachineNode(kind="cpu", id=r["cpu"], name=f"CPU {r['cpu']}", cpus=[r["cpu"]], children=[]) for r in rows
        ]
    kind, rest = levels[0], levels[1:]
    found = []
    for key, members in groupby(rows, key=lambda r: r[kind]):
        inside = list(members)
        name = f"{NAMES[kind]} {key}" if key >= 0 else f"{NAMES[kind]} unknown"
        found.append(
            MachineNode.model_validate(
                {"kind": kind, "id": key, "name": name, "cpus": _numbers(inside), "children": _parts(inside, rest)}
            )
        )
    return found


def _numbers(rows: list[dict[str, Any]]) -> list[int]:
    return [row["cpu"] for row in rows]

"""Bubbles that a trace holds, or that follow from how its threads belong together."""

from __future__ import annotations

from typing import Literal

import duckdb
from wastenot.analyzer.trace import run_on
from wastenot.web.library import OpenTrace
from wastenot.web.models import Bubble, Bubbles, Member

Kind = Literal["natural", "creation", "declared"]


def bubbles_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, kind: Kind) -> Bubbles:
    """All bubbles of a kind; none where nothing was declared."""
    if kind == "natural":
        return natural(cursor, opened)
    if kind == "creation":
        return creation(cursor, opened)
    return Bubbles(kind=kind, bubbles=[], members=[])


def natural(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace) -> Bubbles:
    """cgroup, in it cgroups and processes, in them threads. A process is in the cgroup of its leader."""
    groups = run_on(cursor, opened.path, "SELECT cgroup_id, path FROM cgroup ORDER BY path").to_pylist()
    threads = run_on(
        cursor,
        opened.path,
        "SELECT utid, tid, tgid, upid, cgroup_id, start_ns, end_ns FROM thread WHERE utid <> 0 ORDER BY utid",
    ).to_pylist()
    processes = run_on(cursor, opened.path, "SELECT upid, tgid, name FROM process ORDER BY upid").to_pylist()
    used = {t["cgroup_id"] for t in threads}
    out: list[Bubble] = []
    by_path: dict[str, int] = {}
    of_group: dict[int, int] = {}

    def group(path: str) -> int | None:
        """The bubble of a path, made with those above it."""
        path = path.rstrip("/")
        if not path:
            return None
        if path not in by_path:
            parent = group(path.rpartition("/")[0])
            by_path[path] = len(out)
            out.append(
                Bubble(
                    id=len(out),
                    parent=parent,
                    name=path.rpartition("/")[2],
                    kind="cgroup",
                    priority=None,
                    start_ns=None,
                    end_ns=None,
                )
            )
        return by_path[path]

    for g in groups:
        found = group(g["path"]) if g["cgroup_id"] in used else None
        if found is not None:
            of_group[g["cgroup_id"]] = found
    home: dict[int, int | None] = {}
    for t in threads:
        if t["upid"] is not None and (t["upid"] not in home or t["tid"] == t["tgid"]):
            home[t["upid"]] = of_group.get(t["cgroup_id"])
    of_process: dict[int, int] = {}
    for p in processes:
        of_process[p["upid"]] = len(out)
        out.append(
            Bubble(
                id=len(out),
                parent=home.get(p["upid"]),
                name=p["name"] or f"pid {p['tgid']}",
                kind="process",
                priority=None,
                start_ns=None,
                end_ns=None,
            )
        )
    members = []
    for t in threads:
        holder = of_process.get(t["upid"], of_group.get(t["cgroup_id"]))
        if holder is not None:
            members.append(Member(utid=t["utid"], bubble=holder, start_ns=t["start_ns"], end_ns=t["end_ns"]))
    return Bubbles(kind="natural", bubbles=out, members=members)


def creation(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace) -> Bubbles:
    """A bubble for every thread that created others: it and its children are in it; their bubbles too."""
    threads = run_on(
        cursor,
        opened.path,
        "SELECT utid, tid, name, parent_utid, start_ns, end_ns FROM thread WHERE utid <> 0 ORDER BY utid",
    ).to_pylist()
    parents = {t["parent_utid"] for t in threads if t["parent_utid"] is not None}
    of_parent = {utid: n for n, utid in enumerate(sorted(parents))}
    by_utid = {t["utid"]: t for t in threads}
    out = []
    for utid, n in of_parent.items():
        t = by_utid.get(utid)
        above = of_parent.get(t["parent_utid"]) if t is not None else None
        name = (t["name"] or f"tid {t['tid']}") if t is not None else "swapper"
        out.append(
            Bubble(
                id=n,
                parent=above,
                name=name,
                kind="creation",
                priority=None,
                start_ns=t["start_ns"] if t else None,
                end_ns=t["end_ns"] if t else None,
            )
        )
    members = []
    for t in threads:
        holder = of_parent.get(t["utid"], of_parent.get(t["parent_utid"]))
        if holder is not None:
            members.append(Member(utid=t["utid"], bubble=holder, start_ns=t["start_ns"], end_ns=t["end_ns"]))
    return Bubbles(kind="creation", bubbles=out, members=members)

"""Statistics of a selected range: what its CPUs and threads did, how they waited, what was wasted meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
from wastenot.web.library import OpenTrace
from wastenot.web.models import PathCount, SelectedCause, SelectedThread, SelectedWaits, Selection
from wastenot.web.trace_request import run_query


def selection_of(
    cursor: duckdb.DuckDBPyConnection,
    opened: OpenTrace,
    begin: int,
    until: int,
    cpus: Sequence[int] = (),
    utids: Sequence[int] = (),
) -> Selection:
    """Of some CPUs or some threads between two instants; of none: of all. Raises TablesNotMade."""

    def rows(name: str, **parameters: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = run_query(cursor, opened, name, start=begin, end=until, **parameters).to_pylist()
        return found

    on = {"cpus": list(cpus)}
    who = {**on, "utids": list(utids)}
    threads = rows("selection", **who)
    avoidable_ns = {row["utid"]: row["avoidable_ns"] for row in rows("avoidable", **who)}
    (on_cpus,) = rows("selection_cpus", **on)
    (waste,) = rows("selection_wasted")
    return Selection(
        start_ns=begin,
        end_ns=until,
        cpus=list(cpus),
        threads=[SelectedThread(**t, avoidable_ns=avoidable_ns.get(t["utid"], 0)) for t in threads],
        causes=[SelectedCause(**c) for c in rows("selection_causes", **who)],
        wait_ns=sum(t["wait_ns"] for t in threads),
        waits=[SelectedWaits(**w) for w in rows("selection_waits", **who)],
        migrations=[PathCount(**m) for m in rows("selection_moves", **on)],
        episodes=[row["episode_id"] for row in rows("selection_episodes")],
        wasted_core_s=waste["wasted_ns"] / 1e9,
        certain_core_s=waste["certain_ns"] / 1e9,
        **on_cpus,
    )

"""The threads that waited, and those that ran meanwhile: the rows of `top` completed with antagonists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from wastenot._native import Rows
from wastenot.analyzer.deferred import duckdb, pa
from wastenot.analyzer.model.cgroup_names import label_of
from wastenot.analyzer.model.latency import NOT_RECORDED, histograms
from wastenot.analyzer.queries import query
from wastenot.analyzer.result import Queryable, Result
from wastenot.analyzer.store.windows import MOST_NS

SHOWN_ANTAGONISTS = 3


@dataclass(frozen=True)
class Grouping:
    """One way to group the threads: the metric that lists the groups and the key columns of a group."""

    metric: str
    key: str


BY = {
    "thread": Grouping("threads", "utid"),
    "process": Grouping("processes", "upid"),
    "cgroup": Grouping("cgroups", "cgroup_id"),
}
"""Ways to group the threads."""


EVER = {"start_ns": -MOST_NS, "end_ns": MOST_NS}
"""A window that holds every trace."""


def with_antagonists(trace: Queryable, by: str, rows: Result, span: Mapping[str, int] = EVER) -> Result:
    """The rows with a column `antagonists`: the threads that ran most meanwhile, as `name (share %)`; none of 0 %.

    `span`: parameters `start_ns` and `end_ns` of the window that the rows are of.
    """
    key = BY[by].key
    members = _members(trace, key, rows)
    waited: dict[Any, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    if members:
        for row in trace.metric("antagonists", utids=list(members), **span):
            name = row["antagonist"] or f"tid {row['antagonist_tid']}"
            waited[members[row["utid"]]][name] += row["waited_ns"]
    texts = [_leading(waited.get(group, {})) for group in rows.arrow().column(key).to_pylist()]
    return Result(rows.arrow().append_column("antagonists", pa.array(texts, pa.list_(pa.string()))), f"top by {by}")


TOP_SORTS = ("avoidable", "wait", "longest", "p99")
"""Orders of the list: avoidable wait, wait, the longest single wait, the 99th percentile of the waits."""


def sorted_rows(rows: Result, latency: list[dict[str, Any]], by: str, sort: str, limit: int) -> Result:
    """The first rows in an order of `TOP_SORTS`, with the columns `waits`, `p99_wait_ns` and `longest_wait_ns`."""
    of_key = {row["key"]: row for row in latency}
    table = rows.arrow()
    found = [of_key.get(key) for key in table.column(BY[by].key).to_pylist()]
    columns = {"waits": "waits", "p99_wait_ns": "p99_ns", "longest_wait_ns": "longest_ns"}
    for name, column in columns.items():
        values = [0 if row is None else row[column] for row in found]
        table = table.append_column(name, pa.array(values, pa.int64()))
    by_sort = {"avoidable": "avoidable_wait_ns", "wait": "wait_ns", "longest": "longest_wait_ns", "p99": "p99_wait_ns"}
    order = [(by_sort[sort], "descending"), ("wait_ns", "descending"), ("run_ns", "descending")]
    return Result(table.sort_by(order).slice(0, limit), f"top by {by}")


def with_histograms(trace: Queryable, by: str, rows: Result, span: Mapping[str, int]) -> Result:
    """The rows with a column `histogram`: waits by their length, as `latency` has them (none: an empty list)."""
    keys = rows.arrow().column(BY[by].key).to_pylist()
    chosen = [NOT_RECORDED if key is None else key for key in keys]
    of_key = histograms(trace.metric("latency_histogram", by=by, keys=chosen, **span), "any") if keys else {}
    bins = [of_key.get((False, key), []) for key in keys]
    of_bin = pa.struct([(name, pa.int64()) for name in ("low_ns", "high_ns", "after_wakeup", "after_preemption")])
    return Result(rows.arrow().append_column("histogram", pa.array(bins, pa.list_(of_bin))), rows.title)


def without_absent(rows: Result) -> Result:
    """The rows without those that neither ran nor waited."""
    columns = (rows.arrow().column(name).to_pylist() for name in ("run_ns", "wait_ns", "throttled_ns"))
    return Result(rows.arrow().filter(pa.array([any(ns) for ns in zip(*columns, strict=True)], pa.bool_())), rows.title)


@contextmanager
def figures_of_window(cursor: duckdb.DuckDBPyConnection, span: Mapping[str, int]) -> Iterator[None]:
    """Let the queries on a cursor see the figures of a window, from its `start_ns` to its `end_ns`, in `thread`."""
    cursor.execute(f"CREATE TEMP TABLE thread AS {query('threads_in_window').sql}", dict(span))
    try:
        yield
    finally:
        cursor.execute("DROP TABLE temp.thread")


@contextmanager
def ledger_of_window(cursor: duckdb.DuckDBPyConnection, waits: Rows) -> Iterator[None]:
    """Let the queries on a cursor see these rows in `cgroup_wait`."""
    cursor.register("waits_in_window", waits)
    try:
        cursor.execute("CREATE TEMP TABLE cgroup_wait AS SELECT * FROM waits_in_window")
    finally:
        cursor.unregister("waits_in_window")
    try:
        yield
    finally:
        cursor.execute("DROP TABLE temp.cgroup_wait")


def with_labels(rows: Result) -> Result:
    """The rows of cgroups with a column `label`: what runs there, by its path; None where no cgroup is known."""
    columns = (rows.arrow().column(name).to_pylist() for name in ("cgroup_id", "cgroup"))
    labels = [None if path is None else label_of(number, path) for number, path in zip(*columns, strict=True)]
    return Result(rows.arrow().append_column("label", pa.array(labels, pa.string())), "top by cgroup")


def _members(trace: Queryable, key: str, rows: Result) -> dict[int, Any]:
    """The threads of the shown groups that waited at all, each with its group."""
    groups = rows.arrow().column(key).to_pylist()
    found = trace.sql(
        f"SELECT utid, {key} AS grp FROM thread WHERE utid <> 0 AND wait_wakeup_ns + wait_preempted_ns > 0 "
        f"AND (list_contains($groups, {key}) OR ($or_null AND {key} IS NULL))",
        {"groups": [g for g in groups if g is not None] or [-1], "or_null": None in groups},
    )
    return {row["utid"]: row["grp"] for row in found}


def _leading(waited: dict[str, int]) -> list[str]:
    total = sum(waited.values())
    ordered = sorted(waited.items(), key=lambda item: (-item[1], item[0]))
    return [f"{name} ({100 * ns / total:.0f} %)" for name, ns in ordered[:SHOWN_ANTAGONISTS] if 200 * ns > total]

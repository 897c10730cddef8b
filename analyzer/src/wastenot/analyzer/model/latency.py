"""How long threads waited for a CPU, as values: percentiles, histograms and the longest waits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.model.cgroup_names import label_of
from wastenot.analyzer.result import Queryable

LATENCY_BY = ("thread", "process", "cgroup")
LATENCY_SORTS = ("longest", "p99", "total", "waits")
WAITED_AFTER = ("wakeup", "preemption")
"""Values of `waited_after`."""

OTHER_KINDS = frozenset((
    "balance_attempt", "balance_kick", "balance_search", "core_cookie", "cpu_load", "cpus_scanned", "dl_parameters",
    "event_stack", "ext_kick", "ext_queue", "ext_search", "ext_state", "idle_exit_late", "irq_span", "newidle_entry",
    "perf_counter", "preferred_llc", "region_event",
))  # fmt: skip
"""Kinds of events that say nothing of when threads wait."""


@dataclass(frozen=True)
class Latency:
    """Waits of a window: all of them together, by group, and the longest ones.

    `total` and each of `groups` are rows of the metric `latency`, with the rows of `latency_histogram` as `histogram`
    (and of cgroups a `label`); `longest` are rows of `longest_waits`. `total` is None where no thread waited.
    """

    by: str
    after: str
    sort: str
    start_ns: int
    end_ns: int
    trace_start_ns: int
    is_whole: bool
    """The window is the whole trace."""
    total: dict[str, Any] | None
    groups: list[dict[str, Any]]
    longest: list[dict[str, Any]]
    wakeups_not_seen: bool
    """The trace does not show waits of woken threads."""
    lost_events: int
    lost_other_kinds: list[str]
    """Of them the kinds that do not say when threads wait, where none of the others was lost."""

    @property
    def waits_without_group(self) -> int:
        """Waits of which the thread, process or cgroup is not recorded."""
        return sum(row["waits"] for row in self.groups if row["key"] is None)


def read_latency(
    trace: Queryable,
    by: str = "thread",
    window: tuple[int, int] | None = None,
    after: str = "any",
    sort: str = "longest",
    limit: int = 20,
    worst: int = 20,
) -> Latency:
    """Read the waits of a checked trace that touch a window (ns as the trace has them; None: all).

    `after`: those after a `wakeup`, a `preemption`, or `any`. Raises BadArgument for what is not one of these words.
    """
    for name, given, known in (
        ("by", by, LATENCY_BY), ("after", after, (*WAITED_AFTER, "any")), ("sort", sort, LATENCY_SORTS),
    ):  # fmt: skip
        if given not in known:
            raise BadArgument(f"latency {name} {given!r}: one of {', '.join(known)}")
    figures = trace.metric("verdict").one()
    whole = (figures["start_ns"], figures["end_ns"])
    start_ns, end_ns = window or (whole[0], whole[1] + 1)
    span = {"start_ns": start_ns, "end_ns": end_ns}
    rows = trace.metric("latency", by=by, after=after, sort=sort, limit=limit, **span).rows()
    bins = _histograms(trace.metric("latency_histogram", by=by, **span), after)
    for row in rows:
        row["histogram"] = bins[row.pop("is_total"), row["key"]]
    total, groups = (rows[0], rows[1:]) if rows else (None, [])
    if by == "cgroup":
        for row in groups:
            row["label"] = None if row["name"] is None else label_of(row["key"], row["name"])
    lost = trace.metric("lost").rows()
    kinds = sorted({row["what"] for row in lost})
    return Latency(
        by, after, sort, start_ns, end_ns, whole[0], window is None,
        total, groups,
        trace.metric("longest_waits", after=after, limit=worst, **span).rows(),
        not trace.metric("trace").one()["shows_wakeups"],
        sum(row["events"] for row in lost),
        kinds if OTHER_KINDS.issuperset(kinds) else [],
    )  # fmt: skip


def _histograms(rows: Iterable[Mapping[str, Any]], after: str) -> dict[Any, list[dict[str, int]]]:
    """The bins of all waits and of each key, with those between them that have no waits."""
    found: dict[Any, list[dict[str, int]]] = defaultdict(list)
    for row in rows:
        kinds = {f"after_{kind}": row[f"after_{kind}"] if after in ("any", kind) else 0 for kind in WAITED_AFTER}
        if not any(kinds.values()):
            continue
        bins = found[row["is_total"], row["key"]]
        while bins and bins[-1]["high_ns"] < row["low_ns"]:
            low = bins[-1]["high_ns"]
            bins.append({"low_ns": low, "high_ns": 2 * low} | dict.fromkeys(kinds, 0))
        bins.append({"low_ns": row["low_ns"], "high_ns": row["high_ns"]} | kinds)
    return found

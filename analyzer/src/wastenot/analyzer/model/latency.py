"""How long threads waited for a CPU, as values: percentiles, histograms and the longest waits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wastenot.analyzer.errors import BadArgument, NoSuchGroup
from wastenot.analyzer.model.cgroup_names import label_of
from wastenot.analyzer.result import Queryable

LATENCY_BY = ("thread", "process", "cgroup")
LATENCY_SORTS = ("longest", "p99", "total", "waits")
WAITED_AFTER = ("wakeup", "preemption")
"""Values of `waited_after`."""

OTHER_KINDS = frozenset((
    "balance_attempt", "balance_kick", "balance_search", "core_cookie", "cpu_frequency", "cpu_idle", "cpu_load",
    "cpus_scanned", "dl_parameters", "event_stack", "ext_access", "ext_counter", "ext_idle", "ext_kick",
    "ext_of_cgroup", "ext_queue", "ext_scheduler", "ext_search", "ext_state", "idle_exit_late", "irq_span",
    "newidle_entry", "perf_counter", "preferred_llc", "region_event",
))  # fmt: skip
"""Kinds of events that say nothing of when threads wait."""


NOT_RECORDED = -1
"""Stands in the metrics' `keys` for the waits of which the group is not recorded."""

_GROUPS = {
    "thread": "SELECT utid AS key, tid, tgid, name FROM thread WHERE utid <> 0 ORDER BY utid",
    "process": "SELECT upid AS key, NULL AS tid, tgid, name FROM process ORDER BY upid",
    "cgroup": "SELECT cgroup_id AS key, NULL AS tid, NULL AS tgid, path AS name FROM cgroup ORDER BY cgroup_id",
}
"""All threads, processes and cgroups; swapper, which never waits, is left out."""


@dataclass(frozen=True)
class WaitGroup:
    """A thread, process or cgroup whose waits were asked for; `key` None: the waits of which it is not recorded."""

    key: int | None
    tid: int | None = None
    tgid: int | None = None
    name: str | None = None
    """Of a cgroup its path."""
    label: str | None = None
    """Of a cgroup: the pod, container, unit or session."""


@dataclass(frozen=True)
class Latency:
    """Waits of a window: all of them together, by group, and the longest ones.

    Where `of` is not None, they are the waits of these groups alone, and `groups` has no other.

    `total` and each of `groups` are rows of the metric `latency`, with the rows of `latency_histogram` as `histogram`
    (and of cgroups a `label`); `longest` are rows of `longest_waits`. `total` is None where no thread waited.
    """

    by: str
    of: tuple[WaitGroup, ...] | None
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
        """Waits of which the thread, process or cgroup is not recorded, where those of all groups were asked for."""
        if self.of is not None:
            return 0
        return sum(row["waits"] for row in self.groups if row["key"] is None)


@dataclass(frozen=True)
class WaitingCurve:
    """How many threads waited for a CPU, on average in each bin of a window; of `of` alone where it is not None."""

    by: str
    of: tuple[WaitGroup, ...] | None
    start_ns: int
    width_ns: int
    """Length of a bin; the last one may reach beyond the window."""
    waiting: list[float]


def read_waiting_curve(
    trace: Queryable,
    by: str = "thread",
    of: str | Collection[int | None] | None = None,
    window: tuple[int, int] | None = None,
    after: str = "any",
    bins: int = 400,
) -> WaitingCurve:
    """The curve of a checked trace in at most `bins` bins of a window (None: the whole trace); parameters as above."""
    _require_words(("by", by, LATENCY_BY), ("after", after, (*WAITED_AFTER, "any")))
    figures = trace.metric("verdict").one()
    start_ns, end_ns = window or (figures["start_ns"], figures["end_ns"])
    width_ns = max(1, -(-(end_ns - start_ns) // bins))
    chosen = None if of is None else find_groups(trace, by, of)
    waiting = [0.0] * -(-(end_ns - start_ns) // width_ns)
    span = {"start_ns": start_ns, "end_ns": end_ns, "width_ns": width_ns}
    for row in trace.metric("waiting_curve", by=by, keys=keys_of(chosen), after=after, **span).rows():
        waiting[(row["start_ns"] - start_ns) // width_ns] = float(row["waiting"])
    return WaitingCurve(by, chosen, start_ns, width_ns, waiting)


def _require_words(*words: tuple[str, str, Collection[str]]) -> None:
    for name, given, known in words:
        if given not in known:
            raise BadArgument(f"latency {name} {given!r}: one of {', '.join(known)}")


def read_latency(
    trace: Queryable,
    by: str = "thread",
    window: tuple[int, int] | None = None,
    after: str = "any",
    sort: str = "longest",
    limit: int = 20,
    worst: int = 20,
    of: str | Collection[int | None] | None = None,
) -> Latency:
    """Read the waits of a checked trace that touch a window (ns as the trace has them; None: all).

    `after`: those after a `wakeup`, a `preemption`, or `any`. `of`: those of some groups alone (see `find_groups`).
    Raises BadArgument for what is not one of these words.
    """
    _require_words(("by", by, LATENCY_BY), ("after", after, (*WAITED_AFTER, "any")), ("sort", sort, LATENCY_SORTS))
    figures = trace.metric("verdict").one()
    whole = (figures["start_ns"], figures["end_ns"])
    start_ns, end_ns = window or (whole[0], whole[1] + 1)
    span = {"start_ns": start_ns, "end_ns": end_ns}
    chosen = None if of is None else find_groups(trace, by, of)
    which = {"by": by, "keys": keys_of(chosen)}
    rows = trace.metric("latency", after=after, sort=sort, limit=limit, **which, **span).rows()
    bins = histograms(trace.metric("latency_histogram", **which, **span), after)
    for row in rows:
        row["histogram"] = bins[row.pop("is_total"), row["key"]]
    total, groups = (rows[0], rows[1:]) if rows else (None, [])
    if by == "cgroup":
        for row in groups:
            row["label"] = None if row["name"] is None else label_of(row["key"], row["name"])
    lost = trace.metric("lost").rows()
    kinds = sorted({row["what"] for row in lost})
    return Latency(
        by, chosen, after, sort, start_ns, end_ns, whole[0], window is None,
        total, groups,
        trace.metric("longest_waits", after=after, limit=worst, **which, **span).rows(),
        not trace.metric("trace").one()["shows_wakeups"],
        sum(row["events"] for row in lost),
        kinds if OTHER_KINDS.issuperset(kinds) else [],
    )  # fmt: skip


def find_groups(trace: Queryable, by: str, of: str | Collection[int | None]) -> tuple[WaitGroup, ...]:
    """The threads, processes or cgroups that are meant; at least one, else NoSuchGroup.

    A text is a name, or the tid of a thread, the tgid of a process; of a cgroup its path or label: all that it fits.
    Else keys (utid, upid, cgroup_id), each of which is there; None: the waits of which the group is not recorded.
    """
    groups = [WaitGroup(**row, label=_label(by, row)) for row in trace.sql(_GROUPS[by]).rows()]
    if isinstance(of, str):
        if not (found := tuple(group for group in groups if _is_meant(group, by, of))):
            raise NoSuchGroup(by, repr(of))
        return found
    of_key: dict[int | None, WaitGroup] = {group.key: group for group in groups}
    of_key[None] = WaitGroup(None)
    for key in of:
        if key not in of_key:
            raise NoSuchGroup(by, str(key))
    if not of:
        raise NoSuchGroup(by, "no key")
    return tuple(of_key[key] for key in dict.fromkeys(of))


def _label(by: str, row: Mapping[str, Any]) -> str | None:
    return label_of(row["key"], row["name"]) if by == "cgroup" and row["name"] is not None else None


def _is_meant(group: WaitGroup, by: str, text: str) -> bool:
    number = {"thread": group.tid, "process": group.tgid}.get(by)
    return text in (group.name, group.label) or (number is not None and text == str(number))


def keys_of(groups: Iterable[WaitGroup] | None) -> list[int]:
    """The parameter `keys` of the metrics of waits; empty: all."""
    return [NOT_RECORDED if group.key is None else group.key for group in groups or ()]


def histograms(rows: Iterable[Mapping[str, Any]], after: str) -> dict[Any, list[dict[str, int]]]:
    """The bins of all waits, (True, None), and of each key, (False, key), with those between them that have no waits.

    `rows` of the metric `latency_histogram`.
    """
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

"""Waits for a CPU as rich renderables: percentiles, histograms, the longest ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from wastenot.analyzer.model.latency import WAITED_AFTER, Latency
from wastenot.analyzer.render.terminal import plain_table
from wastenot.analyzer.text.latency import figures_text, groups_text, latency_sentence
from wastenot.analyzer.text.units import duration

_HEIGHTS = " ▁▂▃▄▅▆▇█"
BAR = 40
"""Columns of the longest bar of the histogram."""


class LatencyView:
    """What `wastenot latency` prints."""

    def __init__(self, latency: Latency) -> None:
        self._latency = latency

    def __rich_console__(self, *_: object) -> Iterator[RenderableType]:
        found = self._latency
        yield Text(latency_sentence(found), style="bold")
        if found.total is None:
            return
        for kind in ("wakeup", "preemption"):
            if (part := found.total[kind]) is not None and found.after == "any":
                yield Text(f"{figures_text(part, f' after a {kind}')}.")
        yield Text()
        yield _histogram(found.total["histogram"])
        yield Text()
        yield _groups(found)
        yield Text()
        if found.of is not None:
            yield Text(f"longest waits of {groups_text(found.by, found.of)}")
        yield _longest(found)


def _histogram(bins: list[dict[str, int]]) -> Table:
    """A bar per bin: filled for waits after a wakeup, light for those after a preemption."""
    most = max((b["after_wakeup"] + b["after_preemption"] for b in bins), default=1)
    table = plain_table(("length", "right"), ("after a wakeup", "right"), ("after a preemption", "right"), ("", "left"))
    for b in bins:
        woken = round(BAR * b["after_wakeup"] / most)
        both = max(round(BAR * (b["after_wakeup"] + b["after_preemption"]) / most), 1 if sum(_counts(b)) else 0)
        bar = Text.assemble(("█" * min(woken, both), "cyan"), ("░" * max(both - woken, 0), "yellow"))
        table.add_row(f"{duration(b['low_ns'])} –", *(f"{n:,}" if n else "" for n in _counts(b)), bar)
    return table


def _counts(b: dict[str, int]) -> tuple[int, int]:
    return b["after_wakeup"], b["after_preemption"]


def _groups(found: Latency) -> Table:
    number = {"thread": "tid", "process": "tgid"}.get(found.by)
    kinds = WAITED_AFTER if found.after == "any" else ()
    columns = [(found.by, "left"), *([(number, "right")] if number else []), ("waits", "right"), ("median", "right")]
    columns += [("p99", "right"), ("longest", "right"), ("at", "right"), *((f"after a {k}", "right") for k in kinds)]
    table = plain_table(*columns, ("histogram", "left"))
    for row, histogram in zip(found.groups, histogram_cells(found.groups), strict=True):
        table.add_row(
            Text(_name(row)), *([_number(row[number])] if number else []),
            f"{row['waits']:,}", duration(row["median_ns"]), duration(row["p99_ns"]), duration(row["longest_ns"]),
            _at(found, row["longest_at_ns"]), *(_of_kind(row[kind]) for kind in kinds),
            histogram,
        )  # fmt: skip
    split = "after a wakeup, a preemption: p99 / longest; " if kinds else ""
    caption_of_histograms(table, found.groups, f"{split}histogram")
    return table


def _name(row: dict[str, Any]) -> str:
    return "not recorded" if row["key"] is None else row.get("label") or row["name"] or "unknown"


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _of_kind(figures: dict[str, Any] | None) -> str:
    return "" if figures is None else f"{duration(figures['p99_ns'])} / {duration(figures['longest_ns'])}"


def histogram_cells(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The `histogram` of each row in a line of characters, all from the shortest to the longest bin of any."""
    histograms = [row["histogram"] for row in rows]
    lows = [b["low_ns"] for bins in histograms for b in bins]
    return [_spark(bins, min(lows), max(lows)) if lows else "" for bins in histograms]


def caption_of_histograms(table: Table, rows: Iterable[Mapping[str, Any]], what: str = "waits by length") -> None:
    """Say below a table what the characters of its histograms stand for."""
    lows = [b["low_ns"] for row in rows for b in row["histogram"]]
    if lows:
        table.caption = f"{what}: from {duration(min(lows))}, each bin twice as long as the one before"
        table.caption_justify = "left"


def _spark(bins: list[dict[str, int]], low: int, high: int) -> str:
    """A character per bin between two bounds, its height by the logarithm of the waits."""
    counts = {b["low_ns"]: sum(_counts(b)) for b in bins}
    top = math.log1p(max(counts.values(), default=1))
    out = ""
    while low <= high:
        n = counts.get(low, 0)
        out += _HEIGHTS[0] if not n else _HEIGHTS[1 + round((len(_HEIGHTS) - 2) * math.log1p(n) / top)]
        low *= 2
    return out.rstrip()


def _at(found: Latency, at_ns: int) -> str:
    """When, from the start of the recording: to the microsecond, as windows are given."""
    return f"+{(at_ns - found.trace_start_ns) / 1e9:.6f} s"


def _longest(found: Latency) -> Table:
    table = plain_table(
        ("longest waits" if found.of is None else "thread", "left"), ("tid", "right"), ("at", "right"),
        ("for", "right"), ("after", "left"), ("on", "right"), ("ran on", "right"), ("most of it ran there", "left"),
    )  # fmt: skip
    for w in found.longest:
        other = w["antagonist"] or ("" if w["antagonist_tid"] is None else f"tid {w['antagonist_tid']}")
        share = f" ({100 * w['antagonist_ns'] / w['dur_ns']:.0f} %)" if other else ""
        table.add_row(
            Text(w["name"] or "unknown"), str(w["tid"]), _at(found, w["start_ns"]),
            f"{duration(w['dur_ns'])}{' or more' if w['is_cut'] else ''}", w["waited_after"],
            "" if w["cpu"] is None else f"CPU {w['cpu']}", "" if w["ran_on"] is None else f"CPU {w['ran_on']}",
            Text(f"{other}{share}"),
        )  # fmt: skip
    return table

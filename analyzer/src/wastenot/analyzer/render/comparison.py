"""A comparison as rich renderables, laid out for 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from wastenot.analyzer.comparison.comparison import Comparison, MetricDifference
from wastenot.analyzer.comparison.sentences import (
    headline,
    interval_text,
    moved_text,
    others_text,
    relative_text,
    signed_text,
    value_text,
)
from wastenot.analyzer.render.terminal import plain_table

_STYLES = {True: "bold red", False: "bold green"}
FINDINGS = 25
"""Findings beside them, at most, unless all are asked for."""


class ComparisonView:
    """What `wastenot compare` prints; with `show_all` every metric."""

    def __init__(self, comparison: Comparison, show_all: bool = False) -> None:
        self._comparison, self._show_all = comparison, show_all

    def __rich_console__(self, *_: object) -> Iterator[RenderableType]:
        c = self._comparison
        yield Text(headline(c), style="bold" if c.primary.is_finding or c.reasons_against else "")
        for line in (moved_text(c), others_text(c)):
            if line:
                yield Text(line)
        yield Text()
        rows = self._rows()
        yield _table(c, rows)
        hidden = 1 + len(c.others) - len(rows)
        if hidden:
            yield Text(f"{hidden:,} more metrics: --all, or --json", style="dim")
        for title, lines in (("not comparable", c.reasons_against), ("notes", c.notes)):
            if lines:
                yield Text(title, style="bold")
                yield from (Text(f"  - {line}") for line in lines)

    def _rows(self) -> list[MetricDifference]:
        c = self._comparison
        if self._show_all:
            return [c.primary, *c.others]
        found = {row.metric.key for row in c.findings[:FINDINGS]}
        return [c.primary, *(row for row in c.others if row.metric.is_always_listed or row.metric.key in found)]


def _table(c: Comparison, rows: list[MetricDifference]) -> Table:
    has_intervals = any(row.interval is not None for row in rows)
    has_tests = any(row.p is not None for row in rows)
    columns = [("metric", "left"), ("base", "right"), ("new", "right"), ("difference", "right"), ("of base", "right")]
    columns += [("95 %", "right")] * has_intervals + [("p", "right")] * has_tests
    table = plain_table(*columns)
    for row in rows:
        changed = row.is_finding and c.can_find
        style = "" if not changed else "bold" if not row.metric.more_is_worse else _STYLES[row.difference > 0]
        cells = [value_text(row.metric, row.base.mean), value_text(row.metric, row.new.mean)]
        cells += [signed_text(row.metric, row.difference), relative_text(row)]
        cells += [interval_text(row)] * has_intervals
        cells += [_p_cell(row, changed)] * has_tests
        table.add_row(
            Text(row.metric.words, style="bold" if changed else ""), *(Text(cell, style=style) for cell in cells)
        )
    notes = []
    if has_tests:
        notes.append("p: rank test; of all but wasted adjusted by Benjamini-Hochberg; + below 0.05")
    if any(row.metric.words.endswith("*") for row in rows):
        notes.append("* of recurrent episodes: counted in the grades of their intervals as well")
    table.caption, table.caption_justify = "\n".join(notes) or None, "left"
    return table


def _p_cell(row: MetricDifference, changed: bool) -> str:
    if row.p_adjusted is None:
        return ""
    shown = "<0.0001" if row.p_adjusted < 0.0001 else f"{row.p_adjusted:.2g}"
    return f"{shown} +" if changed else shown

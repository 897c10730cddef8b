"""Bars and curves in cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from wastenot.live.lines.glyphs import REASON_LETTERS, Glyphs
from wastenot.live.lines.line import Line, Span, Style
from wastenot.live.model.frame import Curve


def share_bar(share: float, width: int, glyphs: Glyphs) -> Line:
    """A share as a bar: a cell is full when at least half of it is."""
    full = min(width, max(0, int(share * width + 0.5)))
    return Line.of(Span(glyphs.bar[0] * full, Style.RUNNING), Span(glyphs.bar[1] * (width - full), Style.DIM))


def reason_bar(by_reason: Mapping[str, int], width: int) -> str:
    """The split of waiting as a bar of letters, the largest part first; parts too small for a cell are left out."""
    total = sum(by_reason.values())
    if total <= 0:
        return ""
    ordered = sorted(by_reason.items(), key=lambda item: (-item[1], item[0]))
    ends = [round(sum_ns * width / total) for sum_ns in accumulate(ns for _, ns in ordered)]
    starts = [0, *ends]
    return "".join(REASON_LETTERS.get(r, "?") * (e - s) for (r, _), s, e in zip(ordered, starts, ends, strict=False))


def resampled(values: Sequence[float | None], width: int) -> list[float | None]:
    """The values as `width` averages over equal bins; fewer values than that are repeated."""
    out: list[float | None] = []
    count = len(values)
    for i in range(width):
        low, high = i * count // width, max((i + 1) * count // width, i * count // width + 1)
        known = [v for v in values[low:high] if v is not None]
        out.append(sum(known) / len(known) if known else None)
    return out


def curve_text(curve: Curve, width: int, top: float, glyphs: Glyphs) -> str:
    """The curve in one row of cells; any waste at all is seen, what is not known is blank."""
    return "".join(_curve_cell(value, top, glyphs) for value in resampled(curve.values, width)) if curve.values else ""


def _curve_cell(value: float | None, top: float, glyphs: Glyphs) -> str:
    if value is None:
        return " "
    if value <= 0:
        return glyphs.nothing
    levels = len(glyphs.curve)
    return glyphs.curve[max(1, min(levels, int(value / top * levels + 0.5))) - 1]


def cursor_row(share: float, width: int, glyphs: Glyphs) -> str:
    """A row that marks a place of the curve above it."""
    at = min(width - 1, max(0, int(share * width)))
    return " " * at + glyphs.cursor

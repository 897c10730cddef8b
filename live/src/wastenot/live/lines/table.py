"""Tables in lines: columns of fixed and of flexible width, cut rather than wrapped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wastenot.live.lines.line import Line, Span, Style

GAP = 2
"""Blanks between two columns."""


@dataclass(frozen=True)
class Column:
    """A column: its head, on which side its cells are, and its share of the width that is left over.

    `cut_in_the_middle`: what is too long keeps its end, as paths should.
    """

    head: str
    is_right: bool = False
    least: int = 0
    share: int = 0
    cut_in_the_middle: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[str | Line]], width: int, more: str) -> list[Line]:
    """Head and rows. A column without a share is as wide as its widest cell; the others divide what is left."""
    cells = [[cell if isinstance(cell, Line) else Line.of(cell) for cell in row] for row in rows]
    widths = _widths(columns, cells, width)
    heads = [_head(c.head) for c in columns]
    return [_row(columns, row, widths, more).fit(width, more) for row in [heads, *cells]]


def _head(text: str) -> Line:
    bare = text.lstrip()
    return Line.of(" " * (len(text) - len(bare)), Span(bare, Style.HEAD))


def _widths(columns: Sequence[Column], cells: Sequence[Sequence[Line]], width: int) -> list[int]:
    """The width of each column: as its widest cell, or for a flexible one at most its part of what is left."""
    out = [max([len(c.head), c.least, *(row[i].width for row in cells)]) for i, c in enumerate(columns)]
    wide = {i for i, c in enumerate(columns) if c.share}
    while wide:
        left = width - GAP * (len(columns) - 1) - sum(w for i, w in enumerate(out) if i not in wide)
        shares = sum(columns[i].share for i in wide)
        parts = {i: max(columns[i].least, left * columns[i].share // shares) for i in wide}
        narrow = {i for i in wide if out[i] <= parts[i]}
        if not narrow:
            return [parts.get(i, w) for i, w in enumerate(out)]
        wide -= narrow
    return out


def _row(columns: Sequence[Column], row: Sequence[Line], widths: Sequence[int], more: str) -> Line:
    out: list[str | Line] = []
    for column, cell, width in zip(columns, row, widths, strict=True):
        if out:
            out.append(" " * GAP)
        if column.is_right and cell.width < width:
            out.append(" " * (width - cell.width))
            out.append(cell)
        elif column.cut_in_the_middle:
            out.append(cell.cut_in_the_middle(width, more))
        else:
            out.append(cell.fit(width, more))
    return Line.of(*out)

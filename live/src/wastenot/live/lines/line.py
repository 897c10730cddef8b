"""A line: spans of text, each with a style. Widths are cells of a terminal, of which some characters take two."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from rich.cells import cell_len, set_cell_size


class Style(Enum):
    """What a span is, not how it looks: `app.py` gives each its colour and attributes."""

    PLAIN = "plain"
    TITLE = "title"
    HEAD = "head"
    DIM = "dim"
    WASTED = "wasted"
    WAITING = "waiting"
    RUNNING = "running"
    IDLE = "idle"
    KEY = "key"
    SELECTED = "selected"


@dataclass(frozen=True)
class Span:
    """Text of one style."""

    text: str
    style: Style = Style.PLAIN


@dataclass(frozen=True)
class Line:
    """Spans from left to right."""

    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, *parts: str | Span | Line) -> Line:
        """A line of texts, spans and lines, one after the other."""
        spans: list[Span] = []
        for part in parts:
            match part:
                case Line():
                    spans += part.spans
                case Span():
                    spans.append(part)
                case _:
                    spans.append(Span(part))
        return cls(tuple(s for s in spans if s.text))

    @property
    def text(self) -> str:
        """The text without styles."""
        return "".join(s.text for s in self.spans)

    @property
    def width(self) -> int:
        """Cells."""
        return sum(cell_len(s.text) for s in self.spans)

    def fit(self, width: int, more: str = "…") -> Line:
        """The line in exactly `width` cells: filled with blanks, or cut with `more` at the end."""
        own = self.width
        if own <= width:
            return Line.of(self, " " * (width - own))
        if width <= cell_len(more):
            return Line.of(set_cell_size(self.text, width))
        left, spans = width - cell_len(more), []
        for span in self.spans:
            size = min(left, cell_len(span.text))
            spans.append(Span(set_cell_size(span.text, size), span.style))
            left -= size
        return Line.of(*spans, Span(more, spans[-1].style))

    def cut_in_the_middle(self, width: int, more: str = "…") -> Line:
        """As `fit`, but what is cut out is in the middle: names of cgroups differ at both ends. In the first style."""
        if self.width <= width or width <= 2 * cell_len(more):
            return self.fit(width, more)
        left = width - cell_len(more)
        head, tail = set_cell_size(self.text, left - left // 2), self.text[::-1]
        return Line.of(Span(head + more + set_cell_size(tail, left // 2)[::-1], self.spans[0].style))


def beside(left: list[Line], right: list[Line], width: int, gap: int, more: str) -> list[Line]:
    """Two blocks of lines beside each other, the left one `width` wide."""
    rows = max(len(left), len(right))
    padded = [*left, *[Line()] * (rows - len(left))]
    others = [*right, *[Line()] * (rows - len(right))]
    return [Line.of(a.fit(width, more), " " * gap, b) for a, b in zip(padded, others, strict=True)]


def as_text(lines: Iterable[Line]) -> str:
    """Lines as text, without blanks at their ends."""
    return "\n".join(line.text.rstrip() for line in lines)

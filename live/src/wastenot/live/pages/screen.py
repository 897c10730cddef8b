"""The whole screen: header, the page that was chosen, footer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from wastenot.live.lines.glyphs import Glyphs
from wastenot.live.lines.line import Line, Span, Style
from wastenot.live.model.frame import Frame
from wastenot.live.pages.cpus import cpu_cells, legend
from wastenot.live.pages.header import cpu_line, footer, header
from wastenot.live.pages.help import help_lines
from wastenot.live.pages.overview import overview
from wastenot.live.pages.sections import box_table, cause_sentences, cgroup_table, queue_table, reason_legend

LEAST_WIDTH, LEAST_HEIGHT = 40, 12
"""A smaller terminal shows how large it has to be."""


class Page(Enum):
    """The pages, by their keys."""

    OVERVIEW = "1"
    CPUS = "2"
    QUEUES = "3"
    CGROUPS = "4"
    CAUSES = "5"
    BOXES = "6"
    HELP = "?"
    TEXT = "t"


@dataclass(frozen=True)
class Screen:
    """What was chosen: page, first row, selected box, a message for the last line, the text of `Page.TEXT`."""

    page: Page = Page.OVERVIEW
    scroll: int = 0
    selected: int = 0
    message: str = ""
    is_held: bool = False
    text: tuple[str, ...] = field(default=())


def screen_lines(frame: Frame, screen: Screen, width: int, height: int, glyphs: Glyphs) -> list[Line]:
    """Exactly `height` lines of `width` cells."""
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        text = f"the terminal is {width}x{height}; {LEAST_WIDTH}x{LEAST_HEIGHT} or more is needed"
        lines = [Line.of(text)]
    else:
        top = header(frame, width, glyphs, is_held=screen.is_held)
        body = _body(frame, screen, width, height - len(top) - 1, glyphs)
        body = [*body, *[Line()] * (height - len(top) - 1 - len(body))]
        lines = [*top, *body, footer(frame, width, glyphs, screen.message)]
    lines = [*lines, *[Line()] * (height - len(lines))][:height]
    return [line.fit(width, glyphs.more) for line in lines]


def _body(frame: Frame, screen: Screen, width: int, height: int, glyphs: Glyphs) -> list[Line]:
    if screen.page is Page.OVERVIEW:
        return overview(frame, width, height, glyphs)
    fixed, rows = page_lines(frame, screen, width, glyphs)
    return [*fixed, *visible(rows, screen.scroll, height - len(fixed), width, glyphs)]


def page_lines(frame: Frame, screen: Screen, width: int, glyphs: Glyphs) -> tuple[list[Line], list[Line]]:
    """The lines of a page that stay, and those that scroll."""
    match screen.page:
        case Page.CPUS:
            head, *rows = cpu_cells(frame.cpus, width, glyphs) if frame.cpus else [Line()]
            return [cpu_line(frame), legend(), head], rows
        case Page.QUEUES:
            head, *rows = queue_table(frame.queues, width, glyphs)
            return [head], rows
        case Page.CGROUPS:
            head, *rows = cgroup_table(frame, frame.cgroups, width, glyphs)
            return [*reason_legend(width), head], rows
        case Page.CAUSES:
            head = Line.of(Span(f"causes, {frame.causes_of}", Style.HEAD))
            return [head], cause_sentences(frame.causes, width)
        case Page.BOXES:
            head, *rows = box_table(frame.boxes, width, glyphs, screen.selected)
            hint = Line.of(Span("Enter: the verdict of the selected box; p: play it; s: save one now", Style.DIM))
            return [hint, head], rows
        case Page.TEXT:
            return [], [Line.of(text) for text in screen.text]
        case _:
            return [], help_lines(frame)


def visible(rows: list[Line], scroll: int, height: int, width: int, glyphs: Glyphs) -> list[Line]:
    """The rows from `scroll` on that there is space for; the last line says how many are hidden."""
    if len(rows) <= height:
        return rows
    shown = max(1, height - 1)
    first = most_scroll(len(rows), height, scroll)
    last = min(len(rows), first + shown)
    note = f"rows {first + 1}-{last} of {len(rows)}; up, down, PgUp, PgDn"
    return [*rows[first:last], Line.of(Span(note, Style.DIM)).fit(width, glyphs.more)]


def most_scroll(rows: int, height: int, scroll: int) -> int:
    """The first row that is shown: no further than that the last row is the last line."""
    return max(0, min(scroll, rows - max(1, height - 1)))

"""The first page: all parts, each with as many rows as there are for it."""

from __future__ import annotations

from dataclasses import dataclass

from wastenot.live.lines.glyphs import Glyphs
from wastenot.live.lines.line import Line, Span, Style, beside
from wastenot.live.model.frame import Frame
from wastenot.live.pages.cpus import cpu_block, legend
from wastenot.live.pages.header import cpu_line
from wastenot.live.pages.sections import box_table, cause_table, cgroup_table, queue_table, reason_legend

WIDE = 150
"""From this width on tables are beside each other."""

CPU_ROWS = 9
"""Lines of CPUs on a small terminal; of a larger one half."""

LEAST_ROWS = 2
"""Rows that a table has at least, with its head."""

LEGEND_HEIGHT = 30
"""From this height on, lines explain the letters."""


def overview(frame: Frame, width: int, height: int, glyphs: Glyphs) -> list[Line]:
    """The body of the page in at most `height` lines."""
    with_legend = height >= LEGEND_HEIGHT
    lines = [cpu_line(frame)]
    lines += cpu_block(frame.cpus, width, min(max(CPU_ROWS, height // 2 - 4), max(1, height - 9)), glyphs)
    if with_legend:
        lines += [legend(), Line()]
    notes = [Line.of(Span(note, Style.DIM)).fit(width, glyphs.more) for note in frame.notes]
    left = height - len(lines) - len(notes)
    lines += _tables(frame, width, left, glyphs, with_legend=with_legend)
    lines += [Line()] * (height - len(lines) - len(notes))
    return (lines + notes)[:height]


@dataclass(frozen=True)
class Wish:
    """Rows that a table has use for, its head included."""

    rows: int


def _tables(frame: Frame, width: int, height: int, glyphs: Glyphs, *, with_legend: bool) -> list[Line]:
    if width < WIDE:
        names = ["queues", "cgroups", "causes", "boxes"] if frame.boxes else ["queues", "cgroups", "causes"]
        return _stacked(frame, names, width, height, glyphs, with_legend=with_legend)
    left = (width - 4) // 2
    names = ["queues", "boxes"] if frame.playback is None else ["queues"]
    first = _stacked(frame, names, left, height, glyphs, with_legend=with_legend)
    second = _stacked(frame, ["cgroups", "causes"], width - 4 - left, height, glyphs, with_legend=with_legend)
    return beside(first, second, left, 4, glyphs.more)


def _stacked(
    frame: Frame, names: list[str], width: int, height: int, glyphs: Glyphs, *, with_legend: bool
) -> list[Line]:
    """Tables one below the other, with blank lines between them where there are enough lines."""
    letters = reason_legend(width) if with_legend and "cgroups" in names else []
    wishes = [_wish(frame, name) for name in names]
    gap = 1 if sum(w.rows + 1 for w in wishes) + len(letters) <= height or with_legend else 0
    rows = allotted(wishes, height - gap * (len(names) - 1) - len(letters))
    lines: list[Line] = []
    for name, count in zip(names, rows, strict=True):
        if count < LEAST_ROWS:
            continue
        lines += [Line()] * (gap if lines else 0)
        lines += _table(frame, name, width, count, glyphs)
        lines += letters if name == "cgroups" else []
    return lines[:height]


def _wish(frame: Frame, name: str) -> Wish:
    rows = {
        "queues": len(frame.queues),
        "cgroups": sum(c.waited_ns > 0 for c in frame.cgroups),
        "causes": len(frame.causes),
        "boxes": len(frame.boxes),
    }
    return Wish(1 + max(1, rows[name]))


def allotted(wishes: list[Wish], height: int) -> list[int]:
    """Rows for each table: none gets more than it has use for, and what one leaves goes to the others in turn."""
    out = [0] * len(wishes)
    for i, wish in enumerate(wishes):
        if sum(out) + LEAST_ROWS <= height:
            out[i] = min(LEAST_ROWS, wish.rows)
    growing = True
    while growing and sum(out) < height:
        growing = False
        for i, wish in enumerate(wishes):
            if LEAST_ROWS <= out[i] < wish.rows and sum(out) < height:
                out[i] += 1
                growing = True
    return out


def _table(frame: Frame, name: str, width: int, rows: int, glyphs: Glyphs) -> list[Line]:
    shown = max(1, rows - 1)
    if name == "queues":
        return queue_table(frame.queues[:shown], width, glyphs)
    if name == "cgroups":
        waiting = [c for c in frame.cgroups if c.waited_ns]
        return cgroup_table(frame, waiting[:shown], width, glyphs)
    if name == "causes":
        return cause_table(frame, frame.causes[:shown], width, glyphs)
    return box_table(frame.boxes[:shown], width, glyphs)

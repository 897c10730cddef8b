"""The tables of the view: worst queues, cgroups that wait, causes, saved boxes. The first head is the name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from textwrap import wrap

from wastenot.analyzer.text.printable import printable
from wastenot.analyzer.text.units import core_seconds, counted, duration
from wastenot.live.lines.bars import reason_bar
from wastenot.live.lines.glyphs import REASON_LETTERS, Glyphs
from wastenot.live.lines.line import Line, Span, Style
from wastenot.live.lines.table import Column, table
from wastenot.live.model.frame import CauseTime, CgroupWait, Frame, Queue, SavedBox
from wastenot.schemas.generated.enums import WAIT_REASON_WORDS

SPLIT = 16
"""Cells of the bar that splits the waiting of a cgroup."""


def queue_table(queues: Sequence[Queue], width: int, glyphs: Glyphs) -> list[Line]:
    """The longest queues: how many threads wait, for how long the first has, what runs there, which threads wait.

    What is known of none of them has no column.
    """
    columns = [Column("worst queues", least=12), Column("waiting", is_right=True)]
    cells: list[list[str | Line]] = [[f"CPU {q.cpu}", Line.of(Span(f"{q.waiting:,}", Style.WAITING))] for q in queues]
    optional: list[tuple[Column, list[str]]] = [
        (Column("longest", True, 7), ["" if q.longest_ns is None else duration(q.longest_ns) for q in queues]),
        (Column("runs", least=4, share=1), [printable(q.running) for q in queues]),
        (Column("waiting threads", least=15, share=3), [_names(q) for q in queues]),
    ]
    for column, texts in optional:
        if any(texts):
            columns.append(column)
            for row, text in zip(cells, texts, strict=True):
                row.append(text or glyphs.unknown)
    return _with_empty(table(columns, cells, width, glyphs.more), cells, "no thread waits for a CPU")


def _names(queue: Queue) -> str:
    more = ", ..." if queue.waiting > len(queue.threads) else ""
    return ", ".join(map(printable, queue.threads)) + more if queue.threads else ""


def cgroup_table(frame: Frame, cgroups: Sequence[CgroupWait], width: int, glyphs: Glyphs) -> list[Line]:
    """Cgroups whose threads waited longest, and the split of that by reason."""
    columns = [
        Column(f"cgroups, {frame.cgroups_of}", least=20, share=3, cut_in_the_middle=True),
        Column("waited", is_right=True, least=7),
        Column("split", least=SPLIT),
        Column("mostly", least=16, share=2),
    ]
    rows = [
        [printable(c.name), duration(c.waited_ns), reason_bar(c.by_reason, SPLIT), _mostly(c)]
        for c in cgroups
        if c.waited_ns
    ]
    return _with_empty(table(columns, rows, width, glyphs.more), rows, "no cgroup waited, or none is recorded")


def _mostly(cgroup: CgroupWait) -> str:
    """`neighbour 62 % (/db), own quota 20 %`: the reasons with their shares, the largest first."""
    ordered = sorted(cgroup.by_reason.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(_part(cgroup, reason, ns) for reason, ns in ordered if 100 * ns >= cgroup.waited_ns)


def _part(cgroup: CgroupWait, reason: str, ns: int) -> str:
    text = f"{reason_words(reason)} {100 * ns / cgroup.waited_ns:.0f} %"
    return f"{text} ({printable(cgroup.neighbour)})" if reason == "neighbour" and cgroup.neighbour else text


def reason_words(reason: str) -> str:
    """A reason of the wait ledger in words; as it is where a later version knows more."""
    words = {str(value): text for value, text in WAIT_REASON_WORDS.items()}
    return words.get(reason, reason.replace("_", " "))


def reason_legend(width: int) -> list[Line]:
    """What the letters of a split mean, in as many lines as that takes."""
    lines: list[str] = []
    for text in (f"{sign} {reason_words(r)}" for r, sign in REASON_LETTERS.items() if sign != "?"):
        if lines and len(lines[-1]) + 2 + len(text) <= width:
            lines[-1] += f"  {text}"
        else:
            lines.append(text)
    return [Line.of(Span(text, Style.DIM)) for text in lines]


THREE_ANSWERS = 120
"""From this width on all three answers of a cause have a column, otherwise the first two."""


def cause_table(frame: Frame, causes: Sequence[CauseTime], width: int, glyphs: Glyphs) -> list[Line]:
    """Causes of the waste, the heaviest first; a mark where it is of recurrent episodes."""
    heads = ["not moved because", "ended by"][: 2 if width >= THREE_ANSWERS else 1]
    if all(len(c.answers) <= 1 for c in causes):
        heads = []
    columns = [
        Column(f"causes, {frame.causes_of}", least=12, share=1),
        *(Column(head, least=12, share=1) for head in heads),
        Column("core-s", is_right=True, least=6),
    ]
    rows = [
        [
            *(answer or glyphs.unknown for answer in map(printable, _answers(c, 1 + len(heads)))),
            core_seconds(c.core_ns).removesuffix(" core-s") + ("*" if c.recurrent else ""),
        ]
        for c in causes
    ]
    if any(c.episodes is not None for c in causes):
        columns.append(Column("episodes", is_right=True))
        for row, cause in zip(rows, causes, strict=True):
            row.append(glyphs.unknown if cause.episodes is None else f"{cause.episodes:,}")
    return _with_empty(table(columns, rows, width, glyphs.more), rows, "no waste")


def _answers(cause: CauseTime, count: int) -> list[str]:
    return [*cause.answers, *[""] * count][:count]


def cause_sentences(causes: Sequence[CauseTime], width: int) -> list[Line]:
    """Each cause as a paragraph: how much, how often, why, and how sure that is."""
    lines: list[Line] = []
    for cause in causes:
        mark = "*" if cause.recurrent else ""
        often = "" if cause.episodes is None else f", {counted(cause.episodes, 'episode')}"
        lines.append(Line.of(Span(f"{core_seconds(cause.core_ns)}{mark}{often}", Style.HEAD)))
        text = printable(cause.sentence or "; ".join(a for a in cause.answers if a) or "not known")
        lines += [Line.of(f"  {part}") for part in wrap(text, width - 2)]
    if any(c.recurrent for c in causes):
        note = "* recurrent: short intervals between the same CPUs, counted in other causes as well"
        lines += [Line.of(Span(part, Style.DIM)) for part in wrap(note, width)]
    return lines or [Line.of(Span("no waste", Style.DIM))]


def box_table(boxes: Sequence[SavedBox], width: int, glyphs: Glyphs, selected: int | None = None) -> list[Line]:
    """Saved boxes, the latest first; the selected one is marked."""
    columns = [
        Column("  saved boxes", least=13, share=2, cut_in_the_middle=True),
        Column("outcome"),
        Column("wasted", is_right=True, least=6),
        Column("reason", least=6, share=1),
    ]
    rows = []
    for i, box in enumerate(boxes):
        mark = glyphs.selected if i == selected else " "
        name = printable(PurePath(box.path).name) if box.is_kept else "deleted: no such waste in it"
        wasted = glyphs.unknown if box.wasted_ns is None else core_seconds(box.wasted_ns)
        row = [f"{mark} {name}", box.outcome, wasted, printable(box.reason)]
        rows.append([Line.of(Span(text, Style.SELECTED if i == selected else Style.PLAIN)) for text in row])
    return _with_empty(table(columns, rows, width, glyphs.more), rows, "  none yet; s saves one")


def _with_empty(lines: list[Line], rows: Sequence[object], text: str) -> list[Line]:
    """The lines, or the head and what it means that there are none."""
    return lines if rows else [lines[0], Line.of(Span(text, Style.DIM))]

"""The help page: keys and letters."""

from __future__ import annotations

from wastenot.live.lines.glyphs import REASON_LETTERS
from wastenot.live.lines.line import Line, Span, Style
from wastenot.live.model.frame import Frame
from wastenot.live.pages.cpus import legend
from wastenot.schemas.generated.enums import WAIT_REASON_SENTENCES, WAIT_REASON_WORDS

PAGES = (
    ("1", "overview"),
    ("2", "CPUs in topology order, with what runs on them"),
    ("3", "worst queues: on which CPUs threads wait"),
    ("4", "cgroups by waiting, split by reason"),
    ("5", "causes of the waste"),
)
SCROLLING = (
    ("up down PgUp PgDn", "scroll a page longer than the terminal"),
    ("Esc", "back to the overview"),
)
BOXES = (("6", "saved boxes"),)
LIVE = (
    ("space", "hold the view as it is; the watch goes on"),
    ("s", "save the black box now"),
    ("o", "open the latest box: its verdict"),
    ("Enter", "on page 6: the verdict of the selected box"),
    ("p", "on page 6: play the selected box; Esc comes back"),
)
PLAYED = (
    ("space", "play, or pause"),
    ("left right", "one step back or forth, a second at speed 1"),
    ("< >", "ten steps back or forth"),
    ("Home End", "to the start, to the end"),
    ("+ -", "faster, slower"),
    ("n N", "to the start of the next or the previous episode"),
    ("v", "the verdict of the trace"),
)


def help_lines(frame: Frame) -> list[Line]:
    """Keys of the pages and of the source, and what letters mean."""
    lines = [Line.of(Span("Keys", Style.HEAD))]
    keys = PAGES + BOXES + SCROLLING + LIVE if frame.playback is None else PAGES + SCROLLING + PLAYED
    lines += [_row(key, does) for key, does in keys]
    lines += [_row("q", "quit"), Line(), Line.of(Span("CPUs", Style.HEAD)), legend()]
    lines += [Line(), Line.of(Span("Why a cgroup's threads waited", Style.HEAD))]
    lines += [_row(f"{REASON_LETTERS[r]} {words}", WAIT_REASON_SENTENCES[r]) for r, words in WAIT_REASON_WORDS.items()]
    lines += [Line(), Line.of("Terms: `wastenot glossary`")]
    return lines


def _row(key: str, does: str) -> Line:
    return Line.of(Span(f"{key:<18}", Style.KEY), does)

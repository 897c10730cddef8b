"""Text of a trace without terminal control characters: names of threads, commands and cgroups are not trusted.

A thread names itself with any bytes but NUL (prctl(2), PR_SET_NAME). Written to a terminal as they are, control
characters move the cursor, set the title, or answer as if typed; characters that turn the direction of writing make one
name look like another. The trace keeps names as they were, JSON and CSV files carry them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def printable(text: str, keep: str = "") -> str:
    """The text with escapes (`\\x1b`, `\\u202e`) for what a terminal would obey, but for the characters in `keep`."""
    return _UNPRINTABLE.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Printable:
    """A renderable whose text is printable; line ends stay."""

    def __init__(self, thing: RenderableType) -> None:
        self._thing = thing

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for text, style, control in console.render(self._thing, options):
            yield Segment(text if control else printable(text, keep="\n"), style, control)


class PlainTable(Table):
    """A table without lines, whose cells are printable and hold no line ends: a name makes up no row."""

    def __init__(self) -> None:
        super().__init__(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")

    def add_row(self, *cells: RenderableType | None, **options: object) -> None:
        """As rich's."""
        super().add_row(*(_cell(cell) for cell in cells), **options)  # type: ignore[arg-type]


def _cell(cell: RenderableType | None) -> RenderableType | None:
    if isinstance(cell, str):
        return printable(cell)
    if isinstance(cell, Text) and _UNPRINTABLE.search(cell.plain):
        return Text(printable(cell.plain), style=cell.style)
    return cell

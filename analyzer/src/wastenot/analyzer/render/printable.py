"""Renderables of rich whose text is printable, whatever the trace holds."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from wastenot.analyzer.text.printable import printable


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
    if isinstance(cell, Text) and (text := printable(cell.plain)) != cell.plain:
        return Text(text, style=cell.style)
    return cell

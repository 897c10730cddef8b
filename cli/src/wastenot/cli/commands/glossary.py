"""`wastenot glossary`: what the terms mean."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from wastenot.cli.errors import CommandError
from wastenot.cli.glossary import Term, plain, without_markup
from wastenot.cli.glossary import glossary as all_terms
from wastenot.cli.output import show
from wastenot.cli.parameters import TEXT, argument, command


@command()
@argument("term", type=TEXT, required=False, metavar="[TERM]", help="Only terms with this in their name.")
def glossary(term: str | None) -> None:
    """Explain the terms of the verdict, the tables, the command line and the browser."""
    found = [t for t in all_terms() if term is None or plain(term) in t.plain]
    if not found:
        raise CommandError(f"{shlex.quote(term or '')}: not a term; `wastenot glossary` lists all")
    show(Group(*_view(found)))


def _view(found: list[Term]) -> Iterator[RenderableType]:
    """A table per group, under its heading."""
    for number, (group, of_group) in enumerate(groupby(found, key=lambda t: t.group)):
        if number:
            yield Text()
        yield Text(group, style="bold")
        table = Table.grid(padding=(0, 2))
        table.add_column(min_width=18, max_width=24, overflow="fold", style="cyan")
        table.add_column()
        for t in of_group:
            table.add_row(Text(t.name), Text(without_markup(t.meaning)))
        yield table

"""The balance of drawn programs, as tests measure and print it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
from drawing import build_drawn
from rich.console import Console
from wastenot.analyzer import CheckOptions, open_trace
from wastenot.analyzer.balance.application import Application, Balance
from wastenot.analyzer.balance.decomposition import PLACE
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.render.balance import balance_text

Measure = Callable[..., Balance]


def measured_in(folder: Path) -> Measure:
    """Measures the balance of a drawing, of the threads called `app` or of what a selection names; `change` is SQL on
    the checked trace before."""

    def of(drawing: str, selection: Selection | None = None, change: str = "") -> Balance:
        path = folder / "T.duckdb"
        path.unlink(missing_ok=True)
        build_drawn(drawing, path, CheckOptions(tables="all"))
        if change:
            with duckdb.connect(str(path)) as con:
                con.execute(change)
        with open_trace(path) as trace:
            return balance_of(trace, Selection(app="app") if selection is None else selection)

    return of


def one(balance: Balance) -> Application:
    """The only application."""
    assert len(balance.applications) == 1
    return balance.applications[0]


def printed(balance: Balance, width: int = 160) -> str:
    """As the command prints it."""
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(balance_text(balance))
    return captured.get()


def part(application: Application, rank: int, name: str) -> int:
    """What a rank's time went to, ns."""
    return int(application.ranks[rank].parts[PLACE[name]])

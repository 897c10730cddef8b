"""The jobs of the deadline tasks of a trace: which met their deadlines, and whose fault each miss is.

from wastenot.analyzer.deadlines import find_deadlines, parse_task

with open_trace("T.duckdb") as trace:
    print(find_deadlines(trace, [parse_task("audio*=2ms/5ms/5ms")]))
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.errors import BadArgument, OutputExists
from wastenot.analyzer.model.deadlines import DeadlineFigures, DeclaredTask, parse_task
from wastenot.analyzer.result import Result
from wastenot.analyzer.store.checking import Progress
from wastenot.analyzer.store.deadline_walk import walk_deadlines
from wastenot.analyzer.store.opening import quoted
from wastenot.analyzer.store.temporary_files import finish, temporary_beside

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from wastenot.analyzer.trace import Trace

__all__ = ["Deadlines", "DeclaredTask", "find_deadlines", "parse_task", "write_jobs"]


class Deadlines(DeadlineFigures):
    """The figures, and the table of jobs: a row for each, as `docs/semantics.md` defines them (Deadlines)."""

    jobs: Result

    def __init__(self, figures: DeadlineFigures, jobs: Result) -> None:
        super().__init__(figures.report)
        object.__setattr__(self, "jobs", jobs)

    def to_json(self) -> dict[str, Any]:
        """As `wastenot deadlines --json` prints it."""
        from wastenot.analyzer.text.deadlines import headline

        return {"headline": headline(self), **self.report}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from wastenot.analyzer.render.deadlines import deadlines_view  # imports rich

        yield from deadlines_view(self)

    def __str__(self) -> str:
        from rich.console import Group
        from wastenot.analyzer.render.deadlines import deadlines_view
        from wastenot.analyzer.render.terminal import as_text

        return as_text(Group(*deadlines_view(self)))


def write_jobs(jobs: Result, file: Path, force: bool = False) -> None:
    """Write the table of jobs as the suffix of `file` says (.csv, .parquet).

    Raises BadArgument for another suffix, OutputExists, NoAccess and DiskFull.
    """
    if file.suffix not in (".csv", ".parquet"):
        raise BadArgument(f"{file}: the table of jobs is written as .csv or .parquet")
    if file.exists() and not force:
        raise OutputExists(file)
    with temporary_beside(file) as temporary, duckdb.connect() as con:
        con.register("jobs", jobs.arrow())
        kind = "FORMAT csv, HEADER true" if file.suffix == ".csv" else "FORMAT parquet, COMPRESSION zstd"
        con.execute(f"COPY jobs TO {quoted(str(temporary))} ({kind})")
        finish(temporary, file)


def find_deadlines(trace: Trace, tasks: Sequence[DeclaredTask] = (), progress: Progress | None = None) -> Deadlines:
    """Walk over a trace; `tasks` are those of threads whose parameters were not recorded, later ones counting first."""
    figures, rows = walk_deadlines(trace.path, trace.cursor, tasks, progress)
    return Deadlines(figures, Result(rows, "dl_job"))

"""The jobs of the deadline tasks of a trace: which met their deadlines, and whose fault each miss is.

from wastenot.analyzer.deadlines import find_deadlines, parse_task

with open_trace("T.duckdb") as trace:
    print(find_deadlines(trace, [parse_task("audio*=2ms/5ms/5ms")]))
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wastenot.analyzer.deferred import Deferred, duckdb
from wastenot.analyzer.errors import BadArgument, OutputExists
from wastenot.analyzer.model.deadline_walk import walk_deadlines
from wastenot.analyzer.model.deadlines import DeadlineFigures, DeclaredTask
from wastenot.analyzer.result import Result
from wastenot.analyzer.store.checking import Progress
from wastenot.analyzer.store.opening import quoted
from wastenot.analyzer.store.temporary_files import finish, temporary_beside
from wastenot.analyzer.text.deadlines import headline
from wastenot.analyzer.text.units import parse_duration

if TYPE_CHECKING:
    import rich.console as rich_console
    from rich.console import Console, ConsoleOptions, RenderResult
    from wastenot.analyzer.render import deadlines as view
    from wastenot.analyzer.render import terminal
    from wastenot.analyzer.trace import Trace
else:
    view = Deferred("wastenot.analyzer.render.deadlines")
    terminal = Deferred("wastenot.analyzer.render.terminal")
    rich_console = Deferred("rich.console")

WRITE = "write NAME=RUNTIME/DEADLINE/PERIOD, as in 'audio*=2ms/5ms/5ms'"

LONGEST_NS = 1_000_000 * 1_000_000_000
"""Period of a declared task at most: twelve days, so that no sum of times overflows."""

__all__ = ["Deadlines", "DeclaredTask", "find_deadlines", "parse_task", "write_jobs"]


def parse_task(text: str, option: str = "--task") -> DeclaredTask:
    """The task of `NAME=RUNTIME/DEADLINE/PERIOD` (durations with units); raises BadArgument."""
    name, equals, times = text.rpartition("=")
    parts = times.split("/")
    if not equals or not name or len(parts) not in (2, 3):
        raise BadArgument(f"{option} {text!r}: {WRITE}; without a period it is the deadline")
    for part in parts:
        if not part.strip() or not part.strip()[-1].isalpha():
            raise BadArgument(f"{option} {text!r}: {part.strip() or 'nothing'!r} has no unit; {WRITE}")
    try:
        runtime_ns, deadline_ns, *rest = (parse_duration(part.strip()) for part in parts)
    except BadArgument as error:
        raise BadArgument(f"{option} {text!r}: {error}") from None
    period_ns = rest[0] if rest else deadline_ns
    if not 0 < runtime_ns <= deadline_ns <= period_ns:
        raise BadArgument(
            f"{option} {text!r}: the runtime must be above 0, the deadline not shorter than it, the period not shorter "
            "than the deadline"
        )
    if period_ns > LONGEST_NS:
        raise BadArgument(f"{option} {text!r}: the period must be at most {LONGEST_NS // 1_000_000_000:,} s")
    return DeclaredTask(name, runtime_ns, deadline_ns, period_ns)


class Deadlines(DeadlineFigures):
    """The figures, and the table of jobs: a row for each, as `docs/semantics.md` defines them (Deadlines)."""

    jobs: Result

    def __init__(self, figures: DeadlineFigures, jobs: Result) -> None:
        super().__init__(figures.report)
        object.__setattr__(self, "jobs", jobs)

    def to_json(self) -> dict[str, Any]:
        """As `wastenot deadlines --json` prints it."""
        return {"headline": headline(self), **self.report}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from view.deadlines_view(self)

    def __str__(self) -> str:
        return str(terminal.as_text(rich_console.Group(*view.deadlines_view(self))))


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

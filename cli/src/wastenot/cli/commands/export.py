"""`wastenot export`: for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from wastenot.analyzer import export_csv, export_parquet, export_perfetto
from wastenot.analyzer.store.recheck import make_tables
from wastenot.cli.errors import CommandError
from wastenot.cli.options import ForceOption, QuietOption, TraceArgument
from wastenot.cli.output import check_progress, note

FOLDERS = {"parquet": export_parquet, "csv": export_csv}


def export(
    trace: TraceArgument,
    to: Annotated[str, typer.Option("--to", metavar="perfetto|parquet|csv", help="Format.", show_default=False)],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="OUT", help="File (perfetto) or folder to make.", show_default=False),
    ],
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a trace for other tools; `wastenot import` makes the same trace from it again.

    perfetto: one file that ui.perfetto.dev shows, with episodes, causes and wasted cores as tracks. parquet and csv: a
    folder with a file per table, a manifest and an explanation.
    """
    if to not in ("perfetto", *FOLDERS):
        raise CommandError(f"--to {to}: one of perfetto, {', '.join(FOLDERS)}")
    with check_progress(quiet) as progress:
        make_tables(trace, progress)
    if to == "perfetto":
        events = export_perfetto(trace, output, force=force)
        summary = f"wrote {events:,} events to {output} ({output.stat().st_size / 1e6:,.1f} MB)"
    else:
        rows = FOLDERS[to](trace, output, force=force)
        summary = f"wrote {sum(rows.values()):,} rows of {sum(1 for n in rows.values() if n)} tables to {output}"
    if not quiet:
        note(summary)

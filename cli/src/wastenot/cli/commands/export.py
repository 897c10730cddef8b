"""`wastenot export`: for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from wastenot.analyzer import export_csv, export_parquet
from wastenot.cli.errors import CommandError
from wastenot.cli.options import ForceOption, QuietOption, TraceArgument
from wastenot.cli.output import note

FORMATS = {"parquet": export_parquet, "csv": export_csv}


def export(
    trace: TraceArgument,
    to: Annotated[str, typer.Option("--to", metavar="parquet|csv", help="Format.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Folder to make.", show_default=False)],
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a trace as a folder of Parquet or CSV files, with a manifest and an explanation in it."""
    if to not in FORMATS:
        raise CommandError(f"--to {to}: this version writes {', '.join(FORMATS)}")
    rows = FORMATS[to](trace, output, force=force)
    if not quiet:
        note(f"wrote {sum(rows.values()):,} rows of {sum(1 for n in rows.values() if n)} tables to {output}")

"""`wastenot import`: traces from elsewhere; in this version what an interrupted recording left."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from wastenot.analyzer import CheckOptions, build
from wastenot.analyzer.errors import MissingTrace, OutputExists
from wastenot.cli.commands.check import print_verdict
from wastenot.cli.errors import CommandError
from wastenot.cli.options import ForceOption, QuietOption, StrictOption
from wastenot.cli.output import check_progress, note


def import_(
    sources: Annotated[
        list[Path], typer.Argument(metavar="SRC…", help="A folder T.duckdb.part.", show_default=False, readable=False)
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="T.duckdb", help="Trace to make; by default beside SRC.")
    ] = None,
    strict: StrictOption = False,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Finish the recording that an interrupted `record` left in T.duckdb.part, and print the verdict."""
    if len(sources) != 1:
        raise CommandError(f"import: {len(sources)} sources; this version reads one T.duckdb.part folder at a time")
    part = sources[0]
    if not part.exists():
        raise MissingTrace(part)
    if not (part / "meta.json").is_file():
        raise CommandError(
            f"{part}: not recognised; this version reads the folder T.duckdb.part of an interrupted recording"
        )
    target = output or part.with_name(part.name.removesuffix(".part"))
    if target == part:
        raise CommandError(f"{part}: say with -o which trace to make")
    if target.exists() and not force:
        raise OutputExists(target)
    with check_progress(quiet) as progress:
        build(part, target, CheckOptions(strict), progress)
    if not quiet:
        note(f"wrote {target}")
    print_verdict(target, [], as_json=False, quiet=quiet)

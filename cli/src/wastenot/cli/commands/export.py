"""`wastenot export`: for other tools."""

from __future__ import annotations

from pathlib import Path

from wastenot.analyzer import export_csv, export_parquet, export_perfetto
from wastenot.cli.errors import CommandError
from wastenot.cli.options import force_option, quiet_option, trace_argument, window_of, window_option
from wastenot.cli.output import bounds_of_trace, check_progress, note
from wastenot.cli.parameters import PATH, TEXT, command, option

FOLDERS = {"parquet": export_parquet, "csv": export_csv}


@command()
@trace_argument
@option("--to", type=TEXT, required=True, metavar="perfetto|parquet|csv", help="Format.")
@option(
    "--output",
    "-o",
    type=PATH,
    required=True,
    metavar="OUT",
    help="File (perfetto) or folder to make.",
)
@window_option
@force_option
@quiet_option
def export(trace: Path, to: str, output: Path, window: str | None, force: bool, quiet: bool) -> None:
    """Write a trace for other tools; `wastenot import` makes the same trace from it again.

    perfetto: one file that ui.perfetto.dev shows, with episodes, causes and wasted cores as tracks. parquet and csv: a
    folder with a file per table, a manifest and an explanation. With --window (parquet and csv) the folder has the
    events and rows of that time only, for other programs; it cannot be imported.
    """
    if to not in ("perfetto", *FOLDERS):
        raise CommandError(f"--to {to}: one of perfetto, {', '.join(FOLDERS)}")
    if window is not None and to == "perfetto":
        raise CommandError("--window: goes with --to parquet and --to csv")
    between = None if window is None else window_of(window, bounds_of_trace(trace))
    with check_progress(quiet) as progress:
        if to == "perfetto":
            made = export_perfetto(trace, output, force=force, progress=progress)
        else:
            rows = FOLDERS[to](trace, output, force=force, progress=progress, window=between)
    if to == "perfetto":
        summary = f"wrote {made:,} events to {output} ({output.stat().st_size / 1e6:,.1f} MB)"
    else:
        summary = f"wrote {sum(rows.values()):,} rows of {sum(1 for n in rows.values() if n)} tables to {output}"
    if not quiet:
        note(summary)

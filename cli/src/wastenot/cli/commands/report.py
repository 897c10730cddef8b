"""`wastenot report`: one page to attach to a bug report, or a film of its replay."""

from __future__ import annotations

from pathlib import Path

from wastenot.cli.errors import CommandError
from wastenot.cli.options import force_option, quiet_option, trace_argument
from wastenot.cli.output import note, progress_lines
from wastenot.cli.parameters import PATH, Integer, command, option


@command()
@trace_argument
@option("--output", "-o", type=PATH, metavar="R.html", help="Page to write.")
@option(
    "--movie",
    type=PATH,
    metavar="OUT.mp4|OUT.webm",
    help="Film of the replay of the worst episode. Needs Chromium and ffmpeg.",
)
@option("--episodes", type=Integer(0, 20), default=6, help="Episodes shown in full, the worst first.")
@force_option
@quiet_option
def report(trace: Path, output: Path | None, movie: Path | None, episodes: int, force: bool, quiet: bool) -> None:
    """Write one page with the verdict, the worst episodes and a replay of each, or a film of the worst one.

    The page opens in any browser without a network and stays below 5 MB for traces of any length: of a long episode the
    replay has the start only. Page and film contain names of threads, processes and cgroups, and of the machine.
    """
    from wastenot.web.movie import write_movie  # slow to import
    from wastenot.web.report import write_report

    if output is None and movie is None:
        raise CommandError("name what to write: -o R.html, --movie OUT.mp4, or both")
    if output is not None:
        written = write_report(trace, output, episodes, force)
        if not quiet:
            content = f"{written.episodes} episodes, {written.changes:,} changes of threads' states to replay"
            note(f"wrote {output} ({written.bytes / 1e6:,.1f} MB): {content}")
    if movie is not None:
        with progress_lines(quiet) as lines:
            film = write_movie(trace, movie, force, None if lines is None else lines.filming)
        if not quiet:
            what = "the most waste" if film.episode is None else f"episode {film.episode}"
            note(
                f"wrote {movie} ({film.bytes / 1e6:,.1f} MB): {what}, {film.seconds:.1f} s at 1 : {1 / film.speed:,.0f}"
            )

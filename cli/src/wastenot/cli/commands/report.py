"""`wastenot report`: one page to attach to a bug report, or a film of its replay."""

from __future__ import annotations

from pathlib import Path

from wastenot.cli.errors import CommandError
from wastenot.cli.options import force_option, quiet_option, trace_argument, window_of, window_option
from wastenot.cli.output import bounds_of_trace, note, progress_lines
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
@window_option
@force_option
@quiet_option
def report(
    trace: Path,
    output: Path | None,
    movie: Path | None,
    episodes: int,
    window: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Write one page with the verdict, the worst episodes and a replay of each, or a film of the worst one.

    The page opens in any browser without a network and stays below 5 MB for traces of any length: of a long episode the
    replay has the start only. --window puts a section about that time first: what CPUs and threads did in it, how they
    waited, causes, waste, the longest waits that touch it. The replay then starts there, and so does the film; episodes
    are the worst of those that touch it, each whole. Verdict, curve, deadlines and the list of episodes stay those of
    the whole trace, as the page says. Page and film contain names of threads, processes and cgroups, and that of the
    machine.
    """
    from wastenot.web.movie import write_movie  # slow to import
    from wastenot.web.report import write_report

    if output is None and movie is None:
        raise CommandError("name what to write: -o R.html, --movie OUT.mp4, or both")
    span = None if window is None else window_of(window, bounds_of_trace(trace))
    if output is not None:
        written = write_report(trace, output, episodes, force, span)
        if not quiet:
            content = f"{written.episodes} episodes, {written.changes:,} changes of threads' states to replay"
            of = "" if window is None else f"{window}, "
            note(f"wrote {output} ({written.bytes / 1e6:,.1f} MB): {of}{content}")
    if movie is not None:
        with progress_lines(quiet) as lines:
            film = write_movie(trace, movie, force, None if lines is None else lines.filming, span)
        if not quiet:
            what = "the most waste" if film.episode is None else f"episode {film.episode}"
            if window is not None:
                what = f"from the start of {window}"
            note(
                f"wrote {movie} ({film.bytes / 1e6:,.1f} MB): {what}, {film.seconds:.1f} s at 1 : {1 / film.speed:,.0f}"
            )

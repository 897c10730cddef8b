"""`wastenot live`: the terminal view."""

from __future__ import annotations

import re
from pathlib import Path

from wastenot.cli.errors import CommandError
from wastenot.cli.output import check_progress, note
from wastenot.cli.parameters import INPUT, PATH, TEXT, argument, command, flag, option


@command()
@argument(
    "trace",
    type=INPUT,
    required=False,
    metavar="[T.duckdb]",
    help="A trace or saved box to play; without one, what this machine does now.",
)
@flag("--exact", help="Start an exact watch where none runs: all causes, and waiting split by reason; costs more.")
@option("--speed", type=TEXT, metavar="N|1/N", help="Speed of a trace, as in 1/10. By default it takes about a minute.")
@flag("--plain", help="Print a block of lines for each second, as is done where the output is not a terminal.")
@option("--for", "length", type=TEXT, metavar="DUR", help="End after this time.")
@option("--run-dir", type=PATH, metavar="DIR", help="Folder of the running watch's lock and socket (/run/wastenot).")
def live(
    trace: Path | None, exact: bool, speed: str | None, plain: bool, length: str | None, run_dir: Path | None
) -> None:
    """Show in the terminal what the scheduler does: CPUs and their queues, wasted cores, who waits, and why.

    Without a trace it shows the watch that runs on this machine, or starts one that ends with the view. A trace is
    played: space plays and pauses, arrows step, + and - change the speed, n goes to the next episode. ? lists all keys.

    Made for 80 columns and 24 lines and more, for any number of colours, and for the keyboard alone.
    """
    if trace is None and speed is not None:
        raise CommandError("--speed: goes with a trace")
    if trace is not None and (exact or run_dir is not None):
        raise CommandError(f"{'--exact' if exact else '--run-dir'}: goes with a running watch, not with a trace")
    from wastenot.live import running  # imports rich, and Textual when it draws

    for_s = None if length is None else _seconds(length)
    if trace is None:
        from wastenot.watch.run_folder import run_folder

        source = running.open_watch(run_folder(run_dir), *(["--exact"] if exact else []), say=note)
        cost = running.show(source, plain=plain, for_s=for_s)
    else:
        with check_progress(quiet=False) as progress:
            played = running.open_trace(trace, None if speed is None else _speed(speed), progress)
        cost = running.show(played, plain=plain, for_s=for_s)
    if cost is not None:
        note(str(cost))


def _speed(text: str) -> float:
    """A speed such as `2`, `0.1` or `1/10`; raises CommandError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(?:/(\d+(?:\.\d+)?))?", text.strip())
    try:
        speed = float(match[1]) / float(match[2] or 1) if match else 0.0
    except ZeroDivisionError:
        speed = 0.0
    if not 1e-6 <= speed <= 1e6:
        raise CommandError(f"--speed {text!r}: write trace time per time, as 2 or 1/10")
    return speed


def _seconds(text: str) -> float:
    from wastenot.analyzer.errors import BadArgument
    from wastenot.analyzer.text.units import parse_duration

    try:
        return parse_duration(text) / 1e9
    except BadArgument as e:
        raise CommandError(f"--for {e}") from None

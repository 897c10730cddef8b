"""`wastenot report`: one page to attach to a bug report."""

from __future__ import annotations

from pathlib import Path

from wastenot.cli.options import force_option, quiet_option, trace_argument
from wastenot.cli.output import note
from wastenot.cli.parameters import PATH, Integer, command, option


@command()
@trace_argument
@option("--output", "-o", type=PATH, required=True, metavar="R.html", help="Page to write.")
@option("--episodes", type=Integer(0, 20), default=6, help="Episodes shown in full, the worst first.")
@force_option
@quiet_option
def report(trace: Path, output: Path, episodes: int, force: bool, quiet: bool) -> None:
    """Write one page with the verdict, the worst episodes and a replay of each.

    It opens in any browser without a network and stays below 5 MB for traces of any length: of a long episode the
    replay has the start only. It contains names of threads, processes and cgroups.
    """
    from wastenot.web.report import write_report  # slow to import

    written = write_report(trace, output, episodes, force)
    if not quiet:
        content = f"{written.episodes} episodes, {written.changes:,} changes of threads' states to replay"
        note(f"wrote {output} ({written.bytes / 1e6:,.1f} MB): {content}")

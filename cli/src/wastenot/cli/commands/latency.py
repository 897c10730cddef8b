"""`wastenot latency`: how long threads waited for a CPU."""

from __future__ import annotations

from pathlib import Path

from wastenot.analyzer.model.latency import LATENCY_BY, LATENCY_SORTS, WAITED_AFTER
from wastenot.analyzer.render.json import latency_json
from wastenot.cli.errors import CommandError
from wastenot.cli.options import json_option, trace_argument, window_of, window_option
from wastenot.cli.output import bounds_of_trace, opened, show, show_json
from wastenot.cli.parameters import TEXT, Integer, command, option


@command()
@trace_argument
@option("--by", type=TEXT, default="thread", help="thread, process or cgroup.")
@option(
    "--of", type=TEXT, metavar="NAME", help="Those of that name, number (tid, tgid) or cgroup path alone; with --by."
)
@option("--after", type=TEXT, default="any", metavar="any|wakeup|preemption", help="Waits after one of these alone.")
@option("--sort", type=TEXT, default="longest", metavar="longest|p99|total|waits", help="Order of the list.")
@window_option
@option("--limit", "-n", type=Integer(min=1), default=20, help="Rows at most.")
@option("--worst", type=Integer(min=1), default=20, help="The longest waits that are listed, at most.")
@json_option
def latency(
    trace: Path,
    by: str,
    of: str | None,
    after: str,
    sort: str,
    window: str | None,
    limit: int,
    worst: int,
    as_json: bool,
) -> None:
    """Show how long threads waited for a CPU after a wakeup and after a preemption: percentiles, histogram, the worst.

    A wait is whole: from when the thread could run to when it ran, on whichever queues it was meanwhile, time without
    quota included. p99 is the wait that 99 % of the waits are no longer than; of fewer than a hundred it is the
    longest. --window counts the waits that touch a time. --of counts those of some threads, processes or cgroups alone,
    whichever --by says, their longest waits too: all that have that name, tid, tgid, path or label. Each of the longest
    has its place in the trace, and the thread that ran longest meanwhile on the CPU that it waited for. In SQL the
    waits are the rows of `waits()`.
    """
    for name, given, known in (
        ("--by", by, LATENCY_BY), ("--after", after, ("any", *WAITED_AFTER)), ("--sort", sort, LATENCY_SORTS),
    ):  # fmt: skip
        if given not in known:
            raise CommandError(f"{name} {given}: one of {', '.join(known)}")
    between = None if window is None else window_of(window, bounds_of_trace(trace))
    with opened(trace) as found:
        waits = found.latency(by, between, after, sort, limit, worst, of)
    if as_json:
        show_json(latency_json(waits))
    else:
        from wastenot.analyzer.render.latency import LatencyView  # imports rich

        show(LatencyView(waits), wide=True)

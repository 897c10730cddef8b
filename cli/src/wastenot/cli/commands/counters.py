"""`wastenot counters`: the counters of the kernel's load balancer."""

from __future__ import annotations

from pathlib import Path

from wastenot.analyzer import open_trace
from wastenot.analyzer.errors import MissingSource
from wastenot.analyzer.store.opening import is_trace
from wastenot.cli.options import json_option
from wastenot.cli.output import show, show_json
from wastenot.cli.parameters import PATH, argument, command

SCHEDSTAT = Path("/proc/schedstat")


@command()
@argument(
    "source",
    type=PATH,
    metavar="SRC",
    help="A trace, perf.data of `perf sched stats record`, or a text of /proc/schedstat.",
)
@argument("after", type=PATH, required=False, metavar="[AFTER]", help="A later text of /proc/schedstat.")
@json_option
def counters(source: Path, after: Path | None, as_json: bool) -> None:
    """List load-balance attempts by level of domains and by state of the CPU, as the kernel counted them.

    Counters have the number of attempts, of those that found nothing to do, and of those that failed; not when, nor
    whether a core was idle while threads waited. If idle CPUs of a level make no attempt, record.
    """
    for path in (p for p in (source, after) if p is not None and not p.exists()):
        raise MissingSource(path)
    from wastenot.analyzer.render.balancer_counters import counted_between, counted_in, counted_table  # imports rich

    if after is None and is_trace(source):
        with open_trace(source) as trace:
            rows = counted_in(trace)
    else:
        rows = counted_between(source, after)
    if as_json:
        show_json(rows)
    elif rows:
        show(counted_table(rows), wide=True)
    else:
        show(nothing_counted(SCHEDSTAT.exists()))


def nothing_counted(is_here: bool) -> str:
    """Why the list is empty. `is_here`: this machine's kernel has the counters, so a recording can have them."""
    if is_here:
        return "No counters of the load balancer in this trace; `wastenot record --schedstat on` reads them."
    return (
        "No counters of the load balancer in this trace, and none in recordings of this machine: "
        f"its kernel has no {SCHEDSTAT} (CONFIG_SCHEDSTATS)."
    )

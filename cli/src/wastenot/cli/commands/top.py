"""`wastenot top`: threads, processes, cgroups and bubbles that waited, and what ran meanwhile."""

from __future__ import annotations

from pathlib import Path

from wastenot.analyzer.model.bubbles import tree_of
from wastenot.analyzer.model.top import BY, TOP_SORTS
from wastenot.analyzer.model.trees import TREES
from wastenot.cli.errors import CommandError
from wastenot.cli.options import bubble_tree, bubbles_option, json_option, trace_argument, window_of, window_option
from wastenot.cli.output import bounds_of_trace, opened, show, show_json
from wastenot.cli.parameters import TEXT, Integer, command, option


@command()
@trace_argument
@option("--by", type=TEXT, default="thread", help="thread, process, cgroup or bubble.")
@bubbles_option
@option("--sort", type=TEXT, default="avoidable", metavar="avoidable|wait|longest|p99", help="Order of the list.")
@window_option
@option("--limit", "-n", type=Integer(min=1), default=20, help="Rows at most; bubbles, with --by bubble.")
@json_option
def top(trace: Path, by: str, bubbles: str | None, sort: str, window: str | None, limit: int, as_json: bool) -> None:
    """List threads, processes, cgroups or bubbles by avoidable wait: run, wait, migrations, and what ran meanwhile.

    With --sort longest or p99 by the longest or the 99th percentile of the single waits, which are shown with the
    others then, and how many there are of each length (`wastenot latency` has more of them).

    --window counts what they did within a time; the single waits are those that touch it, each whole. Threads count
    for the cgroup that they were in at its end, the reasons of waits for the one that they were in at the time.

    Of cgroups it says why they waited, each nanosecond once (`wastenot glossary wait_reason`): their own quota, their
    own threads, a neighbour (by name), an idle CPU left unused, idle CPUs they may not use. Wait includes throttled
    time.

    Bubbles are listed in the order of their tree: priority, share of a CPU, state (R running, W waiting, S off, X
    ended), CPUs, and how far their threads were kept in one cache and on one node; declared ones with their threads.
    """
    bubble_tree(bubbles)
    if by not in (*BY, "bubble"):
        raise CommandError(f"--by {by}: this version knows {', '.join(BY)}, bubble")
    if sort not in TOP_SORTS:
        raise CommandError(f"--sort {sort}: one of {', '.join(TOP_SORTS)}")
    if sort != "avoidable" and by == "bubble":
        raise CommandError(f"--sort {sort}: bubbles are listed in the order of their tree")
    if bubbles is not None and by != "bubble":
        raise CommandError(f"--bubbles {bubbles}: goes with --by bubble")
    if window is not None and by == "bubble":
        raise CommandError(f"--window {window}: bubbles are listed for the whole trace")
    between = None if window is None else window_of(window, bounds_of_trace(trace))
    with opened(trace) as found:
        from wastenot.analyzer.render.bubbles import bubble_listing, bubble_table  # imports rich
        from wastenot.analyzer.render.cgroups import cgroups_table
        from wastenot.analyzer.render.listings import top_table

        if by == "bubble":
            tree = tree_of(found, bubbles)
            listing = bubble_listing(found, tree, limit)
            if as_json:
                show_json(listing)
            elif listing:
                show(bubble_table(listing, tree), wide=True)
            else:
                others = " or ".join(t for t in TREES if t != tree)
                show(f"no {tree} bubbles in this trace; --bubbles {others} lists those that follow from its threads")
            return
        rows = found.top(by, limit, sort=sort, window=between)
    if as_json:
        show_json(rows.rows())
    elif by == "cgroup":
        show(cgroups_table(rows), wide=sort != "avoidable")
    else:
        show(top_table(rows, by), wide=True)

"""`wastenot check`: the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wastenot import analyzer
from wastenot.cli.errors import CheckFailed
from wastenot.cli.options import (
    bubble_tree,
    bubbles_option,
    fail_on_option,
    json_option,
    quiet_option,
    strict_option,
    table_set,
    tables_option,
    threshold_option,
    thresholds,
    trace_argument,
)
from wastenot.cli.output import check_progress, note, note_kept, opened, show, show_json, wrote
from wastenot.cli.parameters import command

if TYPE_CHECKING:
    from wastenot.analyzer.conditions import Condition

SHOWN_BUBBLES = 12
"""Bubbles that follow a verdict, at most."""


@command()
@trace_argument
@json_option
@fail_on_option
@threshold_option
@strict_option
@quiet_option
@bubbles_option
@tables_option
def check(
    trace: Path,
    as_json: bool,
    fail_on: tuple[str, ...],
    threshold: tuple[str, ...],
    strict: bool,
    quiet: bool,
    bubbles: str | None,
    tables: str,
) -> None:
    """Print the verdict: how many cores were wasted, how sure that is, the worst episodes, what to do next.

    Finishes an interrupted recording (T.duckdb.part), and checks again when the thresholds, --strict or the version
    differ from those of the findings stored in the trace. With --tables all, the large tables are stored as well
    (`thread_state`, `cpu_slice` and the like), which are otherwise made when they are first asked for; with --tables
    overview only those that the whole trace is drawn from. With --bubbles the bubbles of that tree follow, those with
    the longest avoidable wait first.
    """
    from wastenot.analyzer.conditions import parse_condition  # as the verdict: not for --help

    bubble_tree(bubbles)
    expressions = [parse_condition(text) for text in fail_on]
    options = analyzer.CheckOptions(strict, thresholds(threshold), table_set(tables))
    unfinished = not trace.exists()
    with check_progress(quiet) as progress, analyzer.open_checked(trace, options, progress) as found:
        verdict = found.verdict()
        listing = _bubbles(found, bubbles) if bubbles is not None and not quiet else []
    if unfinished and not quiet:
        from wastenot.analyzer.store.opening import part_folder

        note_kept(part_folder(trace))
    print_verdict(verdict, expressions, as_json=as_json, quiet=quiet, bubbles=bubbles, listing=listing)


def print_verdict(
    verdict: analyzer.Verdict,
    expressions: Sequence[Condition] = (),
    *,
    as_json: bool,
    quiet: bool,
    bubbles: str | None = None,
    listing: Sequence[dict[str, Any]] = (),
) -> None:
    """Print a verdict, then the `listing` of the tree `bubbles`; raises CheckFailed when an expression is true."""
    if as_json:
        show_json(
            verdict.to_json() | ({} if bubbles is None else {"bubbles": {"tree": bubbles, "rows": list(listing)}})
        )
    elif not quiet:
        show(verdict)
        if bubbles is not None:
            _show_bubbles(listing, bubbles)
    failures = [failure for e in expressions if (failure := e.failure(verdict)) is not None]
    if failures:
        raise CheckFailed("; ".join(failures))
    for caveat in (caveat for e in expressions if (caveat := e.caveat(verdict)) is not None):
        note(f"wastenot: {caveat}")


def print_made(target: Path, *, as_json: bool, quiet: bool) -> None:
    """Note what was made, and print its verdict. With `quiet` alone the trace is not read."""
    if quiet and not as_json:
        return
    with opened(target) as trace:
        if not quiet:
            note(wrote(trace))
        verdict = trace.verdict()
    print_verdict(verdict, as_json=as_json, quiet=quiet)


def _bubbles(trace: analyzer.Trace, tree: str) -> list[dict[str, Any]]:
    from wastenot.analyzer.render.bubbles import bubble_listing  # imports rich

    return bubble_listing(trace, tree, SHOWN_BUBBLES)


def _show_bubbles(listing: Sequence[dict[str, Any]], tree: str) -> None:
    from wastenot.analyzer.render.bubbles import bubble_table

    show(bubble_table(list(listing), tree) if listing else f"no {tree} bubbles in this trace", wide=True)

"""`wastenot check`: the verdict."""

from __future__ import annotations

from pathlib import Path

from wastenot.analyzer import CheckOptions, ensure_checked
from wastenot.analyzer.render.bubbles import bubble_listing, bubble_table
from wastenot.analyzer.store.opening import part_folder
from wastenot.cli.errors import CheckFailed
from wastenot.cli.fail_on import FailOn, parse_fail_on
from wastenot.cli.options import (
    BubblesOption,
    FailOnOption,
    JsonOption,
    QuietOption,
    StrictOption,
    TablesOption,
    ThresholdOption,
    TraceArgument,
    all_tables,
    bubble_tree,
    thresholds,
)
from wastenot.cli.output import check_progress, note, note_kept, opened, show, show_json

SHOWN_BUBBLES = 12
"""Bubbles that follow a verdict, at most."""


def check(
    trace: TraceArgument,
    as_json: JsonOption = False,
    fail_on: FailOnOption = None,
    threshold: ThresholdOption = None,
    strict: StrictOption = False,
    quiet: QuietOption = False,
    bubbles: BubblesOption = None,
    tables: TablesOption = "verdict",
) -> None:
    """Print the verdict: how many cores were wasted, how sure that is, the worst episodes, what to do next.

    Finishes an interrupted recording (T.duckdb.part), and checks again when the thresholds, --strict or the version
    differ from those of the findings stored in the trace. With --tables all, the large tables are stored as well
    (`thread_state`, `cpu_slice` and the like), which are otherwise made when they are first asked for. With --bubbles
    the bubbles of that tree follow, those with the longest avoidable wait first.
    """
    bubble_tree(bubbles)
    expressions = [parse_fail_on(text) for text in fail_on or []]
    options = CheckOptions(strict, thresholds(threshold), all_tables(tables))
    unfinished = not trace.exists()
    with check_progress(quiet) as progress:
        ensure_checked(trace, options, progress)
    if unfinished and not quiet:
        note_kept(part_folder(trace))
    print_verdict(trace, expressions, as_json=as_json, quiet=quiet, bubbles=bubbles)


def print_verdict(
    path: Path, expressions: list[FailOn], *, as_json: bool, quiet: bool, bubbles: str | None = None
) -> None:
    """Print a checked trace's verdict, then bubbles if asked; raises CheckFailed when an expression is true."""
    with opened(path) as trace:
        verdict = trace.verdict()
        listing = bubble_listing(trace, bubbles, SHOWN_BUBBLES) if bubbles is not None and not quiet else []
    if as_json:
        show_json(verdict.to_json() | ({} if bubbles is None else {"bubbles": {"tree": bubbles, "rows": listing}}))
    elif not quiet:
        show(verdict)
        if bubbles is not None:
            show(bubble_table(listing, bubbles) if listing else f"no {bubbles} bubbles in this trace", wide=True)
    failures = [failure for e in expressions if (failure := e.failure(verdict)) is not None]
    if failures:
        raise CheckFailed("; ".join(failures))
    for caveat in (caveat for e in expressions if (caveat := e.caveat(verdict)) is not None):
        note(f"wastenot: {caveat}")

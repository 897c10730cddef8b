"""`wastenot check`: the verdict."""

from __future__ import annotations

from pathlib import Path

from wastenot.analyzer import CheckOptions, ensure_checked, open_trace
from wastenot.cli.errors import CheckFailed
from wastenot.cli.fail_on import FailOn, parse_fail_on
from wastenot.cli.options import (
    FailOnOption,
    JsonOption,
    QuietOption,
    StrictOption,
    ThresholdOption,
    TraceArgument,
    thresholds,
)
from wastenot.cli.output import check_progress, show, show_json


def check(
    trace: TraceArgument,
    as_json: JsonOption = False,
    fail_on: FailOnOption = None,
    threshold: ThresholdOption = None,
    strict: StrictOption = False,
    quiet: QuietOption = False,
) -> None:
    """Print the verdict: how many cores were wasted, how sure that is, the worst episodes, what to do next.

    Finishes a recording that was cut off (T.duckdb.part), and checks again when the thresholds, --strict or the version
    differ from those of the findings stored in the trace.
    """
    expressions = [parse_fail_on(text) for text in fail_on or []]
    options = CheckOptions(strict, thresholds(threshold))
    with check_progress(quiet) as progress:
        ensure_checked(trace, options, progress)
    print_verdict(trace, expressions, as_json=as_json, quiet=quiet)


def print_verdict(path: Path, expressions: list[FailOn], *, as_json: bool, quiet: bool) -> None:
    """Print a checked trace's verdict; raises CheckFailed when an expression is true."""
    with open_trace(path) as trace:
        verdict = trace.verdict()
    if as_json:
        show_json(verdict.to_json())
    elif not quiet:
        show(verdict)
    failures = [failure for e in expressions if (failure := e.failure(verdict)) is not None]
    if failures:
        raise CheckFailed("; ".join(failures))

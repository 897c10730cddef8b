"""Arguments and options that several verbs share."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wastenot.analyzer.model.trees import TREES
from wastenot.analyzer.store.tables import CHECKED_SETS, TableSet
from wastenot.analyzer.text.units import duration, parse_duration
from wastenot.cli.errors import CommandError
from wastenot.cli.parameters import INPUT, TEXT, argument, flag, option
from wastenot.schemas.generated.enums import GRADE_TIMED

trace_argument = argument("trace", type=INPUT, metavar="T.duckdb", help="The trace.")
json_option = flag("--json", "as_json", help="Print JSON.")
quiet_option = flag("--quiet", "-q", help="Print errors only.")
force_option = flag("--force", help="Replace an existing output.")
strict_option = flag("--strict", help="Fail on the first contradiction in the events.")
threshold_option = option(
    "--threshold",
    type=TEXT,
    multiple=True,
    metavar="GRADE=DUR",
    help="Another threshold of a grade, as in lasting=8ms. Repeatable.",
)
tables_option = option(
    "--tables",
    type=TEXT,
    default="verdict",
    metavar="verdict|overview|all",
    help="Tables to store: those of a verdict, of the overview too, or all. The rest is made when first asked for.",
)
bubbles_option = option(
    "--bubbles",
    type=TEXT,
    metavar="TREE",
    help="Bubbles of which tree: declared, natural (cgroup, session, process) or creation (forks). "
    "Default: declared if the trace has declared bubbles, natural otherwise.",
)
window_option = option(
    "--window",
    type=TEXT,
    metavar="FROM..TO",
    help="This time of the trace, as in 1.2s..1.3s from its start; whole numbers: ns as in its tables.",
)
fail_on_option = option(
    "--fail-on",
    type=TEXT,
    multiple=True,
    metavar="EXPR",
    help="Exit with 1 when true, as in 'wasted>1%' or 'lasting>0'. Repeatable.",
)


DIGITS = 40
"""More characters than any time has."""


def window_of(given: str, trace: tuple[int, int]) -> tuple[int, int]:
    """`FROM..TO` in ns, of a trace that goes on between these times; raises CommandError.

    Whole numbers without a unit are times as the trace has them, times with a unit count from its start. 0 may be both.
    """
    first, dots, last = given.partition("..")
    if not dots:
        raise CommandError(f"--window {given!r}: write FROM..TO, as in 1.2s..1.3s")
    if not first.strip() or not last.strip():
        raise CommandError(f"--window {given!r}: write both ends, as in 1.2s..1.3s")
    if max(len(first), len(last)) > DIGITS:
        raise CommandError(f"--window: an end has more than {DIGITS} characters")
    ends = [end.strip() for end in (first, last)]
    if all(end.isdecimal() for end in ends):
        start, end = (int(end) for end in ends)
    elif all(end == "0" or not end[-1].isdecimal() for end in ends):
        start, end = (trace[0] + parse_duration(end) for end in ends)
    else:
        raise CommandError(f"--window {given!r}: give both ends a unit, as in 1.2s..1.3s, or both whole numbers of ns")
    if end <= start:
        raise CommandError(f"--window {given!r}: its end is not after its start")
    if end <= trace[0] or start >= trace[1]:
        lasts = f"the trace lasts {duration(trace[1] - trace[0])}, from {trace[0]} to {trace[1]} ns"
        raise CommandError(f"--window {given!r}: lies outside of the trace; {lasts}")
    return start, end


def bubble_tree(given: str | None) -> None:
    """Raise CommandError for an unknown tree."""
    if given is not None and given not in TREES:
        raise CommandError(f"--bubbles {given}: one of {', '.join(TREES)}")


def table_set(given: str) -> TableSet:
    """The set that `--tables` asks for; raises CommandError for a word that it does not know."""
    for known in CHECKED_SETS:
        if given == known:
            return known
    raise CommandError(f"--tables {given}: one of {', '.join(CHECKED_SETS)}")


def thresholds(given: Iterable[str]) -> dict[str, int]:
    """`GRADE=DUR` texts as nanoseconds by grade; raises CommandError."""
    out: dict[str, int] = {}
    for text in given:
        grade, equals, length = text.partition("=")
        grade = grade.strip().replace("-", "_").replace(" ", "_")
        if not equals or grade not in GRADE_TIMED:
            raise CommandError(f"--threshold {text!r}: write GRADE=DUR with one of {', '.join(GRADE_TIMED)}")
        if not re.search(r"[a-zµ]\s*$", length):
            raise CommandError(f"--threshold {text!r}: write a unit, as in {grade}={length.strip() or 8}ms")
        out[grade] = parse_duration(length)
        if out[grade] <= 0:
            raise CommandError(f"--threshold {text!r}: must be longer than 0")
    return out

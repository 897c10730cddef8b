"""A trace opened with the findings that were asked for."""

from __future__ import annotations

from pathlib import Path

from wastenot.analyzer.errors import LeftoverOnly, OlderSchema
from wastenot.analyzer.store.checking import CheckOptions, Progress, is_current
from wastenot.analyzer.store.recheck import ensure_checked
from wastenot.analyzer.trace import Trace, open_trace


def open_checked(path: str | Path, options: CheckOptions | None, progress: Progress | None = None) -> Trace:
    """Open a trace that holds the findings for `options`; where it does not, it is checked first.

    `options` None: those with which it was checked, by this version or another, and the default ones if it was not.

    A file that is current is opened once: opening and validating it takes longer than most queries.
    """
    path = Path(path)
    try:
        trace = open_trace(path, progress=progress)
    except (LeftoverOnly, OlderSchema):
        pass
    else:
        stored = _stored_options(trace) if options is None else options
        if _is_current(trace, stored):
            return trace
        options = stored
    ensure_checked(path, options or CheckOptions(), progress)
    return open_trace(path, progress=progress)


def _stored_options(trace: Trace) -> CheckOptions:
    with trace.cursor() as cursor:
        row = cursor.execute("SELECT options FROM verdict").fetchone()
    return CheckOptions() if row is None else CheckOptions.from_json(row[0])


def _is_current(trace: Trace, options: CheckOptions) -> bool:
    """Whether it holds the findings; closes it when it does not."""
    current = False
    try:
        with trace.cursor() as cursor:
            current = is_current(cursor, options)
    finally:
        if not current:
            trace.close()
    return current

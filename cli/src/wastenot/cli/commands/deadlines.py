"""`wastenot deadlines`: which jobs met their deadlines, and whose fault each miss is."""

from __future__ import annotations

from pathlib import Path

from wastenot.cli.errors import CheckFailed, CheckUndecided
from wastenot.cli.options import force_option, json_option, quiet_option, trace_argument
from wastenot.cli.output import check_progress, note, show, show_json
from wastenot.cli.parameters import PATH, TEXT, command, option


@command()
@trace_argument
@option(
    "--task",
    "tasks",
    type=TEXT,
    multiple=True,
    metavar="NAME=RUNTIME/DEADLINE/PERIOD",
    help="What threads of that name need, as in 'audio*=2ms/5ms/5ms', where the trace does not have it. Repeatable.",
)
@json_option
@option(
    "--fail-on",
    type=TEXT,
    multiple=True,
    metavar="EXPR",
    help="Exit with 1 when true, as in 'misses>0', 'violations>0' or 'tardiness>1ms', and when that is not known. "
    "Repeatable.",
)
@option("--jobs", "jobs_to", type=PATH, metavar="FILE", help="Write all jobs, those of --task too: .csv, .parquet.")
@force_option
@quiet_option
def deadlines(
    trace: Path,
    tasks: tuple[str, ...],
    as_json: bool,
    fail_on: tuple[str, ...],
    jobs_to: Path | None,
    force: bool,
    quiet: bool,
) -> None:
    """List missed deadlines, and whose fault each is: the scheduler's, overload, an overrun, interference.

    Recordings of wastenot have the parameters of SCHED_DEADLINE threads. For threads of other classes, and for traces
    of other tools, --task declares them. A job lasts from a wakeup, or the replenishment after a yield, to the next
    sleep or yield. Also: tardiness, laxity, overruns, whether the tasks are schedulable, and whether the scheduler kept
    to global EDF.

    What --task declares is not written into the trace: the table dl_job, for `wastenot sql`, has the jobs of threads
    whose parameters were recorded alone. --jobs writes all, and the browser's view Deadlines takes tasks as well.
    """
    from wastenot.analyzer import open_trace
    from wastenot.analyzer.deadline_conditions import parse_deadline_condition
    from wastenot.analyzer.deadlines import find_deadlines, parse_task, write_jobs

    declared = [parse_task(text) for text in tasks]
    conditions = [parse_deadline_condition(text) for text in fail_on]
    with check_progress(quiet) as progress, open_trace(trace) as opened:
        found = find_deadlines(opened, declared, progress)
    if jobs_to is not None:
        write_jobs(found.jobs, jobs_to, force)
        if not quiet:
            note(f"wrote {jobs_to} ({len(found.jobs):,} jobs)")
    if as_json:
        show_json(found.to_json())
    elif not quiet:
        from rich.console import Group
        from wastenot.analyzer.render.deadlines import deadlines_view

        show(Group(*deadlines_view(found)))
    failures = [failure for c in conditions if (failure := c.failure(found)) is not None]
    if failures:
        raise CheckFailed("; ".join(failures))
    if undecided := [reason for c in conditions if (reason := c.undecided(found)) is not None]:
        raise CheckUndecided("; ".join(undecided))
    if not quiet:
        for caveat in filter(None, (c.caveat(found) for c in conditions)):
            note(f"wastenot: {caveat}")

"""`wastenot balance`: the balance of parallel programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wastenot.analyzer.text.units import counted
from wastenot.cli.errors import CheckFailed, CheckUndecided, CommandError
from wastenot.cli.options import force_option, json_option, quiet_option, trace_argument
from wastenot.cli.output import note, opened, show, show_json
from wastenot.cli.parameters import PATH, TEXT, Integer, command, option

if TYPE_CHECKING:
    from wastenot.analyzer import Trace
    from wastenot.analyzer.balance.application import Application, Balance
    from wastenot.analyzer.balance.measuring import Selection
    from wastenot.analyzer.balance.scalability import Scalability


@command()
@trace_argument
@option("--app", type=TEXT, metavar="GLOB", help="Threads or processes with such a name, as in 'bt-mz*'.")
@option("--cgroup", type=TEXT, metavar="PATH", help="Threads of this cgroup and of those below it.")
@option("--bubble", type=Integer(min=0), metavar="ID", help="Threads of this bubble and of those in it.")
@option(
    "--reference",
    type=PATH,
    metavar="TRACE",
    help="Compare with another run of the program, with fewer ranks as a rule: scalability.",
)
@json_option
@option(
    "--paraver",
    type=PATH,
    metavar="OUT.prv",
    help="Write the ranks of the application, when there is one, for Paraver: OUT.prv, OUT.pcf and OUT.row.",
)
@option(
    "--talp",
    type=PATH,
    metavar="OUT.json",
    help="Write the efficiencies of the application, when there is one, as DLB's TALP does.",
)
@force_option
@option(
    "--fail-on",
    type=TEXT,
    multiple=True,
    metavar="EXPR",
    help="Exit with 1 when true of an application, as in 'load_balance<80%', 'extrinsic>2%' or not_visible, "
    "and when what was recorded does not decide it. Repeatable.",
)
@quiet_option
def balance(
    trace: Path,
    app: str | None,
    cgroup: str | None,
    bubble: int | None,
    reference: Path | None,
    as_json: bool,
    paraver: Path | None,
    talp: Path | None,
    force: bool,
    fail_on: tuple[str, ...],
    quiet: bool,
) -> None:
    """Show how evenly the ranks of a parallel program (MPI, OpenMP, threads) work, and what it loses by that.

    Finds applications, or takes what --app, --cgroup or --bubble names, and their iterations. Says how much was lost to
    imbalance: intrinsic, since ranks compute more or less, or extrinsic, since a daemon, an interrupt or the scheduler
    kept a rank from running, and which. Ranks that spin while they wait look busy, and the balance is not visible
    unless their calls were recorded (`wastenot record --openmp`, `--mpi`): evidence H1.
    """
    from wastenot.analyzer.balance.measuring import Selection, balance_of  # numpy: not for --help
    from wastenot.analyzer.balance_conditions import parse_balance_condition
    from wastenot.analyzer.render.balance import balance_json, balance_text
    from wastenot.analyzer.render.scalability import scalability_json, scalability_text

    conditions = [parse_balance_condition(text) for text in fail_on]
    with opened(trace) as found:
        measured = balance_of(found, Selection(app, cgroup, bubble))
        if paraver is not None:
            _export_paraver(found, measured, paraver, force, quiet)
        if talp is not None:
            _export_talp(found, measured, talp, force, quiet)
    scales = None if reference is None else _scalability(measured, reference, Selection(app, cgroup, bubble))
    if as_json:
        added = {} if scales is None else {"scalability": scalability_json(scales, str(reference))}
        show_json(balance_json(measured) | added)
    elif not quiet:
        show(balance_text(measured), wide=True)
        if scales is not None:
            show("")
            show(scalability_text(scales, str(reference)), wide=True)
    if failures := [failure for c in conditions for failure in c.failures(measured)]:
        raise CheckFailed("; ".join(failures))
    for caveat in (caveat for c in conditions for caveat in c.caveats(measured) if not quiet):
        note(f"wastenot: {caveat}")
    if undecided := [reason for c in conditions for reason in c.undecided(measured)]:
        raise CheckUndecided("; ".join(undecided))


def _scalability(measured: Balance, reference: Path, selection: Selection) -> Scalability:
    """The application beside that of another trace."""
    from wastenot.analyzer.balance.measuring import balance_of
    from wastenot.analyzer.balance.scalability import scalability, the_same

    own = the_same(measured)
    with opened(reference) as trace:
        return scalability(own, the_same(balance_of(trace, selection), own))


def _export_paraver(trace: Trace, measured: Balance, target: Path, force: bool, quiet: bool) -> None:
    """Write the only application for Paraver."""
    from wastenot.analyzer.balance.paraver import export_paraver

    records = export_paraver(trace, _only_application(measured, f"--paraver {target}"), target, force=force)
    if not quiet:
        others = f"{target.with_suffix('.pcf').name}, {target.with_suffix('.row').name}"
        note(f"wrote {target} ({records:,} records), {others}")


def _export_talp(trace: Trace, measured: Balance, target: Path, force: bool, quiet: bool) -> None:
    """Write the efficiencies of the only application as DLB's TALP does."""
    from wastenot.analyzer.balance.talp import export_talp

    regions = export_talp(trace, _only_application(measured, f"--talp {target}"), target, force=force)
    if not quiet:
        note(f"wrote {target} ({counted(regions, 'region')})")


def _only_application(measured: Balance, option: str) -> Application:
    """Raises CommandError where there is none, or several."""
    if len(measured.applications) != 1:
        how = "no application was found" if not measured.applications else "several applications were found"
        raise CommandError(f"{option}: {how}; --app names one")
    return measured.applications[0]

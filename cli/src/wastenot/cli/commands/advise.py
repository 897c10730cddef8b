"""`wastenot advise`: what would make a parallel program end sooner."""

from __future__ import annotations

from pathlib import Path

from wastenot.cli.options import json_option, trace_argument
from wastenot.cli.output import opened, show, show_json
from wastenot.cli.parameters import TEXT, Integer, command, option


@command()
@trace_argument
@option("--app", type=TEXT, metavar="GLOB", help="Threads or processes with such a name, as in 'bt-mz*'.")
@option("--cgroup", type=TEXT, metavar="PATH", help="Threads of this cgroup and of those below it.")
@option("--bubble", type=Integer(min=0), metavar="ID", help="Threads of this bubble and of those in it.")
@json_option
def advise(trace: Path, app: str | None, cgroup: str | None, bubble: int | None, as_json: bool) -> None:
    """Advise how a parallel program (MPI, OpenMP, threads) would end sooner, as commands to paste.

    Which rank on which CPU, with the length of an iteration so; which daemon or interrupt to move out of the way; or
    that only another distribution of work helps. Gains are predictions, with what they assume; nothing is changed.
    """
    from wastenot.analyzer.balance.advice import advise as advise_on  # numpy: not for --help
    from wastenot.analyzer.balance.measuring import Selection, balance_of
    from wastenot.analyzer.render.advice import advice_json, advice_text

    with opened(trace) as found:
        balance = balance_of(found, Selection(app, cgroup, bubble))
        advice = advise_on(found, balance)
    if as_json:
        show_json(advice_json(advice))
    else:
        show(advice_text(balance, advice), wide=True)

"""`wastenot provoke`: a real workload that hits a known corner case of the scheduler."""

from __future__ import annotations

import json
import sys
from typing import Any

import click
from wastenot._native import provoke as native
from wastenot.cli.errors import CommandError
from wastenot.cli.options import json_option, quiet_option
from wastenot.cli.output import show, show_json
from wastenot.cli.parameters import TEXT, Integer, argument, command, flag, option


@command()
@argument("name", type=TEXT, required=False, metavar="NAME", help="A workload of --list.")
@flag("--list", "listing", help="Show the workloads: what each does, and the verdict to expect.")
@option("--seed", type=Integer(0, 2**64 - 1), default=1, metavar="N", help="Seed of random choices.")
@option("--seconds", type=click.FLOAT, default=3.0, metavar="S", help="Start new work for so long.")
@option("--threads", type=Integer(min=0), metavar="N", help="Threads, or processes at once; default by workload.")
@json_option
@quiet_option
def provoke(
    name: str | None,
    listing: bool,
    seed: int,
    seconds: float,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run a small real workload that hits a known corner case; best under record, and on a machine at rest.

    wastenot record -- wastenot provoke barrier-sleep

    It needs no privileges, uses the CPUs that it is allowed to use, and leaves nothing behind. The same seed gives the
    same work; how the kernel spreads it differs from run to run, and so does the verdict: what to expect holds on two
    CPUs or more.
    """
    workloads: list[dict[str, Any]] = json.loads(native.workloads())
    if listing:
        _show_list(workloads, as_json=as_json)
        return
    if name is None:
        raise CommandError("provoke: name a workload; `wastenot provoke --list` shows them")
    done: dict[str, Any] = json.loads(native.run(name, seed, seconds, threads))
    done["expect"] = next(w["expect"] for w in workloads if w["name"] == name)
    if as_json:
        show_json(done)
    elif not quiet:
        sys.stdout.write(
            f"{name}: {done['work']:,} {done['unit']} by {done['threads']} in {done['took_s']:.2f} s, seed {seed}\n"
            f"expect: {done['expect']}\n"
        )


def _show_list(workloads: list[dict[str, Any]], *, as_json: bool) -> None:
    from rich.table import Table  # slow to import

    if as_json:
        show_json(workloads)
        return
    table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
    table.add_column("workload", no_wrap=True)
    table.add_column("what it does", ratio=2)
    table.add_column("verdict to expect", ratio=3)
    for w in workloads:
        table.add_row(w["name"], w["does"], w["expect"])
    show(table, wide=True)

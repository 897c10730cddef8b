"""`wastenot simulate`: a scheduler simulation as a trace like any other."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wastenot import replay
from wastenot.analyzer import CheckOptions
from wastenot.analyzer.errors import OutputExists
from wastenot.analyzer.store.building import make
from wastenot.analyzer.store.writing import BatchWriter
from wastenot.analyzer.text.units import counted
from wastenot.cli.commands.check import print_verdict
from wastenot.cli.errors import CommandError
from wastenot.cli.options import force_option, json_option, quiet_option
from wastenot.cli.output import note, opened, progress_lines, show, show_json
from wastenot.cli.parameters import PATH, TEXT, Integer, argument, command, flag, option

if TYPE_CHECKING:
    import duckdb
    from rich.table import Table


@command()
@argument(
    "scenario", type=TEXT, required=False, metavar="SCENARIO", help="A name of --list, a TOML file, or rt-app JSON."
)
@flag("--list", "listing", help="Show scenarios, faults and schedulers.")
@option("--output", "-o", type=PATH, metavar="T.duckdb", help="Trace to make (SCENARIO.duckdb).")
@option("--seed", type=Integer(min=0), default=1, metavar="N", help="Seed of all random choices.")
@option(
    "--topology",
    type=TEXT,
    metavar="X",
    help="Another machine: hwloc XML, machine JSON, or as in 2n8 (nodes, CPUs), 2n16s2, opteron.",
)
@option(
    "--fault",
    type=TEXT,
    multiple=True,
    metavar="F",
    help="Switch a fault on; `shipped`: those of the release. Repeatable.",
)
@option("--fixed", type=TEXT, multiple=True, metavar="F", help="Switch a fault off; `all`: every fault. Repeatable.")
@option("--scheduler", type=TEXT, metavar="S", help="Another scheduler than the kernel's.")
@option("--release", type=TEXT, metavar="R", help="Release of the kernel: 4.1 or 6.12.")
@option("--evidence-level", type=TEXT, metavar="L", help="Evidence level: L0 to L3.")
@json_option
@force_option
@quiet_option
def simulate(
    scenario: str | None,
    listing: bool,
    output: Path | None,
    seed: int,
    topology: str | None,
    fault: tuple[str, ...],
    fixed: tuple[str, ...],
    scheduler: str | None,
    release: str | None,
    evidence_level: str | None,
    as_json: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Simulate a workload under a model of the kernel's scheduler, check the trace and print the verdict.

    The same scenario, seed and options give the same trace. What a fault costs is the difference between two runs, one
    with --fault F (or a scenario that has it), one with --fixed F.
    """
    if listing:
        print_list(as_json=as_json)
        return
    if scenario is None:
        raise CommandError("simulate: name a SCENARIO; `wastenot simulate --list` shows them")
    found = replay.find(scenario)
    target = output or Path(f"{found.name}.duckdb")
    if target.exists() and not force:
        raise OutputExists(target)
    machine, snapshot = _topology(topology)
    settings = replay.Settings(
        seed, machine, snapshot, fault, fixed, scheduler, release, evidence_level,
        command=shlex.join(["wastenot", *sys.argv[1:]]),
    )  # fmt: skip
    ended: list[replay.SimulationOutcome] = []
    with progress_lines(quiet) as lines:
        checking, simulating = (None, None) if lines is None else (lines.checking, lines.simulating)

        def fill(con: duckdb.DuckDBPyConnection) -> None:
            with BatchWriter(con) as writer:
                ended.append(replay.simulate(found, settings, writer.emit, simulating))

        make(target, fill, CheckOptions(), checking)
    if not quiet:
        note(_summary(found, ended[0]))
        note(f"wrote {target} ({target.stat().st_size / 1e6:,.1f} MB)")
    if as_json or not quiet:
        with opened(target) as trace:
            verdict = trace.verdict()
        print_verdict(verdict, as_json=as_json, quiet=quiet)
    if found.expect and not (quiet or as_json):
        sys.stdout.write(f"expected: {found.expect}\n")


def print_list(*, as_json: bool) -> None:
    """Scenarios, faults and schedulers, a line each."""
    scenarios, faults, schedulers = replay.shipped(), replay.faults(), replay.schedulers()
    if as_json:
        show_json(
            {
                "scenarios": [
                    _as_json(s, "name", "about", "expect", "machine", "release", "faults") for s in scenarios
                ],
                "faults": [_as_json(f, "name", "does", "fix", "source", "counterfactual", "shipped") for f in faults],
                "schedulers": schedulers,
            }
        )
        return
    show(_table("scenario", [(s.name, s.about) for s in scenarios]), wide=True)
    show("")
    show(_table("fault", [(f.name, f.does) for f in faults]), wide=True)
    show("")
    show(_table("scheduler", list(schedulers.items())), wide=True)


def _as_json(thing: object, *fields: str) -> dict[str, Any]:
    return {field: getattr(thing, field) for field in fields}


def _table(kind: str, rows: list[tuple[str, str]]) -> Table:
    from rich.table import Table  # slow to import

    table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
    table.add_column(kind, no_wrap=True)
    table.add_column({"scenario": "shows", "fault": "what the kernel does", "scheduler": "what it is"}[kind])
    for row in rows:
        table.add_row(*row)
    return table


def _topology(text: str | None) -> tuple[str | None, str | None]:
    """A described machine, or the text of a file."""
    if text is None:
        return None, None
    path = Path(text)
    if path.suffix not in (".xml", ".json") and not path.is_file() and re.fullmatch(r"[\w-]+", text):
        return text, None
    try:
        return None, path.read_text(encoding="utf-8")
    except OSError as e:
        raise CommandError(f"--topology {text}: {e.strerror}") from None
    except UnicodeDecodeError:
        raise CommandError(f"--topology {text}: not a text") from None


def _summary(scenario: replay.Scenario, ended: replay.SimulationOutcome) -> str:
    under = f"faults {' '.join(ended.faults)}" if ended.faults else "no fault"
    if ended.scheduler != "kernel":
        under = f"scheduler {ended.scheduler}"
    end = "all threads ended" if ended.finished else "time limit"
    return (
        f"simulated {ended.end_ns / 1e9:.3f} s of {scenario.name} on {counted(ended.cpus, 'CPU')}, {under}: "
        f"{counted(ended.events, 'event')}; ended: {end}"
    )

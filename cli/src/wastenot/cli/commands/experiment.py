"""`wastenot experiment`: experiments of documents, simulated again, beside the documents' figures."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from wastenot import replay
from wastenot.analyzer import CheckOptions, open_trace
from wastenot.analyzer.store.building import make
from wastenot.analyzer.store.writing import BatchWriter
from wastenot.cli.errors import CommandError
from wastenot.cli.options import force_option, json_option, quiet_option
from wastenot.cli.output import note, show, show_json
from wastenot.cli.parameters import PATH, TEXT, argument, command, flag, option
from wastenot.replay.experiments import EXPERIMENTS, Experiment, Row, Run, RunResult

if TYPE_CHECKING:
    import duckdb
    from rich.table import Table


@command()
@argument("name", type=TEXT, required=False, metavar="NAME", help=f"One of {', '.join(EXPERIMENTS)}.")
@flag("--list", "listing", help="Show the experiments.")
@option("--check/--no-check", "checked", default=True, help="Check each run for wasted cores.")
@option(
    "--keep",
    type=PATH,
    metavar="DIR",
    help="Keep each run there: its scenario (TOML) and its trace, to be replayed.",
)
@json_option
@force_option
@quiet_option
def experiment(
    name: str | None,
    listing: bool,
    checked: bool,
    keep: Path | None,
    as_json: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Simulate an experiment of a document and print its figures beside the document's.

    A constant was chosen to meet the rows marked `calibrated`; those marked `predicted` follow from the constants,
    which are listed below the table. `wasted` is the share of all core-time that the checker finds wasted in the row's
    run with seed 1.
    """
    if listing:
        for found in EXPERIMENTS.values():
            show(f"{found.name:19} {found.about} ({found.source})", wide=True)
        return
    if name is None or name not in EXPERIMENTS:
        why = "name an experiment" if name is None else f"{name!r} is not an experiment"
        raise CommandError(f"experiment: {why}; one of {' '.join(EXPERIMENTS)}")
    if keep is not None and keep.exists() and not keep.is_dir():
        raise CommandError(f"--keep {keep}: not a folder")
    found = EXPERIMENTS[name]
    rows = []
    with contextlib.ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wastenot-experiment-")))
        folder.mkdir(parents=True, exist_ok=True)
        runner = Runner(folder, checked, keep is not None, force)
        for row in found.rows(runner.measure):
            rows.append(row)
            if not (quiet or as_json):
                note(f"{row.name}, {row.scheduler}: {row.ours}")
    if as_json:
        constants = [dataclasses.asdict(constant) for constant in found.constants]
        show_json(
            {
                "experiment": name,
                "figure": found.figure,
                "source": found.source,
                "constants": constants,
                "rows": [_json(r) for r in rows],
            }
        )
    elif not quiet:
        show(f"{found.about}: {found.figure}", wide=True)
        show(table(found, rows), wide=True)
        show(constants_table(found), wide=True)


@dataclasses.dataclass(frozen=True)
class Runner:
    """Runs scenarios; `checked`: with the checker's verdict; `kept`: traces stay in `folder`, with the scenarios."""

    folder: Path
    checked: bool
    kept: bool
    force: bool

    def measure(self, run: Run) -> RunResult:
        """How a run ended, and what it wasted."""
        scenario = replay.parse(run.text, run.name)
        settings = replay.Settings(seed=run.seed, scheduler=run.scheduler, command=f"wastenot experiment ({run.name})")
        if not (self.kept or (self.checked and run.checked)):
            return RunResult(_finished(replay.simulate(scenario, settings), run), None)
        target = self.folder / f"{run.name}.duckdb"
        if self.kept and target.exists() and not self.force:
            raise CommandError(f"{target} exists; --force replaces it")
        ended: list[replay.SimulationOutcome] = []

        def fill(con: duckdb.DuckDBPyConnection) -> None:
            with BatchWriter(con) as writer:
                ended.append(replay.simulate(scenario, settings, writer.emit))

        make(target, fill, CheckOptions())
        with open_trace(target) as trace:
            wasted = float(trace.verdict().to_json()["wasted"]["share"])
        if self.kept:
            text = run.text.replace("[workload]", f'# wastenot simulate {run.name}.toml --scheduler {run.scheduler} '
                                    f"--seed {run.seed}\n[workload]", 1)  # fmt: skip
            (self.folder / f"{run.name}.toml").write_text(text, encoding="utf-8")
        else:
            target.unlink()
        return RunResult(_finished(ended[0], run), wasted)


def _finished(ended: replay.SimulationOutcome, run: Run) -> replay.SimulationOutcome:
    timed = all(thread["ended_ns"] is None for thread in ended.threads)
    if not (ended.finished or timed):
        raise CommandError(f"{run.name}: reached its limit before all threads ended")
    return ended


def table(found: Experiment, rows: list[Row]) -> Table:
    """The rows as a table."""
    from rich.table import Table  # slow to import

    out = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("row", "scheduler"):
        out.add_column(column, no_wrap=True)
    # The source is long: it is wrapped to the width of what is below it.
    out.add_column(found.source, justify="right", min_width=min(40, max((len(row.paper) for row in rows), default=0)))
    for column in ("simulated", "wasted"):
        out.add_column(column, justify="right", no_wrap=True)
    out.add_column("", no_wrap=True)
    for row in rows:
        wasted = "" if row.wasted is None else f"{100 * row.wasted:.1f} %"
        out.add_row(row.name, row.scheduler, row.paper, row.ours, wasted, row.basis)
    return out


def constants_table(found: Experiment) -> Table:
    """The constants that decide the figures."""
    from rich.table import Table  # slow to import

    out = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("constant", "value", "from"):
        out.add_column(column)
    for constant in found.constants:
        out.add_row(constant.what, constant.value, constant.source)
    return out


def _json(row: Row) -> dict[str, object]:
    return {
        "name": row.name, "scheduler": row.scheduler, "document": row.paper, "simulated": row.ours, "basis": row.basis,
        "wasted_share": row.wasted, "scenario": row.run and row.run.text, "seed": row.run and row.run.seed,
    }  # fmt: skip

"""Experiments of documents, simulated: the tables of docs/experiments.md.

    python -m bench.experiments [NAME...]           prints them
    python -m bench.experiments --write [NAME...]   and writes them to results/experiments.md and docs/experiments.md
    python -m bench.experiments --check [NAME...]   and fails when one of these files has other figures

No root is needed. The rows are those that `wastenot experiment NAME` prints; they do not depend on the machine.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from pathlib import Path

from wastenot.cli.commands.experiment import Runner
from wastenot.replay.experiments import EXPERIMENTS, Experiment, Row
from wastenot.replay.experiments.hpc import case as hpc_case

from bench.pages import END, differences, fill_blocks, mark

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "bench/results/experiments.md"
PAGE = ROOT / "docs/experiments.md"
HEAD = """# Experiments of documents, simulated

What `python -m bench.experiments --write` wrote last: the rows of `wastenot experiment NAME` for every experiment, and
the constants that decide them. `make figures` runs them all again and fails when a figure here or in
`docs/experiments.md` is another. The figures are of simulations and do not depend on the machine.
"""


WASTE = "waste"
"""Name of the block that says what each scheduler wasted in the experiments."""

EFFICIENCIES = "efficiencies"
"""Name of the block with the efficiencies of the tables of these experiments."""
OF_EFFICIENCIES = {
    "hpc-metbench-static": "3.1", "hpc-bt-mz-static": "3.2", "hpc-siesta-static": "3.3", "hpc-metbench-var": "4.2",
    "hpc-siesta": "4.4",
}  # fmt: skip


def title(name: str) -> str:
    """The heading of a block of results."""
    if name == EFFICIENCIES:
        return "Load balance, communication efficiency and parallel efficiency of the thesis's tables"
    if name == WASTE:
        return "What each scheduler wasted, over the rows of all experiments"
    found = EXPERIMENTS[name]
    return f"wastenot experiment {name}: {found.about}; {found.figure}"


def measure_rows(experiment: Experiment) -> list[Row]:
    """The rows of an experiment, with the checker's verdict."""
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        return list(experiment.rows(Runner(Path(folder), True, False, False).measure))


def block(experiment: Experiment, rows: Iterable[Row]) -> str:
    """An experiment's rows and constants in Markdown."""
    lines = [
        f"| row | scheduler | {experiment.source} | simulated | wasted | |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for row in rows:
        wasted = "" if row.wasted is None else f"{100 * row.wasted:.1f} %"
        lines.append(f"| {row.name} | `{row.scheduler}` | {row.paper} | {row.ours} | {wasted} | {row.basis} |")
    lines += ["", "| constant | value | from |", "| --- | ---: | --- |"]
    lines += [f"| {constant.what} | {constant.value} | {constant.source} |" for constant in experiment.constants]
    return "\n".join(lines) + "\n"


def waste(bodies: dict[str, str]) -> str:
    """By scheduler: how many rows of the experiments have a verdict, and the least and the most that was wasted."""
    shares: dict[str, list[tuple[float, str]]] = {}
    for name, body in bodies.items():
        for line in body.partition("\n\n")[0].splitlines()[2:]:
            row, scheduler, _, _, wasted, _ = (cell.strip() for cell in line.strip("|").split("|"))
            if wasted:
                shares.setdefault(scheduler.replace(" over rr", ""), []).append(
                    (float(wasted.removesuffix("%")), f"{name}: {row}")
                )
    lines = ["| scheduler | rows | least wasted | most wasted | in |", "| --- | ---: | ---: | ---: | --- |"]
    for scheduler, found in shares.items():
        most, where = max(found, key=lambda share: share[0])
        lines.append(f"| {scheduler} | {len(found)} | {min(found)[0]:.1f} % | {most:.1f} % | {where if most else ''} |")
    return "\n".join(lines) + "\n"


def efficiencies(bodies: dict[str, str]) -> str:
    """By table of the thesis: its efficiencies, and how far those of the rows of its experiment are off."""
    lines = [
        "| table | LB, CommE, PE | off by | where waiting keeps the priority | fitted to the row |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, table in OF_EFFICIENCIES.items():
        found: dict[str, tuple[str, dict[str, str]]] = {}
        for line in bodies[name].partition("\n\n")[0].splitlines()[2:]:
            row, _, theirs, ours, _, basis = (cell.strip() for cell in line.strip("|").split("|"))
            case, colon, what = row.rpartition(": ")
            if not colon or what != "LB, CommE, PE":
                continue
            given, comma, variant = case.partition(", ")
            off = ours.partition("(within ")[2].removesuffix(")")
            of_case = found.setdefault(given.split()[0], (theirs, {}))[1]
            if comma and variant not in (hpc_case.KEPT, hpc_case.FITTED):
                continue
            of_case[variant] = off if variant else f"{off}, {basis}"
        for given, (theirs, off_by) in found.items():
            cells = [off_by.get(variant, "") for variant in ("", hpc_case.KEPT, hpc_case.FITTED)]
            lines.append(f"| {table} {given} | {theirs} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def results(bodies: dict[str, str], old: str) -> str:
    """The file of results with these blocks, which it gets where it has none."""
    text = old if old.startswith(HEAD) else HEAD
    for name in bodies:
        if mark(name) not in text:
            text += f"\n## {title(name)}\n\n{mark(name)}\n{END}\n"
    return fill_blocks(text, bodies)


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", metavar="NAME", help=f"one of {', '.join(EXPERIMENTS)}; default: all")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="write the files")
    mode.add_argument("--check", action="store_true", help="compare with the files")
    options = parser.parse_args()
    unknown = [name for name in options.name if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"not an experiment: {' '.join(unknown)}; one of {' '.join(EXPERIMENTS)}")
    bodies: dict[str, str] = {}
    for name in options.name or EXPERIMENTS:
        bodies[name] = block(EXPERIMENTS[name], measure_rows(EXPERIMENTS[name]))
        print(f"## {title(name)}\n\n{bodies[name]}", flush=True)
    if not options.name:
        bodies[WASTE] = waste(bodies)
        print(f"## {title(WASTE)}\n\n{bodies[WASTE]}", flush=True)
    if bodies.keys() >= OF_EFFICIENCIES.keys():
        bodies[EFFICIENCIES] = efficiencies(bodies)
        print(f"## {title(EFFICIENCIES)}\n\n{bodies[EFFICIENCIES]}", flush=True)
    if options.write:
        KEPT.write_text(results(bodies, KEPT.read_text() if KEPT.exists() else ""))
        PAGE.write_text(fill_blocks(PAGE.read_text(), bodies))
    if not options.check:
        return 0
    wrong = [
        line for path in (KEPT, PAGE) for line in differences(path.read_text(), bodies, str(path.relative_to(ROOT)))
    ]
    print("\n".join(wrong) or "the files have the figures that were printed")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())

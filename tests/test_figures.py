"""README.md, docs/experiments.md, docs/simulation.md and the guide have the figures that the commands print.

The figures of every experiment are simulated here. What the checker says of the runs, and the long tables of the
simulator, are compared by `make figures`.
"""

from __future__ import annotations

import re
from typing import get_args

import pytest
from wastenot import replay
from wastenot.replay.experiments import EXPERIMENTS, Run, RunResult
from wastenot.replay.experiments.model import Basis

from bench import demo, experiments, simulation, speed
from bench.pages import END, PageError, blocks, differences, fill_blocks, mark, unsupported_figures
from bench.parallel import __main__ as parallel

EXPERIMENTS_PAGE = experiments.PAGE.read_text()
SIMULATION_PAGE = simulation.PAGE.read_text()
KEPT = experiments.KEPT.read_text()


def simulated(run: Run) -> RunResult:
    settings = replay.Settings(seed=run.seed, scheduler=run.scheduler)
    return RunResult(replay.simulate(replay.parse(run.text, run.name), settings), None)


def without_waste(table: str) -> str:
    """The rows of an experiment without the checker's verdict, and the constants."""
    return re.sub(rf"\| \d+\.\d % (?=\| ({'|'.join(get_args(Basis))}) \|$)", "|  ", table, flags=re.M)


def test_the_page_shows_every_experiment_as_it_was_kept() -> None:
    assert set(blocks(KEPT)) == {*EXPERIMENTS, experiments.WASTE, experiments.EFFICIENCIES}
    assert differences(EXPERIMENTS_PAGE, blocks(KEPT), "docs/experiments.md") == []


def test_what_schedulers_wasted_and_the_efficiencies_follow_from_the_rows() -> None:
    """After a change: `python -m bench.experiments --write`."""
    rows = {name: table for name, table in blocks(KEPT).items() if name in EXPERIMENTS}
    assert blocks(KEPT)[experiments.WASTE] == experiments.waste(rows)
    assert blocks(KEPT)[experiments.EFFICIENCIES] == experiments.efficiencies(rows)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_gives_the_figures_of_its_page(name: str) -> None:
    printed = experiments.block(EXPERIMENTS[name], EXPERIMENTS[name].rows(simulated))
    assert without_waste(blocks(EXPERIMENTS_PAGE)[name]) == printed


@pytest.mark.parametrize("page", [EXPERIMENTS_PAGE, SIMULATION_PAGE], ids=["experiments", "simulation"])
def test_every_figure_in_the_prose_is_in_a_table_of_its_section(page: str) -> None:
    assert unsupported_figures(page) == []


def test_the_simulator_page_has_all_tables() -> None:
    assert set(blocks(SIMULATION_PAGE)) == set(simulation.PARTS)


@pytest.mark.parametrize("part", ["programs", "captures"])
def test_the_simulator_gives_the_figures_of_its_page(part: str) -> None:
    printed = simulation.bodies(simulation.sections(quick=False, names=[part]))
    assert simulation.mismatches(SIMULATION_PAGE, printed) == []


@pytest.mark.parametrize("row", simulation.PAPER, ids=lambda row: row.name)
def test_a_row_of_the_paper_has_the_ratio_of_its_page(row: simulation.Row) -> None:
    shown = {
        line.split(" | ")[0].strip("| "): line.split(" | ") for line in blocks(SIMULATION_PAGE)["choices"].splitlines()
    }
    assert shown[row.name][2] == f"{row.ratio():.2f}"


README = demo.README.read_text()
COMMANDS = {
    README: {demo.DEMO: "python -m bench.demo --write", speed.SPEED: "python -m bench.speed --write"},
    demo.GUIDE.read_text(): {demo.VERDICT: "python -m bench.demo --write"},
    parallel.GUIDE.read_text(): {
        **{name: f"python -m bench.parallel {name}" for name in parallel.PARTS},
        **{name: f"wastenot {name} T.duckdb" for name in demo.BALANCE_COMMANDS},
    },
    EXPERIMENTS_PAGE: {
        **{name: f"wastenot experiment {name}" for name in EXPERIMENTS},
        experiments.WASTE: "python -m bench.experiments",
        experiments.EFFICIENCIES: f"python -m bench.experiments {' '.join(experiments.OF_EFFICIENCIES)}",
    },
    SIMULATION_PAGE: {name: f"python -m bench.simulation {name}" for name in simulation.PARTS},
}
"""By page and block, the command that prints the block."""


def test_the_command_of_every_block_stands_before_it() -> None:
    for page, commands in COMMANDS.items():
        assert set(blocks(page)) == set(commands)
        for name, command in commands.items():
            before = page.split(mark(name))[0].strip().splitlines()[-1]
            assert command in before, name


def test_the_shipped_recording_has_the_verdict_that_the_readme_and_the_guide_show() -> None:
    """After a change of the verdict's text: `python -m bench.demo --write`."""
    for page, bodies in demo.page_blocks().items():
        assert differences(page.read_text(), bodies, page.name) == []


def test_the_readme_has_the_speeds_that_were_kept() -> None:
    """After measuring anew: `python -m bench.speed --write`."""
    assert differences(README, {speed.SPEED: speed.block(speed.KEPT.read_text())}, "README.md") == []


def test_the_demo_shows_that_recording_and_it_has_a_reason_for_each_question() -> None:
    assert str(demo.SHIPPED.relative_to(demo.ROOT)) in (demo.ROOT / "scripts/demo").read_text()
    reason = " ".join(blocks(README)[demo.DEMO].split("\n\n")[1].split())
    why = r"not moved .*\(proved, for \d+\.\d % of it\).*"
    sentence = (
        rf"Main reason, [^:]*: queued .*\((proved|consistent)\); {why}; ended .*\(proved\)\. .* would have prevented .*"
    )
    assert re.fullmatch(sentence, reason), reason


def test_every_figure_about_the_demo_is_in_its_output() -> None:
    about = README[README.index(mark(demo.DEMO)) : README.index("In the browser (")]
    assert unsupported_figures(about) == []


def test_a_changed_figure_is_found_in_a_table_and_in_the_prose() -> None:
    page = "## A\n\n<!-- generated: a -->\n| x | 1.25 |\n<!-- end of generated -->\n\nIt is 1.25, or 30 %.\n"
    assert unsupported_figures(page) == ["30: It is 1.25, or 30 %."]
    assert differences(page, {"a": "| x | 1.26 |"}, "page")[-1] == "+| x | 1.26 |"
    assert "| x | 1.26 |" in fill_blocks(page, {"a": "| x | 1.26 |"})
    with pytest.raises(PageError, match="no block b"):
        fill_blocks(page, {"b": ""})


def test_rates_are_not_compared_but_rows_are() -> None:
    def table(rows: int, rate: float) -> str:
        return f"| scenario | rows | M rows/s |\n| --- | --- | --- |\n| a | {rows} | {rate} |"

    page = f"{mark('speed')}\n{table(10, 2.5)}\n{END}\n"
    assert simulation.mismatches(page, {"speed": table(10, 9.9)}) == []
    assert simulation.mismatches(page, {"speed": table(11, 2.5)})

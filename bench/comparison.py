"""How well `wastenot compare` finds a change, and how often it finds one where there is none.

    python -m bench.comparison simulated drawn [--repetitions 1000] [--keep]
    python -m bench.comparison recorded [--runs 20] [--seconds 3] [--repetitions 1000] [--keep]

`recorded` (as root): workloads of `provoke`, recorded in turns, so that a slow minute hits all of them. `simulated`:
scenarios of `simulate`, a seed per run. `drawn`: runs whose waste is drawn from a normal or log-normal distribution
with as much noise as the table says, beside a hundred other metrics that vary independently. Of the first two a table
says how much runs differ. Then comparisons of 10 and 10 runs are repeated, of runs drawn from these, whole runs with
all their metrics (with replacement). Each is compared once as drawn, where every finding is a false alarm, and again
with 1 % of the machine more wasted in the runs of the new side, and with 1 % more of their own waste. `--keep` writes
results/comparison.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from wastenot.analyzer.comparison.comparison import MetricDifference, compare_runs
from wastenot.analyzer.comparison.conditions import parse_conditions
from wastenot.analyzer.comparison.runs import Run, RunFacts, read_run

from bench.captures import WASTENOT
from bench.recorders import BenchError
from bench.report import Section, keep, provenance

WORKLOADS = ("database", "barrier-sleep", "make", "pipeline", "fork-storm", "busy")
SCENARIOS = ("make-beside-r", "database-wakeups", "fault-overload-on-wakeup")
SIDE = 10
"""Runs on each side."""
RESAMPLES = 999
NOISES = (0.03, 0.3, 0.6, 1.0, 2.0)
"""Standard deviations of the waste, in points of the machine."""
MEAN = 0.05
"""Waste of the drawn runs, as a share of the machine."""
ONE_PERCENT = 0.01
GATES = ("wasted>+1%", "wasted>+0.5%")
"""Conditions of a gate, of the 1 % of the machine that was injected; each with p < 0.05, as the rank test has it."""

Draw = Callable[[np.random.Generator, int], list[Run]]
"""So many runs of one side."""


def record_pools(workloads: Sequence[str], runs: int, seconds: float, folder: Path) -> dict[str, list[Run]]:
    """The figures of runs of each workload, recorded in turns; the first of each is not counted."""
    pools: dict[str, list[Run]] = {name: [] for name in workloads}
    for turn in range(runs + 1):
        for name in workloads:
            trace = folder / f"{name}-{turn}.duckdb"
            workload = [WASTENOT, "provoke", name, "--seconds", str(seconds), "--seed", "1", "-q"]
            command = [WASTENOT, "record", "-q", "-o", str(trace), "--", *workload]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise BenchError(f"{' '.join(command)}: {done.stderr.strip()}")
            if turn:
                pools[name].append(read_run(trace))
            trace.unlink()
        sys.stderr.write(f"turn {turn} of {runs}\n")
    return pools


def simulate_pools(runs: int, folder: Path) -> dict[str, list[Run]]:
    """The figures of simulations of each scenario, a seed each."""
    pools: dict[str, list[Run]] = {}
    for name in SCENARIOS:
        pool = pools[name] = []
        for seed in range(1, runs + 1):
            trace = folder / f"{name}-{seed}.duckdb"
            subprocess.run([WASTENOT, "simulate", name, "--seed", str(seed), "-q", "-o", str(trace)], check=True)
            pool.append(read_run(trace))
            trace.unlink()
    return pools


def noise_section(title: str, how: str, pools: dict[str, list[Run]]) -> Section:
    """How much runs of the same work differ."""
    section = Section(
        f"Noise between {title} runs",
        f"{how} The spread is the standard deviation between runs. Busy: the mean share of the CPUs that ran a thread, "
        "whichever program's.",
        ["workload", "runs", "wasted, %", "spread, points", "spread, % of it", "lowest and highest, %",
         "busy, %", "busy, spread, points", "switches, spread, %", "duration, spread, %", "lost events"],
    )  # fmt: skip
    for name, pool in pools.items():
        wasted, busy = _shares(pool, "wasted"), _shares(pool, "busy")
        switches = np.array([r.sums.get("switches", 0) / r.window_ns for r in pool])
        lengths = np.array([r.window_ns for r in pool], float)
        section.add(
            name, len(pool), f"{100 * wasted.mean():.2f}", f"{100 * wasted.std(ddof=1):.3f}",
            _relative(wasted), f"{100 * wasted.min():.2f} … {100 * wasted.max():.2f}", f"{100 * busy.mean():.1f}",
            f"{100 * busy.std(ddof=1):.2f}",
            _relative(switches), _relative(lengths), sum(r.facts.lost_events for r in pool),
        )  # fmt: skip
    return section


def _shares(pool: Sequence[Run], key: str) -> np.ndarray:
    return np.array([r.sums.get(key, 0) / r.online_ns for r in pool])


def _relative(values: np.ndarray) -> str:
    return f"{100 * values.std(ddof=1) / values.mean():.1f}" if values.mean() else "–"


@dataclass
class Counts:
    """Repetitions in which something held."""

    found_points: int = 0
    found_of_it: int = 0
    false_wasted: int = 0
    false_others: int = 0
    holds: int = 0
    gates: list[int] = field(default_factory=lambda: [0] * len(GATES))
    """Gates of `GATES` that fail, of 1 % of the machine more."""

    def repeat(self, draw: Draw, repetitions: int, seed: int) -> None:
        """Compare two drawn sides so many times, with nothing injected and with 1 % of either kind."""
        drawn = np.random.default_rng(seed)
        conditions, _ = parse_conditions(GATES)
        for _ in range(repetitions):
            base, new = draw(drawn, SIDE), draw(drawn, SIDE)
            same = compare_runs(base, new, resamples=2)
            self.false_wasted += same.primary.is_finding
            self.false_others += bool(same.findings)
            low, high = _of_wasted(base, new, RESAMPLES).interval or (0.0, 0.0)
            self.holds += low <= 0 <= high
            points = _of_wasted(base, [_with_points(run) for run in new], 2)
            self.found_points += _is_more(points)
            self.gates = [
                n + (_is_more(points) and c.holds(points)) for n, c in zip(self.gates, conditions, strict=True)
            ]
            self.found_of_it += _is_more(_of_wasted(base, [_with_share_of_it(run) for run in new], 2))


def _is_more(found: MetricDifference) -> bool:
    return found.is_finding and found.difference > 0


def _of_wasted(base: list[Run], new: list[Run], resamples: int) -> MetricDifference:
    return compare_runs([_only_wasted(r) for r in base], [_only_wasted(r) for r in new], resamples=resamples).primary


def _only_wasted(run: Run) -> Run:
    return replace(run, sums={"wasted": run.sums.get("wasted", 0)})


def _with_points(run: Run) -> Run:
    return replace(run, sums=run.sums | {"wasted": run.sums.get("wasted", 0) + round(ONE_PERCENT * run.online_ns)})


def _with_share_of_it(run: Run) -> Run:
    return replace(run, sums=run.sums | {"wasted": round(run.sums.get("wasted", 0) * (1 + ONE_PERCENT))})


def of_pool(pool: Sequence[Run]) -> Draw:
    """Recorded runs, drawn with replacement."""
    return lambda drawn, runs: [pool[i] for i in drawn.integers(len(pool), size=runs)]


def of_distribution(points: float, is_skewed: bool) -> Draw:
    """Drawn runs whose waste spreads by so many points, beside a hundred metrics that have nothing to do with it."""
    facts = RunFacts(
        name="drawn", source="drawn", kernel="drawn", model=None, shape={"cpus": 8}, evidence={}, complete=True,
        end_reason="duration", lost_events=0, unobserved_share=0.0, lower_bound=False, suspect=[], unverified=[],
        thresholds_ns={}, checker="",
    )  # fmt: skip
    window, cpus, share = 10**10, 8, points / 100

    def draw(drawn: np.random.Generator, runs: int) -> list[Run]:
        if is_skewed:
            sigma = np.sqrt(np.log(1 + (share / MEAN) ** 2))
            wasted = drawn.lognormal(np.log(MEAN) - sigma**2 / 2, sigma, runs)
        else:
            wasted = np.abs(drawn.normal(MEAN, share, runs))
        others = drawn.lognormal(20, 0.2, (runs, 100)).round().astype(int).tolist()
        keys = [f"thread.t{i // 5}-.{what}" for i in range(100) for what in (_WHATS[i % 5],)]
        return [
            Run(facts, window, cpus * window, {"wasted": round(w * cpus * window)} | dict(zip(keys, row, strict=True)))
            for w, row in zip(wasted.tolist(), others, strict=True)
        ]

    return draw


_WHATS = ("run", "wait", "avoidable_wait", "switches", "migrations")


def power_section(title: str, sources: Sequence[tuple[str, float, Draw]], repetitions: int) -> Section:
    """Power and false alarms by where the noise comes from."""
    section = Section(
        f"Power and false alarms, {title} runs",
        f"Of {repetitions:,} repeated comparisons of {SIDE} + {SIDE} runs, the share in which `wasted` is found to "
        "have risen, and those in which something is found though nothing was changed. 1 % of the machine: `wasted` "
        "grows by one point; 1 % of it: by a hundredth of itself. Gate: the share in which a condition of `--fail-on`, "
        "with p<0.05, holds of 1 % of the machine more. Others: any metric but `wasted`, adjusted by "
        "Benjamini-Hochberg. Interval: those of `wasted` that hold the true difference, of 95 %.",
        [
            "noise of",
            "spread, points",
            "found: 1 % of the machine, %",
            "found: 1 % of it, %",
            *(f"gate `{gate}`, %" for gate in GATES),
            "false alarms: wasted, %",
            "false alarms: others, %",
            "interval holds the truth, %",
        ],
    )
    for seed, (name, spread, draw) in enumerate(sources):
        counts = Counts()
        counts.repeat(draw, repetitions, seed)
        shares = [
            f"{100 * n / repetitions:.1f}"
            for n in (
                counts.found_points,
                counts.found_of_it,
                *counts.gates,
                counts.false_wasted,
                counts.false_others,
                counts.holds,
            )
        ]
        section.add(name, f"{spread:.3f}", *shares)
        sys.stderr.write(f"{section.rows[-1]}\n")
    return section


def drawn_sources() -> list[tuple[str, float, Draw]]:
    """Name, spread in points, and how to draw a side."""
    return [
        (f"drawn, {name}", noise, of_distribution(noise, is_skewed))
        for noise in NOISES
        for name, is_skewed in (("normal", False), ("log-normal", True))
    ]


def pool_sources(pools: dict[str, list[Run]]) -> list[tuple[str, float, Draw]]:
    """The same of runs that were recorded or simulated."""
    return [(name, 100 * float(_shares(pool, "wasted").std(ddof=1)), of_pool(pool)) for name, pool in pools.items()]


def measured(kind: str, runs: int, seconds: float, repetitions: int) -> list[Section]:
    """The sections about one kind of runs."""
    if kind == "drawn":
        return [power_section(kind, drawn_sources(), repetitions)]
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        if kind == "recorded":
            how = f"`wastenot record -- wastenot provoke WORKLOAD --seconds {seconds:g}`, in turns."
            pools = record_pools(WORKLOADS, runs, seconds, Path(folder))
        else:
            how = "`wastenot simulate SCENARIO --seed N`."
            pools = simulate_pools(runs, Path(folder))
    return [noise_section(kind, how, pools), power_section(kind, pool_sources(pools), repetitions)]


def main() -> int:
    """Measure and print; see the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="+", choices=["recorded", "simulated", "drawn"])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    command = " ".join(["python -m bench.comparison", *sys.argv[1:]])
    for kind in given.kinds:
        sections = measured(kind, given.runs, given.seconds, given.repetitions)
        for section in sections:
            print(section.markdown(provenance(command)))
        if given.keep:
            print(f"kept in {keep(sections, command, 'comparison.md')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

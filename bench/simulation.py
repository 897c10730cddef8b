"""The simulator beside what was measured: the tables of the EuroSys 2016 paper, and real captures simulated again.

    python -m bench.simulation [PART...]            prints the sections, or some of them
    python -m bench.simulation --write [PART...]    and writes their tables to docs/simulation.md
    python -m bench.simulation --check [PART...]    and fails when that page has other figures

No root is needed. Everything runs under one set of constants (`replay/rust/costs.rs`), each of which is then halved and
doubled. `docs/simulation.md` says what was chosen after seeing results.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import statistics
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from wastenot import replay
from wastenot.analyzer import CheckOptions, ImportOptions, import_source, open_trace
from wastenot.analyzer.store.building import make
from wastenot.analyzer.store.writing import BatchWriter

from bench.pages import END, blocks, differences, fill_blocks, mark
from bench.report import Section

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/simulation.md"
FACTORS = ((1, 2), (2, 1))
SEEDS = range(1, 6)
WORKLOAD = {
    "steps of the workload": r"run = \{ uniform = \[[^]]*\]",
    "spinning before sleep": r"spin_then_sleep = \S+",
}
"""What is assumed of the programs rather than of the machine, and where it stands in a scenario."""


@dataclass(frozen=True)
class Variation:
    """Other choices for a row: a machine, more faults that stay on, a part of the scenario's text replaced."""

    row: str
    choice: str
    machine: str | None = None
    faults: tuple[str, ...] = ()
    pattern: str = ""
    replacement: str = ""


@dataclass(frozen=True)
class Row:
    """A row of the paper: a scenario, the fault that is fixed, the threads that are timed, and the paper's figure.

    The figure is the time with the fault over the time without it.
    """

    name: str
    scenario: str
    fault: str
    timed: str
    paper: float
    published: str
    also_fixed: tuple[str, ...] = ()

    def seconds(
        self,
        fixed: bool,
        seed: int = 1,
        scale: dict[str, tuple[int, int]] | None = None,
        other: Variation | None = None,
    ) -> float:
        """Time until the timed threads had ended; under other choices where they are given."""
        off = (*self.also_fixed, self.fault) if fixed else self.also_fixed
        constants = {name: factor for name, factor in (scale or {}).items() if name not in WORKLOAD}
        other = other or Variation("", "")
        settings = replay.Settings(seed=seed, fixed=off, fault=other.faults, machine=other.machine, scale=constants)
        scenario = replay.find(self.scenario)
        for name in set(scale or {}) & set(WORKLOAD):
            scenario = _scale_times(scenario, name, (scale or {})[name])
        if other.pattern:
            text, replaced = re.subn(other.pattern, other.replacement, scenario.text)
            assert replaced == 1, f"{self.scenario} has {replaced} times {other.pattern}"
            scenario = dataclasses.replace(scenario, text=text)
        ended = replay.simulate(scenario, settings).ended_ns(self.timed)
        assert ended is not None, f"{self.scenario}: {self.timed} did not end"
        return ended / 1e9

    def ratio(self, seed: int = 1, scale: dict[str, tuple[int, int]] | None = None) -> float:
        """Time with the fault over time without."""
        return self.seconds(False, seed, scale) / self.seconds(True, seed, scale)


def choices() -> Section:
    """The same rows with other faults on beside the one that is fixed."""
    names = [fault.name for fault in replay.faults()]
    four = ("group-imbalance", "group-construction", "overload-on-wakeup", "missing-domains")
    shipped = tuple(fault.name for fault in replay.faults() if "4.1" in fault.shipped)
    table = Section(
        "The rows with other faults beside",
        "Ratios as above (seed 1) with the scenario's own choice of faults that stay on in both runs, with none, with "
        "the other three of the paper, and with all that the model of 4.1 has.",
        ["fault: program", "paper's ratio", "the scenario's", "none", "the paper's", "all of 4.1"],
    )

    def ratio(row: Row, beside: tuple[str, ...]) -> float:
        times = []
        for on in ({*beside, row.fault}, {*beside} - {row.fault}):
            settings = replay.Settings(fault=tuple(sorted(on)), fixed=tuple(n for n in names if n not in on))
            ended = replay.simulate(replay.find(row.scenario), settings).ended_ns(row.timed)
            assert ended, f"{row.scenario}: {row.timed} did not end"
            times.append(ended)
        return times[0] / times[1]

    for row in PAPER:
        others = [ratio(row, beside) for beside in ((), four, shipped)]
        table.add(row.name, f"{row.paper:.2f}", *(f"{r:.2f}" for r in (row.ratio(), *others)))
    return table


def _scale_times(scenario: replay.Scenario, name: str, factor: tuple[int, int]) -> replay.Scenario:
    """A scenario of a barrier code with its steps or its spinning longer or shorter; others as they are."""

    def longer(time: re.Match[str]) -> str:
        ns = int(time[1]) * {"us": 1_000, "ms": 1_000_000}[time[2]]
        return f'"{ns * factor[0] // factor[1]}ns"'

    def stretch(found: re.Match[str]) -> str:
        return re.sub(r'"(\d+)(us|ms)"', longer, found[0])

    if "barrier" not in scenario.text:
        return scenario
    return dataclasses.replace(scenario, text=re.sub(WORKLOAD[name], stretch, scenario.text))


def _nas(scenario: str, fault: str, figures: Iterable[tuple[str, float, str]]) -> list[Row]:
    return [
        Row(f"{fault}: {app.upper()}", f"{scenario}-{app}", fault, app, r, published) for app, r, published in figures
    ]


PAPER = [
    Row("group-imbalance: make", "make-beside-r", "group-imbalance", "make", 1 / 0.87, "13 % less time"),
    Row("group-imbalance: R", "make-beside-r", "group-imbalance", "r", 1.0, "unchanged"),
    *_nas("nodes", "group-construction", [("bt", 1.75, "99→56 s"), ("cg", 2.73, "42→15 s"), ("ep", 2.0, "73→36 s"),
                                          ("lu", 27.0, "1040→38 s")]),
    *_nas("hotplug", "missing-domains", [("bt", 5.2, "122→23 s"), ("cg", 25.0, "134→5.4 s"), ("ep", 4.0, "72→18 s"),
                                         ("lu", 137.0, "2196→16 s")]),
    Row("overload-on-wakeup", "database-wakeups", "overload-on-wakeup", "worker", 1 / 0.88, "12 to 23 % less time"),
]  # fmt: skip


REJECTED_CHOICES = [
    Variation("overload-on-wakeup", "group-imbalance on as well", faults=("group-imbalance",)),
    Variation("group-imbalance: make", "cores taken as pairs of hardware threads", machine="opteron-smt"),
    Variation("group-imbalance: R", "cores taken as pairs of hardware threads", machine="opteron-smt"),
    *(
        Variation(f"{fault}: {app}", f"a shorter run: {short}", pattern=pattern, replacement=replacement)
        for fault in ("group-construction", "missing-domains")
        for app, short, pattern, replacement in (
            ("BT", "60 steps", "times = 300", "times = 60"),
            ("CG", "400 steps", "times = 3000", "times = 400"),
            ("EP", "1 s", 'run = "5s"', 'run = "1s"'),
            ("LU", "500 steps", "times = 10000", "times = 500"),
        )
    ),
]


def rejected_choices() -> Section:
    """Rows under choices that were tried first, beside the choice that the other tables show."""
    table = Section(
        "Rows under choices that were tried first",
        "Ratios and times with the fault and without (seed 1) under the scenario's own choices, and under another one.",
        ["fault: program", "paper's ratio", "the scenario's", "other choice", "ratio", "with→without"],
    )
    rows = {row.name: row for row in PAPER}
    for other in REJECTED_CHOICES:
        row = rows[other.row]
        slow, fast = row.seconds(False, other=other), row.seconds(True, other=other)
        table.add(
            row.name, f"{row.paper:.2f}", f"{row.ratio():.2f}", other.choice, f"{slow / fast:.2f}",
            f"{slow:.2f}→{fast:.2f} s",
        )  # fmt: skip
    return table


def programs() -> Section:
    """What the scenarios assume of the paper's programs."""
    table = Section(
        "What is assumed of the programs",
        "As the scenarios have it: work of a thread between two barriers, steps, spinning before a thread sleeps.",
        ["program", "threads", "work of a step", "steps", "spins"],
    )
    for name, program in (
        ("nodes-bt", "bt"), ("nodes-cg", "cg"), ("nodes-ep", "ep"), ("nodes-lu", "lu"), ("database-wakeups", "worker"),
    ):  # fmt: skip
        workload = tomllib.loads(replay.find(name).text)["workload"]
        body, steps = workload["programs"][program], 1
        if "repeat" in body[0]:
            body, steps = body[0]["repeat"]["body"], body[0]["repeat"]["times"]
        spins: Any = "no barrier"
        for found in workload.get("objects", {}).values():
            spins = found["barrier"].get("wait", "no, sleeps at once")
        spins = "for ever" if spins == "spin" else spins if isinstance(spins, str) else spins["spin_then_sleep"]
        threads = next(row["count"] for row in workload["threads"] if row["program"] == program)
        table.add(program.upper(), threads, _length(body[0]["run"]), steps, _spaced(spins))
    return table


def _length(span: Any) -> str:
    return _spaced(span) if isinstance(span, str) else " to ".join(_spaced(end) for end in span["uniform"])


def _spaced(time: str) -> str:
    found = re.fullmatch(r"(\d+)(us|ms|s)", time)
    if found is None:
        return time
    return f"{int(found[1]) / 1000:g} ms" if found[2] == "us" else f"{found[1]} {found[2]}"


def measure(quick: bool) -> list[Section]:
    """All sections; `quick` leaves out the sweep and all seeds but one."""
    return list(sections(quick).values())


def sections(quick: bool, names: Iterable[str] = ()) -> dict[str, Section]:
    """The sections of these names, by name; all of them without names. `sweep` comes with `paper`."""
    wanted = list(names) or PARTS
    made: dict[str, Section] = {}
    if "paper" in wanted or "sweep" in wanted:
        made |= dict(zip(("paper", "sweep"), paper(quick), strict=False))
    parts = {"programs": programs, "choices": choices, "tried": rejected_choices, "captures": captures, "speed": speed}
    return made | {name: make_part() for name, make_part in parts.items() if name in wanted}


PARTS = ["paper", "sweep", "programs", "choices", "tried", "captures", "speed"]
"""Names of the sections, which are the names of the page's blocks."""


def paper(quick: bool) -> list[Section]:
    """The paper's rows beside ours, and how far each constant moves them."""
    seeds = [1] if quick else list(SEEDS)
    factors: dict[str, dict[str, list[float]]] = {}
    with ThreadPoolExecutor(2) as pool:
        ours = [list(pool.map(row.ratio, seeds)) for row in PAPER]
        for name in () if quick else (*replay.constants(), *WORKLOAD):
            scales = [{name: factor} for factor in FACTORS]
            factors[name] = {row.name: list(pool.map(lambda s, r=row: r.ratio(1, s), scales)) for row in PAPER}
    table = Section(
        "The paper's tables beside the simulation",
        "Time with the fault over time without it: the paper's, ours (median of the seeds 1 to 5 and their range), and "
        "the ranges over every constant, and over what is assumed of the programs (length of a step between barriers, "
        "spinning before sleep), halved and doubled one at a time. No constant was fitted; but the faults that stay "
        "on, the machine and the lengths of the runs were chosen after seeing some of these rows (docs/simulation.md).",
        [
            "fault: program",
            "paper",
            "paper's ratio",
            "ours, with→without",
            "ratio",
            "off by",
            "seeds",
            "constants ×/÷ 2",
            "program ×/÷ 2",
        ],
    )
    for row, ratios in zip(PAPER, ours, strict=True):
        median = statistics.median(ratios)
        swept = [r for name, by_row in factors.items() if name not in WORKLOAD for r in by_row[row.name]]
        assumed = [r for name in WORKLOAD if name in factors for r in factors[name][row.name]]
        table.add(
            row.name, row.published, f"{row.paper:.2f}", f"{row.seconds(False):.2f}→{row.seconds(True):.2f} s",
            f"{median:.2f}", f"{100 * (median / row.paper - 1):+.0f} %", _range(ratios),
            _range(swept) if swept else "not swept", _range(assumed) if assumed else "not swept",
        )  # fmt: skip
    return [table] if quick else [table, _sweep(factors, ours)]


def _sweep(factors: dict[str, dict[str, list[float]]], ours: list[list[float]]) -> Section:
    short = [row.name.replace("group-", "").replace("missing-", "").replace("overload-on-", "") for row in PAPER]
    table = Section(
        "Each constant halved and doubled",
        "The ratios of the table above with one constant at half and at twice its value (seed 1). ns, or thousandths "
        "for the shares of SMT and the factors of NUMA, of which the part above 1000 is scaled. A dot: less than 1 % "
        "off.",
        ["constant", "value", *short],
    )
    values = replay.constants()
    for name, by_row in factors.items():
        cells = [_change(by_row[row.name], ratios[0]) for row, ratios in zip(PAPER, ours, strict=True)]
        table.add(name, values.get(name, ""), *cells)
    return table


def _change(ratios: list[float], base: float) -> str:
    return "·" if all(abs(r / base - 1) < 0.01 for r in ratios) else " / ".join(f"{r:.2f}" for r in ratios)


def _range(values: list[float]) -> str:
    return f"{min(values):.2f}–{max(values):.2f}"


@dataclass(frozen=True)
class Figures:
    """What the check says of a trace; core-seconds. `busy` are the CPUs on which the hogs ran for 0.5 s or more."""

    upper: float
    wasted: float
    busy: str
    hogs_s: float


def captures() -> Section:
    """Real captures, and their workloads simulated on their machine."""
    table = Section(
        "Real captures simulated again",
        "`fixtures/traces/guest-6.1` (Linux 6.1 in a virtual machine) and the scenario of the same workload on the "
        "same machine (`fixtures/machines/guest-2n8.json`): core-seconds of idle while waiting and of waste, CPUs "
        "on which the hogs ran for half a second or more, and their time.",
        ["capture", "idle while waiting", "wasted", "CPUs of the hogs", "hogs ran"],
    )
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        target = Path(folder) / "T.duckdb"
        for name, scenario, masks, fault in (
            ("pinned", "pinned", ("hog=0-1",), ()),
            ("wasted", "wasted", ("hog=0-7",), ()),
            ("normal", "ordinary", (), ()),
            ("normal", "ordinary", (), ("shipped",)),
        ):
            options = ImportOptions(masks, ROOT / "fixtures/machines/guest-2n8.json")
            if not fault:
                import_source(ROOT / "fixtures/traces/guest-6.1" / name, target, options, CheckOptions())
                _add(table, f"{name}, recorded", target)
            found = replay.find(scenario)
            snapshot = (ROOT / "fixtures/machines/guest-2n8.json").read_text()
            make(target, _filling(found, replay.Settings(snapshot=snapshot, fault=fault)), CheckOptions())
            _add(table, f"{name}, simulated{' with the faults of 6.12' if fault else ''}", target)
    return table


def _filling(found: replay.Scenario, settings: replay.Settings) -> Callable[[duckdb.DuckDBPyConnection], None]:
    def fill(con: duckdb.DuckDBPyConnection) -> None:
        with BatchWriter(con) as writer:
            replay.simulate(found, settings, writer.emit)

    return fill


def _add(table: Section, name: str, path: Path) -> None:
    with open_trace(path) as trace:
        verdict = trace.verdict().to_json()["wasted"]
    query = """
        SELECT cpu, sum(thread_cpu.run_ns) / 1e9 FROM thread_cpu JOIN thread USING (utid) WHERE name = 'hog'
        GROUP BY cpu ORDER BY cpu
    """
    with duckdb.connect(str(path), read_only=True) as con:
        by_cpu = con.execute(query).fetchall()
    busy = " ".join(str(cpu) for cpu, ran in by_cpu if ran >= 0.5)
    seconds = sum(ran for _, ran in by_cpu)
    table.add(name, f"{verdict['idle_while_waiting_core_s']:.2f}", f"{verdict['core_s']:.2f}", busy, f"{seconds:.1f} s")


def speed() -> Section:
    """Engine and trace events per second on 64 CPUs."""
    table = Section(
        "Speed of the simulator",
        "Scenarios on 64 CPUs in eight nodes, seed 1, evidence level L1, all tables made and dropped; rates per second "
        "of CPU time, best of three.",
        ["scenario", "simulated", "events of the engine", "M engine events/s", "rows", "M rows/s"],
    )
    for name in ("hotplug-cg", "hotplug-lu", "database-wakeups"):
        best, ended = float("inf"), None
        for _ in range(3):
            began = time.process_time()
            ended = replay.simulate(replay.find(name))
            best = min(best, time.process_time() - began)
        assert ended is not None
        rates = (f"{count / best / 1e6:.2f}" for count in (ended.handled, ended.events))
        handled, rows = rates
        table.add(name, f"{ended.end_ns / 1e9:.1f} s", ended.handled, handled, ended.events, rows)
    return table


def bodies(made: dict[str, Section]) -> dict[str, str]:
    """The tables of sections as blocks of the page."""
    return {name: section.table() for name, section in made.items()}


def without_rates(table: str) -> str:
    """A table without the columns of rates, which depend on the machine and its load."""
    lines = [line.strip("|").split("|") for line in table.splitlines()]
    rates = [i for i, title in enumerate(lines[0]) if title.strip().startswith("M ")] if lines else []
    kept = ([cell for i, cell in enumerate(line) if i not in rates] for line in lines)
    return "\n".join(f"|{'|'.join(line)}|" for line in kept)


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="one seed, no sweep of the constants")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="write the tables to docs/simulation.md")
    mode.add_argument("--check", action="store_true", help="compare with docs/simulation.md")
    options = parser.parse_args()
    unknown = [name for name in options.part if name not in PARTS]
    if unknown:
        parser.error(f"not a part: {' '.join(unknown)}; one of {' '.join(PARTS)}")
    if options.quick and (options.write or options.check):
        parser.error("--quick leaves out what the page shows")
    made = sections(options.quick, options.part)
    for section in made.values():
        print(section.markdown(), flush=True)
    if options.write:
        PAGE.write_text(fill_blocks(PAGE.read_text(), bodies(made)))
    if not options.check:
        return 0
    wrong = mismatches(PAGE.read_text(), bodies(made))
    print("\n".join(wrong) or "the page has the figures that were printed")
    return 1 if wrong else 0


def mismatches(page: str, printed: dict[str, str]) -> list[str]:
    """Lines of the page's tables that are not as printed, rates left out."""
    held = {name: f"{mark(name)}\n{without_rates(table)}\n{END}" for name, table in blocks(page).items()}
    steady = {name: without_rates(table) for name, table in printed.items()}
    return differences("\n".join(held.values()), steady, str(PAGE.relative_to(ROOT)))


if __name__ == "__main__":
    raise SystemExit(main())

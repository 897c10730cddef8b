"""Faults that act together: the keynote's workloads, pairs of faults, and all faults that a release was shipped with.

Which of them let a case's waste happen, its counterfactuals say: the same seed with each fault repaired, and with all.
Where repairing any one leaves less than a tenth, all were needed and each is an answer to be found; where only some
repairs do, it is those; where none does alone, each of two is enough to waste cores. Of
more than two it is not known then which are.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from wastenot import replay
from wastenot.replay import WastenotError

from bench.attribution.corpus import GOES_AWAY, Answers, Case, run
from bench.attribution.labels import label_of
from bench.attribution.score import UNKNOWN, is_of_another_step, is_right

KEYNOTE = (
    "make-beside-r",
    *(f"{where}-{program}" for where in ("nodes", "hotplug") for program in ("bt", "cg", "ep", "lu")),
)
"""Scenarios of the keynote's workloads, each with two faults of its kernel."""

DATABASE = "database-wakeups"
"""The keynote's database, with the one fault that it needs."""

SHIPPED = ("shipped",)
"""All faults that the release of a scenario was shipped with."""
OF_RELEASE = ("make-beside-r", DATABASE, "nodes-bt", "nodes-cg", "make", "fork-storm", "wasted", "barrier-sleep")
"""Scenarios with them: of 4.1 the first four, of 6.12 the others."""

PLACING = ("overload-on-wakeup", "scan-cut", "misplaced-fork")
BALANCING = (
    "group-imbalance", "newidle-cutoff", "missed-nohz-kick", "numa-allowance", "allowed-imbalance", "imbalance-pct",
    "all-pinned", "cache-hot",
)  # fmt: skip
PAIRS = (
    *product(PLACING, BALANCING),
    ("group-imbalance", "newidle-cutoff"),
    ("numa-allowance", "newidle-cutoff"),
    ("missed-nohz-kick", "newidle-cutoff"),
    ("newidle-cutoff", "missed-nohz-kick"),
    ("imbalance-pct", "allowed-imbalance"),
    ("cache-hot", "missed-nohz-kick"),
    ("missing-domains", "overload-on-wakeup"),
    ("group-construction", "overload-on-wakeup"),
)
"""The fault that the workload provokes, and the one beside it."""

MACHINES = ("2n8", "2n16l2s2", "opteron")
SEEDS = (1, 2)
LEVEL = "L2"


@dataclass(frozen=True)
class Together:
    """Faults in a shipped scenario, or (`scenario` None) two in what provokes the first on a machine."""

    scenario: str | None
    faults: tuple[str, ...]
    machine: str | None
    seed: int

    def name(self) -> str:
        """For the table."""
        if self.scenario is None:
            return f"{self.faults[0]} beside {self.faults[1]}"
        return f"{self.scenario}, faults of its release" if self.faults == SHIPPED else self.scenario


@dataclass
class Outcome:
    """What came of a case, or why it is none.

    `wasted_ns` with the `faults`; the share that stays where each of them is repaired; what the checker says.
    """

    case: Together
    faults: tuple[str, ...] = ()
    wasted_ns: int = 0
    stays: tuple[float, ...] = ()
    answered: Answers | None = None
    dropped: str | None = None

    def is_of_a_fault_in_force(self, question: str, answer: str) -> bool:
        """The answer is one of a fault that is in force: of these, or another of the provoked kernel."""
        assert self.answered is not None
        labels = (label_of(fault) for fault in self.answered.in_force)
        return any(label.question == question and is_right(answer, label) for label in labels)

    def needed(self) -> tuple[str, ...]:
        """The faults whose repair alone is enough: all where all were needed, none where each is enough to waste."""
        return tuple(fault for fault, stays in zip(self.faults, self.stays, strict=True) if stays <= GOES_AWAY)


@dataclass
class TogetherScore:
    """Sums over cases, by wasted core-time (ns)."""

    examined_ns: int = 0
    right_ns: Counter[str] = field(default_factory=Counter)
    """Of each question that a needed fault decides: waste whose answer is one of its right ones."""
    asked_ns: Counter[str] = field(default_factory=Counter)
    proved_wrong_ns: int = 0
    """Proved, and an answer of no fault that is in force."""
    other_fault_ns: int = 0
    """Proved, and an answer of a third fault that is in force. Whether that one let it happen was not asked."""
    either_ns: int = 0
    """Waste that either decision would have prevented, where two decisions of different questions were needed."""
    either_asked_ns: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count one case."""
        assert outcome.answered is not None
        of = outcome.answered
        needed = outcome.needed() or (outcome.faults if len(outcome.faults) == 2 else ())
        questions = {label_of(fault).question for fault in needed}
        self.examined_ns += of.examined_ns
        for question in questions:
            labels = [label_of(fault) for fault in needed if label_of(fault).question == question]
            self.asked_ns[question] += of.examined_ns
            for (answer, proof), ns in of.answers.get(question, Counter()).items():
                if is_of_another_step(answer, proof, labels):
                    self.asked_ns[question] -= ns
                elif any(is_right(answer, label) for label in labels):
                    self.right_ns[question] += ns
                elif answer != UNKNOWN and proof == "proved":
                    if outcome.is_of_a_fault_in_force(question, answer):
                        self.other_fault_ns += ns
                    else:
                        self.proved_wrong_ns += ns
        if len(outcome.needed()) == 2 and len(questions) == 2:
            self.either_asked_ns += of.examined_ns
            self.either_ns += min(of.prevented["either"], of.examined_ns)


def cases(machines: tuple[str, ...] = MACHINES, seeds: tuple[int, ...] = SEEDS) -> list[Together]:
    """All of them."""
    keynote = [(name, replay.find(name).faults) for name in KEYNOTE]
    keynote += [(DATABASE, replay.find(DATABASE).faults), *((name, SHIPPED) for name in OF_RELEASE)]
    made = [Together(name, faults, None, seed) for name, faults in keynote for seed in seeds]
    return made + [Together(None, pair, *of) for pair in PAIRS for of in product(machines, seeds)]


def measure(case: Together) -> Outcome:
    """Simulate a case with its faults, with each one repaired and with all, and check the first."""
    first = case.faults[0]
    with tempfile.TemporaryDirectory(prefix="wastenot-case-") as folder:
        try:
            if case.scenario is not None:
                scenario = replay.find(case.scenario)
            else:
                file = Path(folder) / "case.toml"
                file.write_text(Case("case", first, case.machine, case.seed).text(), encoding="utf-8")
                scenario = replay.read(file)
            as_case = Case(case.name(), first, case.machine, case.seed)
            answered = run(as_case, scenario, LEVEL, beside=case.faults)
            faults = answered.in_force if case.faults == SHIPPED else case.faults
            *without, without_all = (
                run(as_case, scenario, "L0", fixed=fixed, beside=case.faults).wasted_ns
                for fixed in (*((fault,) for fault in faults), faults)
            )
        except WastenotError as e:
            return Outcome(case, dropped=f"cannot show there: {e}")
    if answered.examined_ns == 0:
        return Outcome(case, dropped="no lasting waste")
    wasted = max(1, answered.wasted_ns)
    outcome = Outcome(case, faults, answered.wasted_ns, tuple(ns / wasted for ns in without), answered)
    if without_all > GOES_AWAY * wasted:
        outcome.dropped = "the waste does not go away with the faults"
    return outcome

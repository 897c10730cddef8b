"""Counting: confusion, precision and recall, calibration, coverage. All weights are wasted core-time (ns)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from bench.attribution.corpus import Answers, CaseResult
from bench.attribution.labels import GENERAL, LABELS, Label, label_of

UNKNOWN = "unknown"
STEPS = frozenset({
    "wakeup", "fork/exec", "affinity change", "hotplug push", "cgroup move", "RT/DL push", "RT/DL pull",
    "periodic balance", "newidle balance", "nohz balance", "active balance", "NUMA balance",
})  # fmt: skip
"""Steps that an event of the trace shows, by which a thread comes to a queue."""
NOT_COUNTED = (
    "Threads that another step placed than the fault's, proved by its event, are not counted, nor waits of threads"
    " of a real-time priority by a snapshot, with which the load balancer does not concern itself."
)
"""For tables: see `is_of_another_step`."""


@dataclass
class Score:
    """The sums over some cases at one level of evidence."""

    cases: int = 0
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Waste by (right answer, given answer), over the labelled question of each case. The first of several right ones
    stands for all."""
    exact: Counter[str] = field(default_factory=Counter)
    """Waste by right answer (the first of several) that was given just this one."""
    by_proof: dict[str, Counter[bool]] = field(default_factory=lambda: {"proved": Counter(), "consistent": Counter()})
    """Waste by proof, and whether the answer was right."""
    examined_ns: int = 0
    other_step_ns: int = 0
    """Waste that is not counted: see `is_of_another_step`."""
    named_ns: int = 0
    """Waste of which the labelled question was answered, rightly or not."""
    proved_ns: int = 0

    def add(self, answered: Answers, label: Label) -> None:
        """Count what was answered of one case."""
        self.cases += 1
        given = answered.answers.get(label.question, Counter())
        stands_for = label.answers[0]
        self.examined_ns += answered.examined_ns
        for (answer, proof), ns in given.items():
            if is_of_another_step(answer, proof, [label]):
                self.examined_ns -= ns
                self.other_step_ns += ns
                continue
            right = is_right(answer, label)
            self.exact[stands_for] += ns if answer == stands_for else 0
            self.confusion[(stands_for, stands_for if answer in label.answers else answer)] += ns
            if answer == UNKNOWN:
                continue
            self.named_ns += ns
            self.proved_ns += ns if proof == "proved" else 0
            if proof in self.by_proof:
                self.by_proof[proof][right] += ns

    def precision(self, answer: str) -> float | None:
        """Of the waste that was given this answer, the share that has it as its label; None: never given."""
        given = sum(ns for (_, answered), ns in self.confusion.items() if answered == answer)
        return self.confusion[(answer, answer)] / given if given else None

    def recall(self, answer: str) -> float | None:
        """Of the waste with this label, the share that was given the answer; None: no such case."""
        there = sum(ns for (label, _), ns in self.confusion.items() if label == answer)
        return self.confusion[(answer, answer)] / there if there else None

    def exact_recall(self, answer: str) -> float | None:
        """Of the waste with this label, the share that was given just this answer, not another right one."""
        there = sum(ns for (label, _), ns in self.confusion.items() if label == answer)
        return self.exact[answer] / there if there else None

    def calibration(self, proof: str) -> float | None:
        """Of the answers with this proof, the share that is right; None: there are none."""
        counted = self.by_proof[proof]
        return counted[True] / counted.total() if counted.total() else None

    def right_ns(self) -> int:
        """Waste whose answer is right."""
        return sum(counted[True] for counted in self.by_proof.values())

    def named(self) -> float:
        """Share of the waste that got an answer."""
        return self.named_ns / self.examined_ns if self.examined_ns else 0.0

    def proved(self) -> float:
        """Share of the waste whose answer is proved."""
        return self.proved_ns / self.examined_ns if self.examined_ns else 0.0


def mistakes(measured: Iterable[CaseResult]) -> Counter[tuple[str, str, str, str, str]]:
    """Waste whose labelled question got a wrong answer: by level, fault, answer, proof and rule (ns)."""
    wrong: Counter[tuple[str, str, str, str, str]] = Counter()
    for answered in (
        answered for case in measured if case.dropped is None and case.case.fault for answered in case.answered
    ):
        fault = str(answered.case.fault)
        label = label_of(fault)
        for (answer, proof, rule), ns in answered.rules.get(label.question, Counter()).items():
            if answer != UNKNOWN and not is_right(answer, label) and not is_of_another_step(answer, proof, [label]):
                wrong[(answered.level, fault, answer, proof, rule)] += ns
    return wrong


def is_of_another_step(answer: str, proof: str, labels: Collection[Label]) -> bool:
    """Another step placed the thread than those that the labels are about: a fork, say, where it is wakeups.

    Which it was is an event of the trace, so this is asked of proved answers alone. Whether the fault let that waste
    happen too, by crowding the CPUs before, is not decided by its label.
    """
    if proof != "proved":
        return False
    placed = [label for label in labels if label.question == "placed_by"]
    steps = {_step(right) for label in placed for right in label.answers}
    return _step(answer) in STEPS and bool(steps) and _step(answer) not in steps


def _step(answer: str) -> str:
    return answer.partition(":")[0]


def is_right(answer: str, label: Label) -> bool:
    """The answer is the label's, or says less than it and nothing wrong."""
    return answer in label.answers or not GENERAL.get(answer, frozenset()).isdisjoint(label.answers)


def scores(measured: Iterable[CaseResult]) -> dict[str, Score]:
    """The score of each level over the cases that have a fault and were not dropped."""
    found: dict[str, Score] = {}
    for case in measured:
        if case.dropped is None and case.case.fault is not None:
            for answered in case.answered:
                found.setdefault(answered.level, Score()).add(answered, label_of(case.case.fault))
    return found


def coverage(measured: Iterable[CaseResult], level: str) -> tuple[float, float]:
    """Share of examined waste with a cause, and with a proved one. A cause is an answer to `not_moved_because`, or
    one to `placed_by` that a label knows."""
    causes = {answer for label in LABELS.values() if label.question == "placed_by" for answer in label.answers}
    examined = named = proved = 0
    for case in measured:
        for answered in case.answered:
            if answered.level != level or case.dropped is not None:
                continue
            examined += answered.examined_ns
            of = [
                (ns, proof)
                for question, given in answered.answers.items()
                for (answer, proof), ns in given.items()
                if answer != UNKNOWN and (question == "not_moved_because" or answer in causes)
            ]
            named += min(answered.examined_ns, sum(ns for ns, _ in of))
            proved += min(answered.examined_ns, sum(ns for ns, proof in of if proof == "proved"))
    return (named / examined, proved / examined) if examined else (0.0, 0.0)

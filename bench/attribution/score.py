"""Counting: confusion, precision and recall, calibration, coverage. All weights are wasted core-time (ns)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.attribution.corpus import Measured, Said
from bench.attribution.labels import GENERAL, LABELS, Label, label_of

UNKNOWN = "unknown"


@dataclass
class Score:
    """The sums over some cases at one level of evidence."""

    cases: int = 0
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Waste by (right answer, given answer), over the labelled question of each case. The first of several right ones
    stands for all."""
    by_proof: dict[str, Counter[bool]] = field(default_factory=lambda: {"proved": Counter(), "consistent": Counter()})
    """Waste by proof, and whether the answer was right."""
    judged_ns: int = 0
    named_ns: int = 0
    """Waste of which the labelled question was answered, rightly or not."""
    proved_ns: int = 0

    def add(self, said: Said, label: Label) -> None:
        """Count what was said of one case."""
        self.cases += 1
        given = said.answers.get(label.question, Counter())
        stands_for = label.answers[0]
        self.judged_ns += said.judged_ns
        for (answer, proof), ns in given.items():
            right = is_right(answer, label)
            self.confusion[(stands_for, stands_for if answer in label.answers else answer)] += ns
            if answer == UNKNOWN:
                continue
            self.named_ns += ns
            self.proved_ns += ns if proof == "proved" else 0
            if proof in self.by_proof:
                self.by_proof[proof][right] += ns

    def precision(self, answer: str) -> float | None:
        """Of the waste that was given this answer, the share that has it as its label; None: never given."""
        given = sum(ns for (_, said), ns in self.confusion.items() if said == answer)
        return self.confusion[(answer, answer)] / given if given else None

    def recall(self, answer: str) -> float | None:
        """Of the waste with this label, the share that was given the answer; None: no such case."""
        there = sum(ns for (label, _), ns in self.confusion.items() if label == answer)
        return self.confusion[(answer, answer)] / there if there else None

    def calibration(self, proof: str) -> float | None:
        """Of the answers with this proof, the share that is right; None: there are none."""
        counted = self.by_proof[proof]
        return counted[True] / counted.total() if counted.total() else None

    def right_ns(self) -> int:
        """Waste whose answer is right."""
        return sum(counted[True] for counted in self.by_proof.values())

    def named(self) -> float:
        """Share of the waste that got an answer."""
        return self.named_ns / self.judged_ns if self.judged_ns else 0.0

    def proved(self) -> float:
        """Share of the waste whose answer is proved."""
        return self.proved_ns / self.judged_ns if self.judged_ns else 0.0


def mistakes(measured: Iterable[Measured]) -> Counter[tuple[str, str, str, str, str]]:
    """Waste whose labelled question got a wrong answer: by level, fault, answer, proof and rule (ns)."""
    wrong: Counter[tuple[str, str, str, str, str]] = Counter()
    for said in (said for case in measured if case.dropped is None and case.case.fault for said in case.said):
        fault = str(said.case.fault)
        label = LABELS[fault]
        for (answer, proof, rule), ns in said.rules.get(label.question, Counter()).items():
            if answer != UNKNOWN and not is_right(answer, label):
                wrong[(said.level, fault, answer, proof, rule)] += ns
    return wrong


def is_right(answer: str, label: Label) -> bool:
    """The answer is the label's, or says less than it and nothing wrong."""
    return answer in label.answers or not GENERAL.get(answer, frozenset()).isdisjoint(label.answers)


def scores(measured: Iterable[Measured]) -> dict[str, Score]:
    """The score of each level over the cases that have a fault and were not dropped."""
    found: dict[str, Score] = {}
    for case in measured:
        if case.dropped is None and case.case.fault is not None:
            for said in case.said:
                found.setdefault(said.level, Score()).add(said, label_of(case.case.fault))
    return found


def coverage(measured: Iterable[Measured], level: str) -> tuple[float, float]:
    """Share of judged waste with a cause, and with a proved one. A cause is an answer to `not_moved_because`, or one to
    `placed_by` that a label knows."""
    causes = {answer for label in LABELS.values() if label.question == "placed_by" for answer in label.answers}
    judged = named = proved = 0
    for case in measured:
        for said in case.said:
            if said.level != level or case.dropped is not None:
                continue
            judged += said.judged_ns
            of = [
                (ns, proof)
                for question, given in said.answers.items()
                for (answer, proof), ns in given.items()
                if answer != UNKNOWN and (question == "not_moved_because" or answer in causes)
            ]
            named += min(said.judged_ns, sum(ns for ns, _ in of))
            proved += min(said.judged_ns, sum(ns for ns, proof in of if proof == "proved"))
    return (named / judged, proved / judged) if judged else (0.0, 0.0)

"""The scoring of causes by hand, and a small part of the corpus (all of it: `make attribution`)."""

from __future__ import annotations

from collections import Counter

import pytest
from wastenot import replay
from wastenot.schemas.generated.enums import NOT_MOVED_BECAUSE_WORDS, PLACED_BY_WORDS

from bench.attribution import kernel_faults, rig
from bench.attribution.corpus import Answers, Case, CaseResult, cases, measure
from bench.attribution.labels import APART, HELD_OUT, LABELS, OF_DEADLINES
from bench.attribution.score import coverage, is_right, scores
from bench.attribution.together import Outcome, Together, TogetherScore

NO_DOMAIN = "domains missing (no common domain)"
AVERAGES = "periodic ran and found balance: group average hides idle cores"


def answered(fault: str, of: dict[tuple[str, str], int]) -> CaseResult:
    case = Case(fault, fault, "2n8", 1)
    return CaseResult(case, [Answers(case, "L3", 200, sum(of.values()), {"not_moved_because": Counter(of)})])


def test_precision_recall_and_calibration_are_shares_of_wasted_time() -> None:
    measured = [
        answered("missing-domains", {(NO_DOMAIN, "proved"): 60, ("unknown", "unknown"): 40}),
        answered("group-imbalance", {(AVERAGES, "consistent"): 70, (NO_DOMAIN, "consistent"): 30}),
    ]
    score = scores(measured)["L3"]
    assert score.recall(NO_DOMAIN) == 0.6
    assert score.precision(NO_DOMAIN) == pytest.approx(60 / 90)
    assert score.recall(AVERAGES) == 0.7
    assert (score.calibration("proved"), score.calibration("consistent")) == (1.0, 0.7)
    assert (score.named(), score.proved()) == (0.8, 0.3)
    assert coverage(measured, "L3") == (0.8, 0.3)


def test_an_answer_that_says_less_is_right_but_not_recalled() -> None:
    measured = [answered("group-imbalance", {("periodic ran and found balance", "proved"): 100})]
    score = scores(measured)["L3"]
    assert is_right("periodic ran and found balance", LABELS["group-imbalance"])
    assert not is_right("periodic ran and found balance", LABELS["missing-domains"])
    assert (score.calibration("proved"), score.recall(AVERAGES)) == (1.0, 0.0)


def test_an_answer_of_a_fault_in_force_is_not_wrong_beside_two_others() -> None:
    pair = Together(None, ("overload-on-wakeup", "missed-nohz-kick"), "opteron", 1)
    given = Counter({("newidle did not run (cut off)", "proved"): 40, (NO_DOMAIN, "proved"): 3})
    for in_force, wrong in (((*pair.faults, "newidle-cutoff"), 3), (pair.faults, 43)):
        answers = {"not_moved_because": given}
        answered = Answers(Case("a", "a", None, 1), "L2", 43, 43, answers, in_force=in_force)
        score = TogetherScore()
        score.add(Outcome(pair, pair.faults, 43, (0.0, 0.0), answered))
        assert (score.proved_wrong_ns, score.other_fault_ns, score.right_ns.total()) == (wrong, 43 - wrong, 0)


def test_wrong_and_proved_counts_beyond_the_same_answer_without_the_fault() -> None:
    case = Case("group-imbalance", "group-imbalance", None, 0)
    right, wrong = ("periodic ran and found balance", "proved"), (NO_DOMAIN, "proved")
    on = [Answers(case, "L2", 900, 900, {"not_moved_because": Counter({right: 900 - ns, wrong: ns})}) for ns in (7, 4)]
    off = [Answers(case, "L2", 90, 90, {"not_moved_because": Counter({wrong: ns})}) for ns in (5, 3)]
    kernel = kernel_faults.Outcome("group-imbalance", "6.1", off, on)
    assert kernel.score().by_proof["proved"][False] == 11
    assert kernel.proved_wrong_beyond_off_ns() == 3, (
        "4 on average without the fault: 3 beyond in one, none in the other"
    )
    off = [Answers(case, "L2", 90, 90, {"not_moved_because": Counter({right: 90})})]
    other = kernel_faults.Outcome("group-imbalance", "6.1", off, on)
    assert other.proved_wrong_beyond_off_ns() == 11, "what is wasted for another reason excuses nothing"


def test_every_fault_of_the_simulator_has_a_label() -> None:
    assert {fault.name for fault in replay.faults()} == LABELS.keys() | HELD_OUT.keys() | OF_DEADLINES
    assert LABELS.keys() >= APART and LABELS.keys().isdisjoint(HELD_OUT)


def test_what_is_held_out_is_in_no_other_figure() -> None:
    assert not {case.fault for case in cases(None, ["2n8"], [1])} & HELD_OUT.keys()
    measured = [answered("lost-balancer", {("periodic did not run", "proved"): 60, (AVERAGES, "proved"): 40})]
    assert scores(measured)["L3"].calibration("proved") == 0.6


def test_scenarios_of_guests_name_answers_that_there_are() -> None:
    words: dict[str, set[str]] = {
        "placed_by": {*PLACED_BY_WORDS.values()},
        "not_moved_because": {*NOT_MOVED_BECAUSE_WORDS.values()},
    }
    labels = [kernel_faults.label_of(fault) for fault in kernel_faults.faults()]
    of_rig = [rig.label(path.name) for path in rig.SCENARIOS.iterdir()]
    labels += [label for label in of_rig if label is not None]
    assert len(labels) > 30
    for label in labels:
        assert not {*label.answers} - words[label.question], label


@pytest.mark.parametrize("fault", ["missing-domains", "group-imbalance", "numa-allowance", "misplaced-fork"])
def test_what_is_proved_is_right(fault: str) -> None:
    measured = [measure(case, ("L2",)) for case in cases([fault], ["2n8"], [7])]
    assert [one.dropped for one in measured] == [None]
    score = scores(measured)["L2"]
    assert score.calibration("proved") in (1.0, None)
    assert score.named() >= 0.8

"""The grammar of conditions on a comparison, what makes one true, and that no gate passes for want of runs."""

from __future__ import annotations

import pytest
from drawn_runs import HIGH, LOW, changed, run, runs
from wastenot.analyzer.comparison.comparison import compare_runs
from wastenot.analyzer.comparison.conditions import caveats, failures, parse_conditions
from wastenot.analyzer.errors import BadArgument

UP = compare_runs(runs(*LOW), runs(*HIGH))
"""0.5 to 1.505 % of the machine wasted, 0.4 to 1.204 core-s a run, p = 2/252."""
DOWN = compare_runs(runs(*HIGH), runs(*LOW))


def is_true(text: str, comparison: object = UP) -> bool:
    conditions, on_incomparable = parse_conditions([text])
    assert not on_incomparable
    return bool(failures(conditions, comparison))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "wasted>+1%", "wasted > +1 % p < 0.05", "wasted>+1%p<0.01", "wasted>=+1%", "wasted>+0%", "wasted>-1%",
        "wasted>+200%base p<0.05", "wasted>+0.8s", "wasted>+800ms p<0.05", "wasted_core_s>+0.8s",
        "cause.not_moved_because.found_balance>+1%", "duration<+1%", "duration>=+0s", "switches<=+0%",
        "thread.make.wait<+0.01", "wasted<+2%",
    ],
)  # fmt: skip
def test_true_expressions(text: str) -> None:
    assert is_true(text)
    conditions, _ = parse_conditions([text])
    (why,) = failures(conditions, UP)
    assert text.strip() in why and "\n" not in why


@pytest.mark.parametrize(
    "text",
    [
        "wasted>+1.1%", "wasted>+1.1%p<0.05", "wasted<-1%", "wasted<+1%", "wasted>+202%base", "wasted>+0.9s",
        "switches>+0% p<0.05", "switches<-0%", "thread.make.wait>+0.001", "excuse.affinity>+0%",
        "wait.neighbour>+5%", "recurrent.cause.placed_by.fork_exec>+0%",
    ],
)  # fmt: skip
def test_false_expressions(text: str) -> None:
    assert not is_true(text)


def test_improvements_can_be_asked_for() -> None:
    assert is_true("wasted<-1% p<0.05", DOWN) and not is_true("wasted<-1.1%", DOWN)
    assert is_true("wasted<-60%base", DOWN)


def test_a_rise_from_nothing_is_more_than_any_share_of_it() -> None:
    found = compare_runs(runs(*LOW), runs(*LOW, migrations=100))
    assert is_true("migrations>+500%", found) and not is_true("migrations<-1%", found)


def test_the_failure_says_the_figures() -> None:
    conditions, _ = parse_conditions(["wasted>+1% p<0.05"])
    (why,) = failures(conditions, UP)
    assert why == "wasted 0.50 % → 1.50 %, +1.00 points (+201 %), p = 0.0079 (wasted>+1% p<0.05)"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "write metric, operator, sign, number and unit"),
        ("wasted", "write metric, operator"),
        ("wasted>", "write metric, operator"),
        ("wasted>1%", r"write the sign of the difference, as in wasted>\+1%"),
        ("wasted>+1% p>0.05", "write metric, operator"),
        ("wasted>+1% p<0", "p is a probability"),
        ("wasted>+1% p<2", "p is a probability"),
        ("wasted=+1%", "hardly ever equal"),
        ("waste>+1%", "unknown metric 'waste'"),
        ("cause.placed_by.moon>+1%", "unknown metric"),
        ("thread.make>+1%", "unknown metric"),
        ("wasted>+1", "needs a unit"),
        ("duration>+1", "needs a unit"),
        ("wasted>+1parsec", "unknown unit 'parsec'"),
        ("switches>+1s", "not a time"),
        ("certain>+1s", "not a time"),
    ],
)
def test_bad_expressions_are_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        parse_conditions([text])


def test_a_bound_that_so_few_runs_cannot_reach_is_an_error() -> None:
    few = compare_runs(runs(*LOW[:3]), runs(*HIGH[:3]))
    with pytest.raises(BadArgument, match=r"can never be true with 3 \+ 3 runs.* is 0.1; record 4 \+ 4 at least"):
        is_true("wasted>+1% p<0.05", few)
    with pytest.raises(BadArgument, match=r"can never be true with 1 \+ 5 runs"):
        is_true("wasted>+1% p<0.05", compare_runs(runs(400), runs(*HIGH)))
    assert is_true("wasted>+1%", few), "without a bound only the difference counts"


def test_bounds_of_several_conditions_are_adjusted_together() -> None:
    both, _ = parse_conditions(["wasted>+1% p<0.01", "switches>+1% p<0.01"])
    with pytest.raises(BadArgument, match=r"smallest p value of 2 conditions is 0\.0159"):
        failures(both, UP)
    looser, _ = parse_conditions(["wasted>+1% p<0.02", "switches>+1% p<0.02"])
    (why,) = failures(looser, UP)
    assert "p = 0.0079, adjusted p = 0.016" in why


def test_runs_that_are_not_comparable_are_warned_of_or_a_failure_of_their_own() -> None:
    conditions, on_incomparable = parse_conditions(["wasted>+2% p<0.05", " incomparable "])
    assert on_incomparable and len(conditions) == 1
    lost = compare_runs(runs(*LOW), changed(runs(*HIGH), 3, lost_events=7))
    assert failures(conditions, lost) == []
    assert "not comparable as they stand: lost events in 2 of 10 runs" in caveats(conditions, lost)[0]
    assert caveats(conditions, UP) == [] and caveats([], lost) == []


def test_any_thread_may_be_named() -> None:
    side = [run(400, thread__b__run=i) for i in (1, 2, 3, 4)]
    assert not is_true("thread.make.run>+1%", compare_runs(side, side))
    with pytest.raises(BadArgument, match="no run has threads of that name"):
        is_true("thread.maek.run>+1%", compare_runs(side, side))

"""The grammar of conditions (--fail-on), and which figures make an expression true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from wastenot.analyzer import Verdict
from wastenot.analyzer.conditions import parse_condition
from wastenot.analyzer.errors import BadArgument


def verdict(*suspect: str, shows_wakeups: bool = True, **figures: Any) -> Verdict:
    """2 core-s wasted of 100 CPU-s, 1 certain, 4 idle while waiting; 3 lasting episodes of 1.5 core-s; 7 lost."""
    return Verdict(
        path=Path("T.duckdb"),
        trace={"shows_wakeups": shows_wakeups, "source": "ebpf"},
        figures={
            "wasted_ns": 2_000_000_000,
            "certain_ns": 1_000_000_000,
            "idle_while_waiting_ns": 4_000_000_000,
            "online_ns": 100_000_000_000,
            "unobserved_share": 0.01,
            **figures,
        },
        grades=[{"grade": g, "episodes": 0, "core_ns": 0} for g in ("noise", "in_flight", "expected", "persistent")]
        + [
            {"grade": "lasting", "episodes": 3, "core_ns": 1_500_000_000},
            {"grade": "recurrent", "episodes": 0, "core_ns": 0},
        ],
        excuses=[],
        causes=[],
        worst=[],
        data_quality=[{"what": "unknown_mask_threads", "detail": None, "value": 5}]
        + [{"what": "suspect", "detail": check, "value": 20_000} for check in suspect],
        lost=[{"cpu": 0, "what": "any", "events": 7}],
        looks_pinned=[],
    )


@pytest.mark.parametrize(
    "text",
    [
        "wasted>1%", "wasted >= 2 %", "wasted=2s", "certain<1.5s", "idle_while_waiting>3999ms", "lasting>2",
        "lasting>=1.5s",
        "lasting>1%", "persistent=0", "lost>0", "unknown_masks<=5", "unobserved>0.5%", "wasted>0.03min",
    ],
)  # fmt: skip
def test_true_expressions_fail_and_say_the_figure(text: str) -> None:
    failure = parse_condition(text).failure(verdict())
    assert failure is not None and text in failure and "\n" not in failure


@pytest.mark.parametrize(
    "text",
    [
        "wasted>2%",
        "wasted<2s",
        "certain>1s",
        "idle_while_waiting>=5s",
        "lasting>3",
        "persistent>0",
        "lost>7",
        "unobserved>1%",
    ],
)
def test_false_expressions_pass(text: str) -> None:
    assert parse_condition(text).failure(verdict()) is None


def test_without_online_time_the_share_is_absent() -> None:
    assert parse_condition("wasted>0%").failure(verdict(wasted_ns=0, online_ns=0)) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "write measure, operator, number and unit"),
        ("wasted", "write measure, operator, number and unit"),
        ("wasted>", "write measure, operator, number and unit"),
        ("wasted>-1%", "write measure, operator, number and unit"),
        ("wasted!1%", "write measure, operator, number and unit"),
        ("waste>1%", "unknown measure 'waste'"),
        ("wasted>1", "needs a unit"),
        ("wasted>1parsec", "unknown unit 'parsec'"),
        ("lost>1%", "without a unit"),
        ("unobserved>1", "write it with %"),
    ],
)
def test_bad_expressions_are_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        parse_condition(text)


@pytest.mark.parametrize("text", ["suspect", " suspect ", "suspect>0", "suspect=2"])
def test_a_suspect_verdict_fails_and_says_which_checks(text: str) -> None:
    doubtful = verdict("ran_without_wakeup", "idle_with_queue")
    failure = parse_condition(text).failure(doubtful)
    assert failure is not None and "suspect is idle_with_queue, ran_without_wakeup" in failure
    assert parse_condition(text).failure(verdict()) is None


@pytest.mark.parametrize("text", ["wasted>2%", "lasting>3", "idle_while_waiting>=5s", "certain>1s"])
def test_a_lower_bound_that_passes_says_that_it_is_one(text: str) -> None:
    found = verdict(shows_wakeups=False)
    assert parse_condition(text).failure(found) is None
    assert "cannot be relied on: it is a lower bound" in (parse_condition(text).caveat(found) or "")
    assert parse_condition(text).caveat(verdict()) is None
    assert "verdict is suspect" in (parse_condition(text).caveat(verdict("idle_with_queue")) or "")
    assert "53.0 % of the CPU time was not" in (parse_condition(text).caveat(verdict(unobserved_share=0.53)) or "")


@pytest.mark.parametrize("text", ["lost>7", "unobserved>90%", "suspect", "lower_bound>1", "wasted<1%"])
def test_an_exact_verdict_passes_without_a_warning(text: str) -> None:
    assert parse_condition(text).caveat(verdict(shows_wakeups=False, unobserved_share=0.5)) is None


def test_a_lower_bound_can_be_a_failure_of_its_own() -> None:
    failure = parse_condition("lower_bound").failure(verdict(shows_wakeups=False))
    assert failure == "lower_bound is yes (lower_bound)"
    assert parse_condition("lower_bound").failure(verdict()) is None


def test_what_wasted_as_much_as_a_lasting_episode_counts_as_one_whatever_its_grade() -> None:
    found = verdict()
    shape = {"timed_ns": 0, "recurrent_ns": 0}
    found.severities[:] = [
        {"severity": "persistent", **shape, "episodes": 1, "timed_ns": 16_000_000_000},
        {"severity": "lasting", **shape, "episodes": 2, "recurrent_ns": 17_000_000_000},
        {"severity": "expected", **shape, "episodes": 5},
    ]
    assert parse_condition("lasting>2").failure(found) == "lasting is 3 episodes (lasting>2)"
    assert parse_condition("persistent>0").failure(found) == "persistent is 1 episode (persistent>0)"
    assert parse_condition("expected>7").failure(found) is not None
    assert parse_condition("lasting>17s").failure(found) is None, "recurrent waste is not added to that of the grades"
    assert parse_condition("lasting>=17s").failure(found) is not None
    assert parse_condition("recurrent>0").failure(found) is None, "that very grade"

"""What the rules behind an episode's answers say can be checked or changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from wastenot._native import checker
from wastenot.analyzer.text.causes import SMALL
from wastenot.schemas.generated.enums import Question


@cache
def rules(kernel: str | None = None) -> dict[tuple[str, str], dict[str, Any]]:
    """The text of each rule, by question and name (see docs/causes); of its `repairs` those meant for a kernel.

    `kernel` is a release as `uname -r` prints it; None: all repairs.
    """
    return {(rule["question"], rule["name"]): rule for rule in json.loads(checker.rules(kernel))}


def main_question(episode: Mapping[str, Any]) -> Question:
    """The question whose answer is worked on first: of waste that recurs, how it comes about; else why it stays."""
    return "placed_by" if episode["grade"] == "recurrent" else "not_moved_because"


def repairs(
    episode: Mapping[str, Any], causes: Sequence[Mapping[str, Any]], kernel: str | None
) -> list[dict[str, Any]]:
    """What to check or change about an episode: rows of question, rule, kind, text, kernels, source.

    `episode` is a row of `episode.sql`, `causes` the rows of `episode_causes.sql`. First the repairs of the answers to
    the question that is worked on first; of each question the heaviest answer first, without answers of a small share.
    """
    first = main_question(episode)
    second: Question = "not_moved_because" if first == "placed_by" else "placed_by"
    out = []
    for question in (first, second):
        for rule in _chosen_rules(question, causes):
            about = rules(kernel)[question, rule]
            out += [{"question": question, "rule": rule, **repair} for repair in about["repairs"]]
    return out


def _chosen_rules(question: Question, causes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The rules that answer a question for more than a small share of the waste, heaviest first."""
    weights: dict[str | None, int] = {}
    for cause in causes:
        if cause["chosen"] and cause["question"] == question:
            weights[cause["rule"]] = weights.get(cause["rule"], 0) + cause["weight_ns"]
    least = SMALL * sum(weights.values())
    heaviest = sorted(weights.items(), key=lambda item: -item[1])
    return [rule for rule, weight in heaviest if rule is not None and weight >= least]

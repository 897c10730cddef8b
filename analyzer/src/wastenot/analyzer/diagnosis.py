"""An episode's cause in words: what happened, how it came about, why it lasted, how sure that is, what to check."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from wastenot._native import checker
from wastenot.analyzer.units import core_seconds, counted, cpu_list, duration
from wastenot.schemas.generated.enums import (
    ENDED_BY_SENTENCES,
    ENDED_BY_WORDS,
    NOT_MOVED_BECAUSE_SENTENCES,
    NOT_MOVED_BECAUSE_WORDS,
    PLACED_BY_SENTENCES,
    PLACED_BY_WORDS,
)

_SENTENCES: dict[str, Mapping[Any, str]] = {
    "placed_by": PLACED_BY_SENTENCES,
    "not_moved_because": NOT_MOVED_BECAUSE_SENTENCES,
    "ended_by": ENDED_BY_SENTENCES,
}

_WORDS: dict[str, Mapping[Any, str]] = {
    "placed_by": PLACED_BY_WORDS,
    "not_moved_because": NOT_MOVED_BECAUSE_WORDS,
    "ended_by": ENDED_BY_WORDS,
}

SURE = {
    "proved": "the decision itself was observed",
    "consistent": "the events agree with it, and no decision was observed",
}
"""What the levels of proof mean."""


@cache
def rules() -> dict[str, dict[str, Any]]:
    """What there is to say about each rule, by name (see docs/causes)."""
    return {rule["name"]: rule for rule in json.loads(checker.rules())}


def diagnosis(episode: dict[str, Any], causes: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The diagnosis as (heading, sentence) pairs.

    `episode` is a row of `episode.sql`, `causes` the rows of `episode_causes.sql`. An unknown answer says so, and what
    evidence is missing.
    """
    idle, busy = cpu_list(episode["idle_cpus"]), cpu_list(episode["overloaded_cpus"])
    waiting = counted(episode["threads"], "thread") if episode["threads"] else "threads"
    many = "CPUs" if len(episode["idle_cpus"]) > 1 else "CPU"
    out = [
        (
            "what",
            f"{many} {idle} stood idle while {waiting} waited on CPU {busy}: "
            f"{core_seconds(episode['total_core_ns'])} lost in {duration(episode['dur_ns'])}.",
        ),
        ("how", _said(episode, "placed_by", "how the threads came to wait there")),
        ("why", _said(episode, "not_moved_because", "why nothing moved them")),
        ("ended", _said(episode, "ended_by", "what ended it")),
    ]
    sure = "; ".join(text for level in SURE if (text := _sure(episode, level)))
    if sure:
        out.append(("how sure", f"{sure}."))
    also = also_fits(episode, causes)
    if also:
        out.append(("also fits", "; ".join(also)))
    out += [("next", text) for text in _next(episode, causes)]
    return out


def answer_words(question: str, answer: str) -> str:
    """An answer to a question (both as the tables name them) in the few words of lists and tables."""
    return _WORDS[question][answer]


def _said(episode: dict[str, Any], question: str, unknown: str) -> str:
    answer, proof = episode[question], episode[f"{question}_proof"]
    if answer == "unknown":
        return f"{unknown[0].upper()}{unknown[1:]} is not known from this trace."
    text = _SENTENCES[question][answer]
    return f"{text[0].upper()}{text[1:]} ({proof})."


def _sure(episode: dict[str, Any], level: str) -> str:
    """`How, ended: proved (…)`: which answers have that proof; empty when none has."""
    headings = (("how", "placed_by"), ("why", "not_moved_because"), ("ended", "ended_by"))
    of = [name for name, q in headings if episode[q] != "unknown" and episode[f"{q}_proof"] == level]
    return f"{', '.join(of)}: {level} ({SURE[level]})" if of else ""


def also_fits(episode: dict[str, Any], causes: list[dict[str, Any]]) -> list[str]:
    """Other answers for the time of the chosen ones, the heaviest of each question: a sentence each.

    Arguments as `diagnosis` takes them.
    """
    found = []
    for question in ("placed_by", "not_moved_because", "ended_by"):
        others = [c for c in causes if c["question"] == question and c["answer"] not in ("unknown", episode[question])]
        if others:
            most = max(others, key=lambda c: (c["chosen"], c["weight_ns"]))
            chosen = "for a part of the time" if most["chosen"] else "for want of more evidence"
            words = f"{question.replace('_', ' ')}: {answer_words(question, most['answer'])}"
            found.append(f"{words} ({chosen}, {core_seconds(most['weight_ns'])})")
    return found


def _next(episode: dict[str, Any], causes: list[dict[str, Any]]) -> list[str]:
    """What to check or change: of the rule behind `not_moved_because` (where waste is recurrent, `placed_by`);
    where that is not known, what evidence to record."""
    question = "placed_by" if episode["grade"] == "recurrent" else "not_moved_because"
    for cause in causes:
        if cause["chosen"] and cause["question"] == question and cause["answer"] == episode[question]:
            about = rules().get(cause["rule"] or "")
            if about is not None:
                return [f"{_sentence(about['next'])} See docs/causes/{about['name']}.md."]
    return ["Record passes of the balancer and stacks of moves (`wastenot doctor` says what that needs)."]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"

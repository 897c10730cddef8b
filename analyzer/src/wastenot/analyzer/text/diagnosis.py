"""An episode's cause in words: what happened, how, why it lasted, how sure that is, and what to check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wastenot.analyzer.text.causes import (
    DECLARE_DOMAINS,
    QUESTIONS,
    SMALL,
    answer_clause,
    answer_words,
    evidence_needed,
    how_to_record,
    needed_named,
    needs_domains,
    not_known_text,
    prevention_sentence,
)
from wastenot.analyzer.text.repairs import main_question, repairs, rules
from wastenot.analyzer.text.units import core_seconds, counted, cpu_list, duration
from wastenot.schemas.generated.enums import Question

SURE = {
    "proved": "the decision itself was recorded",
    "consistent": "the events agree with this answer and with no other that the rules know; no decision was recorded",
}
"""What the levels of proof mean: the first sentence of their rows in the glossary, which the browser shows."""


def diagnosis(
    episode: dict[str, Any],
    causes: list[dict[str, Any]],
    evidence: Sequence[Mapping[str, Any]],
    trace: Mapping[str, Any],
) -> list[tuple[str, str]]:
    """The diagnosis as (heading, sentence) pairs.

    `episode` is a row of `episode.sql`, `causes` the rows of `episode_causes.sql`, `evidence` those of `evidence.sql`;
    `trace` is the row of `trace.sql`. An unknown answer says so, and which evidence would show it.
    """
    idle, busy = cpu_list(episode["idle_cpus"]), cpu_list(episode["overloaded_cpus"])
    waiting = counted(episode["threads"], "thread") if episode["threads"] else "threads"
    cpus, were = ("CPUs", "were") if len(episode["idle_cpus"]) > 1 else ("CPU", "was")
    out = [
        (
            "what",
            f"{cpus} {idle} {were} idle while {waiting} waited on CPU {busy}: "
            f"{core_seconds(episode['total_core_ns'])} wasted in {duration(episode['dur_ns'])}.",
        ),
        ("how", _answer(episode, "placed_by", causes, evidence, trace)),
        ("why", _answer(episode, "not_moved_because", causes, evidence, trace)),
        ("ended", _answer(episode, "ended_by", causes, evidence, trace)),
    ]
    sure = "; ".join(text for level in SURE if (text := _sure(episode, level, causes)))
    if sure:
        out.append(("how sure", f"{sure}."))
    prevented = prevention_sentence(episode["prevented"], episode["not_moved_because"])
    if prevented:
        out.append(("prevented by", prevented))
    also = also_fits(episode, causes)
    if also:
        out.append(("also fits", "; ".join(also)))
    return [*out, ("next", _next(episode, causes, evidence, trace))]


def _answer(
    episode: dict[str, Any],
    question: Question,
    causes: Sequence[Mapping[str, Any]],
    evidence: Sequence[Mapping[str, Any]],
    trace: Mapping[str, Any],
) -> str:
    if episode[question] == "unknown":
        return not_known_text(_only(question), evidence, trace)
    return f"{_sentence(answer_clause(question, episode[question]))[:-1]} ({_proofs(episode, question, causes)})."


def _proofs(episode: Mapping[str, Any], question: Question, causes: Sequence[Mapping[str, Any]]) -> str:
    """How sure the episode's answer is: its proof, and of how much of its waste where the rest has the other one."""
    main = str(episode[f"{question}_proof"])
    part = _part(episode, question, main, causes)
    if part == 1:
        return main
    other = next(level for level in SURE if level != main)
    return f"{main} for {part:.0%}, {other} for the rest"


def _part(episode: Mapping[str, Any], question: Question, level: str, causes: Sequence[Mapping[str, Any]]) -> float:
    """Of how much of its waste the episode's answer has this level of proof; 1 and 0 where it is nearly that."""
    of = [c for c in causes if c["chosen"] and c["question"] == question and c["answer"] == episode[question]]
    total = sum(c["weight_ns"] for c in of)
    if total == 0:
        return float(episode[f"{question}_proof"] == level)
    part = sum(c["weight_ns"] for c in of if c["proof"] == level) / total
    return 1 if part >= 1 - SMALL else 0 if part < SMALL else part


def _only(question: Question) -> dict[str, str]:
    """A cause of which only this answer is unknown."""
    return {str(other): "unknown" if other == question else "" for other in QUESTIONS}


def _sure(episode: dict[str, Any], level: str, causes: Sequence[Mapping[str, Any]]) -> str:
    """`How for 57%, ended: proved (…)`: which answers have that proof; empty when none has."""
    headings: tuple[tuple[str, Question], ...]
    headings = (("how", "placed_by"), ("why", "not_moved_because"), ("ended", "ended_by"))
    known = [(name, _part(episode, q, level, causes)) for name, q in headings if episode[q] != "unknown"]
    of = [name if part == 1 else f"{name} for {part:.0%}" for name, part in known if part]
    return f"{', '.join(of)}: {level} ({SURE[level]})" if of else ""


def also_fits(episode: dict[str, Any], causes: list[dict[str, Any]]) -> list[str]:
    """Other answers for the time of the chosen ones, the heaviest of each question: a sentence each.

    Arguments as `diagnosis` takes them.
    """
    found = []
    for question in QUESTIONS:
        others = [c for c in causes if c["question"] == question and c["answer"] not in ("unknown", episode[question])]
        if others:
            most = max(others, key=lambda c: (c["chosen"], c["weight_ns"]))
            chosen = "for a part of the time" if most["chosen"] else "where the evidence does not decide"
            words = f"{question.replace('_', ' ')}: {answer_words(question, most['answer'])}"
            found.append(f"{words} ({chosen}, {core_seconds(most['weight_ns'])})")
    return found


def answers(
    episode: Mapping[str, Any], causes: Sequence[Mapping[str, Any]], kernel: str | None
) -> list[dict[str, Any]]:
    """Each question's answers: those of the episode's row, those of other parts of the time, those that fit as well.

    Rows of question, answer, proof, rule (a page of docs/causes; None: unknown), chosen, core_ns (waste of which it is
    the answer, or that it fits), share (of the episode's waste), and what the rule says proves and refutes it. Answers
    of a small share are left out, save that of the episode's row. Arguments as `repairs` takes them.
    """
    return [row for question in QUESTIONS for row in _answers_to(question, episode[question], causes, kernel)]


def _answers_to(
    question: Question, main: str, causes: Sequence[Mapping[str, Any]], kernel: str | None
) -> list[dict[str, Any]]:
    """The answers to one question, `main` first, then chosen ones, then alternatives, the heaviest of each first."""
    groups: dict[tuple[bool, str, str], list[Mapping[str, Any]]] = {}
    for cause in causes:
        if cause["question"] == question:
            groups.setdefault((cause["chosen"], cause["answer"], cause["proof"]), []).append(cause)
    weights = {key: sum(cause["weight_ns"] for cause in group) for key, group in groups.items()}
    total = sum(weight for (chosen, *_), weight in weights.items() if chosen)
    rows = []
    for (chosen, answer, proof), group in groups.items():
        weight, is_main = weights[chosen, answer, proof], chosen and answer == main
        if not is_main and weight < SMALL * total:
            continue
        rule = max(group, key=lambda cause: cause["weight_ns"])["rule"]
        about = {} if rule is None else rules(kernel)[question, rule]
        row = {"question": question, "answer": answer, "proof": proof, "rule": rule, "chosen": chosen}
        row |= {"core_ns": weight, "share": weight / total if total else 0.0}
        row |= {"proved_by": about.get("proof", ""), "refuted_by": about.get("refuted_by", "")}
        rows.append((not is_main, not chosen, -weight, row))
    return [row for *_, row in sorted(rows, key=lambda item: item[:3])]


def _next(
    episode: dict[str, Any],
    causes: list[dict[str, Any]],
    evidence: Sequence[Mapping[str, Any]],
    trace: Mapping[str, Any],
) -> str:
    """What to check or change first (`repairs` has all of it); where no rule answers, what evidence to record."""
    question = main_question(episode)
    of_it = [r for r in repairs(episode, causes, trace["kernel"]) if r["question"] == question]
    if episode[question] != "unknown" and of_it:
        return f"{_sentence(of_it[0]['text'])} See docs/causes/{question}/{of_it[0]['rule']}.md."
    cause = _only(question)
    needed, domains = evidence_needed(cause, evidence), needs_domains(cause, trace)
    steps = []
    if domains:
        steps.append(f"{DECLARE_DOMAINS} to declare the machine's scheduling domains.")
    if needed:
        steps.append(f"Record {needed_named(needed, evidence)}: {how_to_record(needed, evidence, trace)}")
    return " ".join(steps) or "See the events below: no rule has an answer for them."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"

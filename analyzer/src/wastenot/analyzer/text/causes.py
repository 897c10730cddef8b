"""Causes in words: why a core was wasted, how sure that is, and which evidence would show what is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wastenot.schemas.generated.enums import (
    ENDED_BY_SENTENCES,
    ENDED_BY_WORDS,
    EVIDENCE_KIND_WORDS,
    NOT_MOVED_BECAUSE_SENTENCES,
    NOT_MOVED_BECAUSE_WORDS,
    PLACED_BY_SENTENCES,
    PLACED_BY_WORDS,
    QUESTION_WORDS,
    EvidenceKind,
    Question,
)

QUESTIONS: tuple[Question, ...] = ("placed_by", "not_moved_because", "ended_by")
"""The questions of a cause, in the order in which they are answered."""

LIVE_SOURCES = ("ebpf", "tracefs")
"""Values of `trace.source` of recordings that `wastenot record` made."""

EVIDENCE_FOR: dict[Question, tuple[EvidenceKind, ...]] = {
    "placed_by": ("placements", "migration_stacks"),
    "not_moved_because": ("load_balance_attempts", "load_balance_kicks", "schedstat_counters"),
    "ended_by": ("migration_stacks",),
}
"""By question, the kinds of evidence that answer it where switches and wakeups do not."""

BY_OTHER_TOOLS: dict[EvidenceKind, str] = {
    "migrations": "the event sched:sched_migrate_task",
    "migration_stacks": "kernel stacks at sched:sched_migrate_task (`perf record -g`, `trace-cmd record -T`)",
    "load_balance_attempts": "a function probe on sched_balance_rq (docs/formats.md)",
}
"""By kind of evidence, what makes another tool's trace hold it; the others only `wastenot record` records."""

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

_LEADS = {"placed_by": "", "not_moved_because": "not moved because ", "ended_by": "ended when "}


def answer_words(question: str, answer: str) -> str:
    """An answer to a question (both as the tables name them) in the few words of lists and tables."""
    return _WORDS[question][answer]


def answer_clause(question: str, answer: str) -> str:
    """An answer as a clause: `not moved because no idle CPU was kicked to balance`."""
    return f"{_LEADS[question]}{_SENTENCES[question][answer]}"


def cause_sentence(cause: Mapping[str, Any]) -> str:
    """What is known of a cause (a row of `causes.sql` or `episode.sql`), each answer with its level of proof."""
    known = [question for question in QUESTIONS if cause[question] != "unknown"]
    clauses = (f"{answer_clause(q, cause[q])} ({cause[f'{q}_proof']})" for q in known)
    return "; ".join(clauses) or "not known"


def cause_cells(cause: Mapping[str, Any], recurrent: bool = False) -> list[str]:
    """The answers for the columns of a table, each with its level of proof."""
    mark = "*" if recurrent else ""
    known = ((q, cause[q], cause[f"{q}_proof"]) for q in QUESTIONS)
    return [f"{answer_words(q, answer)} ({proof}){mark}" if answer != "unknown" else "-" for q, answer, proof in known]


def evidence_needed(cause: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]]) -> list[EvidenceKind]:
    """Kinds of evidence, not recorded throughout, that would answer what is unknown of a cause."""
    recorded = {row["kind"] for row in evidence if row["state"] == "recorded"}
    kinds = [kind for question in QUESTIONS if cause[question] == "unknown" for kind in EVIDENCE_FOR[question]]
    return [kind for kind in dict.fromkeys(kinds) if kind not in recorded]


def missing_evidence_text(cause: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]], source: str) -> str:
    """What of a cause is not known and which evidence would show it; empty where all of it is known.

    `evidence` are rows of `evidence.sql`, `source` is that of the trace: it decides how the evidence can be had.
    """
    unknown = [question for question in QUESTIONS if cause[question] == "unknown"]
    if not unknown:
        return ""
    asked = " and ".join(QUESTION_WORDS[question] for question in unknown)
    verb = "is" if len(unknown) == 1 else "are"
    needed = evidence_needed(cause, evidence)
    if not needed:
        return f"Not known although all evidence that could show it was recorded: {asked}."
    named = _listed([EVIDENCE_KIND_WORDS[kind] for kind in needed], "or")
    return (
        f"{asked[0].upper()}{asked[1:]} {verb} not known: {named} would show it. "
        f"{how_to_record(needed, evidence, source)}"
    )


def how_to_record(needed: Sequence[EvidenceKind], evidence: Sequence[Mapping[str, Any]], source: str) -> str:
    """How to record these kinds of evidence: a sentence."""
    if source in LIVE_SOURCES:
        lacking = [row for row in evidence if row["kind"] in needed and row["why"]]
        why = f" Not recorded here: {kinds_with_reasons(lacking)}." if lacking else ""
        return f"`wastenot doctor` says whether a machine can record {'them' if len(needed) > 1 else 'it'}.{why}"
    if source == "simulation":
        level = "L3" if set(needed) == {"schedstat_counters"} else "L2"
        return f"`wastenot simulate --evidence {level}` writes them."
    others = [BY_OTHER_TOOLS[kind] for kind in needed if kind in BY_OTHER_TOOLS]
    also = f", and so {'does' if len(others) == 1 else 'do'} {_listed(others, 'and')}" if others else ""
    return f"`wastenot record` provides {'them' if len(needed) > 1 else 'it'}{also}."


def kinds_with_reasons(rows: Sequence[Mapping[str, Any]]) -> str:
    """`kicks of idle CPUs, placements of threads (why)`: kinds of evidence by name, those with one reason together."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        by_reason.setdefault(row["why"] or "", []).append(EVIDENCE_KIND_WORDS[row["kind"]])
    return "; ".join(f"{', '.join(names)} ({why})" if why else ", ".join(names) for why, names in by_reason.items())


def _listed(texts: Sequence[str], last: str) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"

"""Causes in words: why a core was wasted, how sure that is, and which evidence would show what is not known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wastenot.analyzer.text.units import percent
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

FURTHER_EVIDENCE: dict[Question, tuple[EvidenceKind, ...]] = {
    "placed_by": ("cpus_scanned",),
    "not_moved_because": ("balance_searches", "domains_built"),
    "ended_by": (),
}
"""By question, what may answer it where all of `EVIDENCE_FOR` was recorded and does not. The simulator writes none."""

BY_OTHER_TOOLS: dict[EvidenceKind, str] = {
    "migrations": "the event sched:sched_migrate_task",
    "migration_stacks": "kernel stacks at sched:sched_migrate_task (`perf record -g`, `trace-cmd record -T`)",
    "load_balance_attempts": "a function probe on {load_balance} (docs/formats.md)",
}
"""By kind of evidence, what makes another tool's trace hold it; the others only `wastenot record` records."""

SCHED_BALANCE_RQ_FROM = (6, 10)
"""The release whose kernel renamed `load_balance` to `sched_balance_rq`."""

DECLARE_DOMAINS = "Import with `--machine` or `--topology`"
"""How another tool's trace gets the scheduling domains, which none of its events shows."""

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

WHOLE = 0.995
"""From this share on a reason is taken for that of all the waste."""

SMALL = 0.05
"""Reasons with a smaller share of the waste are not in the sentence."""

_LEADS = {"placed_by": "", "not_moved_because": "not moved because ", "ended_by": "ended when "}


def answer_words(question: str, answer: str) -> str:
    """An answer to a question (both as the tables name them) in the few words of lists and tables."""
    return _WORDS[question][answer]


def answer_clause(question: str, answer: str) -> str:
    """An answer as a clause: `not moved because no idle CPU was kicked to balance`."""
    return f"{_LEADS[question]}{_SENTENCES[question][answer]}"


@dataclass(frozen=True)
class KnownAnswer:
    """An answer of a cause as a clause, with its proof."""

    question: Question
    clause: str
    proof: str
    share: float | None
    """Of how much of the cause's waste it is the answer; None: of all, or it is not recorded."""
    proved: float | None
    """Of how much of that it is proved, where that is neither what `proof` says of all nor of none; else None."""
    others: tuple[tuple[str, float], ...]
    """Other reasons for which threads were not moved, each as a clause with its share."""


def known_answers(cause: Mapping[str, Any]) -> list[KnownAnswer]:
    """What is known of a cause (a row of `causes.sql` or `episode.sql`), each answer with its level of proof.

    Where the reasons have shares (`causes.sql`) and the first is not that of all the waste, it has its share.
    """
    return [
        KnownAnswer(
            q, answer_clause(q, cause[q]), cause[f"{q}_proof"], _share(cause, q), _proved(cause, q), _others(cause, q)
        )
        for q in QUESTIONS
        if cause[q] != "unknown"
    ]


def cause_sentence(cause: Mapping[str, Any]) -> str:
    """The known answers of a cause as one text."""
    return "; ".join(_answer_text(answer) for answer in known_answers(cause)) or "not known"


def _answer_text(answer: KnownAnswer) -> str:
    """`queued there by a wakeup (proved)`, with shares where there are any."""
    if answer.share is None:
        how = proof_text(answer.proof, answer.proved)
    elif answer.proved is None:
        how = f"{answer.proof}, for {percent(answer.share)} of it"
    else:
        how = f"for {percent(answer.share)} of it, {percent(answer.proved)} of that proved"
    others = "".join(f", {clause} ({percent(share)})" for clause, share in answer.others)
    return f"{answer.clause} ({how}){others}"


def proof_text(proof: str, proved: float | None) -> str:
    """`proved`, `proved for 61.5 %`, `consistent, proved for 20 %`: a level of proof that does not hold of all."""
    if proved is None:
        return proof
    return f"proved for {percent(proved)}" if proof == "proved" else f"{proof}, proved for {percent(proved)}"


def _proved(cause: Mapping[str, Any], question: Question) -> float | None:
    """Of how much of the time of the answer it is proved; None where its proof says so of all, or it is not known."""
    share = (cause.get("proved") or {}).get(question)
    if share is None or share < SMALL or share >= WHOLE:
        return None
    return float(share)


def _others(cause: Mapping[str, Any], question: Question) -> tuple[tuple[str, float], ...]:
    """`because …`, 0.12: the other reasons for which threads were not moved, with their shares."""
    if question != "not_moved_because":
        return ()
    others = (r for r in cause.get("reasons") or () if r["reason"] not in ("unknown", cause[question]))
    return tuple((f"because {_SENTENCES[question][r['reason']]}", r["share"]) for r in others if r["share"] >= SMALL)


def prevention_sentence(prevented: Mapping[str, float], reason: str) -> str:
    """Which other decisions would have prevented the waste (`prevented` of `causes.sql` or `episode.sql`).

    `reason`: the answer to `not_moved_because`. Empty where those are not known. Where neither decision alone would
    have prevented what the two would have, it says so.
    """
    either = prevented["either"]
    classes = {"ext_": "sched_ext scheduler", "realtime_": "real-time class"}
    decider = next((name for prefix, name in classes.items() if reason.startswith(prefix)), "balancer")
    shares = {
        f"either another placement or another decision of the {decider}": either,
        "another placement": prevented["placement"] - either,
        f"another decision of the {decider}": prevented["balancing"] - either,
    }
    named = [(who, share) for who, share in shares.items() if share >= SMALL]
    if not named:
        return ""
    (who, share), *rest = named
    first = f"{who[0].upper()}{who[1:]} would have prevented {percent(min(share, 1.0))} of it"
    further = "; ".join([first, *(f"{who} a further {percent(share)}" for who, share in rest)])
    one_is_not_enough = min(prevented["placement"], prevented["balancing"]) - either >= SMALL
    return f"{further}: to prevent all of that takes both." if one_is_not_enough else f"{further}."


def _share(cause: Mapping[str, Any], question: Question) -> float | None:
    """Of how much of the waste the reason is recorded; None where it is that of all."""
    if question != "not_moved_because":
        return None
    shares = [r["share"] for r in cause.get("reasons") or () if r["reason"] == cause[question]]
    return shares[0] if shares and shares[0] < WHOLE else None


def cause_cells(cause: Mapping[str, Any], recurrent: bool = False) -> list[str]:
    """The answers for the columns of a table, each with its level of proof."""
    mark = "*" if recurrent else ""
    known = ((q, cause[q], proof_text(cause[f"{q}_proof"], _proved(cause, q))) for q in QUESTIONS)
    return [f"{answer_words(q, answer)} ({proof}){mark}" if answer != "unknown" else "-" for q, answer, proof in known]


def evidence_needed(cause: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]]) -> list[EvidenceKind]:
    """Kinds of evidence, not recorded throughout, that would answer what is unknown of a cause."""
    recorded = {row["kind"] for row in evidence if row["state"] == "recorded"}
    needed: list[EvidenceKind] = []
    for question in (question for question in QUESTIONS if cause[question] == "unknown"):
        first, further = (
            [kind for kind in kinds[question] if kind not in recorded] for kinds in (EVIDENCE_FOR, FURTHER_EVIDENCE)
        )
        needed += first or further
    return list(dict.fromkeys(needed))


def needs_domains(cause: Mapping[str, Any], trace: Mapping[str, Any]) -> bool:
    """Whether the scheduling domains, which an import can declare, would answer why a thread was not moved."""
    imported = trace["source"] not in (*LIVE_SOURCES, "simulation")
    return imported and not trace["has_domains"] and cause["not_moved_because"] == "unknown"


def missing_evidence_text(
    cause: Mapping[str, Any],
    evidence: Sequence[Mapping[str, Any]],
    trace: Mapping[str, Any],
    with_reasons: bool = True,
) -> str:
    """What of a cause is not known and which evidence would show it; empty where all of it is known.

    `evidence` are rows of `evidence.sql`, `trace` is that of `trace.sql`: its source decides how the evidence can be
    had. `with_reasons`: why a live recording does not have it.
    """
    unknown = [question for question in QUESTIONS if cause[question] == "unknown"]
    if not unknown:
        return ""
    asked = " and ".join(QUESTION_WORDS[question] for question in unknown)
    verb = "is" if len(unknown) == 1 else "are"
    named = _all_needed(cause, evidence, trace)
    if not named:
        return f"Not known although all evidence that could show it was recorded: {asked}."
    needed, domains = evidence_needed(cause, evidence), needs_domains(cause, trace)
    how = [
        *([f"{DECLARE_DOMAINS} to declare the domains"] if domains else []),
        *([how_to_record(needed, evidence, trace, with_reasons, besides_domains=domains)] if needed else []),
    ]
    return f"{asked[0].upper()}{asked[1:]} {verb} not known: {_listed(named, 'or')} would show it. {_as_sentence(how)}"


def not_known_text(cause: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]], trace: Mapping[str, Any]) -> str:
    """What would show an unknown answer, below a heading that says which: `missing_evidence_text` without the rest."""
    named = _all_needed(cause, evidence, trace)
    if not named:
        return "Not known, although all evidence that could show it was recorded."
    return f"Not known: {_listed(named, 'or')} would show it."


def _all_needed(cause: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]], trace: Mapping[str, Any]) -> list[str]:
    domains = ["the machine's scheduling domains"] if needs_domains(cause, trace) else []
    return [*domains, *_needed_names(evidence_needed(cause, evidence), evidence)]


def needed_named(needed: Sequence[EvidenceKind], evidence: Sequence[Mapping[str, Any]]) -> str:
    """`more load-balance attempts or placements of threads`: kinds by name, `more` of what is recorded in part."""
    return _listed(_needed_names(needed, evidence), "or")


def _needed_names(needed: Sequence[EvidenceKind], evidence: Sequence[Mapping[str, Any]]) -> list[str]:
    partial = _recorded_in_part(evidence)
    return [f"{'more ' if kind in partial else ''}{EVIDENCE_KIND_WORDS[kind]}" for kind in needed]


def _recorded_in_part(evidence: Sequence[Mapping[str, Any]]) -> set[str]:
    return {row["kind"] for row in evidence if row["state"] == "partial"}


def how_to_record(
    needed: Sequence[EvidenceKind],
    evidence: Sequence[Mapping[str, Any]],
    trace: Mapping[str, Any],
    with_reasons: bool = True,
    besides_domains: bool = False,
) -> str:
    """How to record these kinds of evidence, where the text before named them (and the domains): a sentence."""
    source = trace["source"]
    one, many = ("the other", "the others") if besides_domains else ("it", "them")
    them = many if len(needed) > 1 else one
    if source in LIVE_SOURCES:
        lacking = [row for row in evidence if row["kind"] in needed and row["why"]] if with_reasons else []
        why = f" Not recorded here: {kinds_with_reasons(lacking)}." if lacking else ""
        return f"`wastenot doctor` says whether a machine can record {them}.{why}"
    if source == "simulation":
        if not {kind for kinds in EVIDENCE_FOR.values() for kind in kinds}.intersection(needed):
            return f"The simulator does not write {them}."
        level = "L3" if set(needed) == {"schedstat_counters"} else "L2"
        return f"`wastenot simulate --evidence-level {level}` writes them."
    absent = [kind for kind in needed if kind not in _recorded_in_part(evidence)]
    function = load_balance_function(trace["kernel"])
    others = [BY_OTHER_TOOLS[kind].format(load_balance=function) for kind in absent if kind in BY_OTHER_TOOLS]
    also = f", and so {'does' if len(others) == 1 else 'do'} {_listed(others, 'and')}" if others else ""
    return f"`wastenot record` provides {them} where `wastenot doctor` says so{also}."


def load_balance_function(kernel: str | None) -> str:
    """The kernel's function of a load-balance attempt, by the release of `kernel`; both names if that is not known."""
    release = re.match(r"(\d+)\.(\d+)", kernel or "")
    if release is None:
        return "sched_balance_rq (load_balance before 6.10)"
    is_renamed = (int(release[1]), int(release[2])) >= SCHED_BALANCE_RQ_FROM
    return "sched_balance_rq" if is_renamed else "load_balance"


def kinds_with_reasons(rows: Sequence[Mapping[str, Any]]) -> str:
    """`kicks of idle CPUs, placements of threads (why)`: kinds of evidence by name, those with one reason together."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        by_reason.setdefault(row["why"] or "", []).append(EVIDENCE_KIND_WORDS[row["kind"]])
    return "; ".join(f"{', '.join(names)} ({why})" if why else ", ".join(names) for why, names in by_reason.items())


def _as_sentence(clauses: Sequence[str]) -> str:
    return f"{'; '.join(clauses).rstrip('.')}."


def _listed(texts: Sequence[str], last: str) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"

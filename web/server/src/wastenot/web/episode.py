"""One episode as its page shows it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from wastenot.analyzer import Trace
from wastenot.analyzer.model.verdict import EpisodeData
from wastenot.analyzer.text.causes import cause_sentence, evidence_needed, missing_evidence_text
from wastenot.analyzer.text.diagnosis import answers
from wastenot.analyzer.text.repairs import repairs
from wastenot.analyzer.text.units import counted, duration
from wastenot.web.models import (
    Answer,
    Diagnosis,
    Episode,
    EpisodeEvent,
    EpisodePage,
    EpisodePair,
    PairDomain,
    Repair,
    WaitingThread,
)

SIMILAR = 12


def with_sentence(row: dict[str, Any]) -> dict[str, Any]:
    """A row of `episode` with what happened in one sentence."""
    cores = row["total_core_ns"] / max(row["dur_ns"], 1)
    text = (
        f"{cores:.1f} cores wasted for {duration(row['dur_ns'])}: {counted(row['threads'], 'thread')} waited on "
        f"{_cpus(row['overloaded_cpus'])} beside {_cpus(row['idle_cpus'], 'idle ')}{_at_once(row)}."
    )
    return {**row, "sentence": text}


def _at_once(row: dict[str, Any]) -> str:
    """How many of the idle CPUs were wasted at once, where never all were."""
    is_timed = row["grade"] != "recurrent"
    return f", at most {row['peak']} at once" if is_timed and row["peak"] < len(row["idle_cpus"]) else ""


def _cpus(cpus: list[int], what: str = "") -> str:
    """One CPU by its number, more of them by how many there are: which ones is said beneath."""
    return f"{what}CPU {cpus[0]}" if len(cpus) == 1 else counted(len(cpus), f"{what}CPU")


def page_of(trace: Trace, number: int) -> EpisodePage:
    """Everything about episode `number`; BadArgument when there is none."""
    found = trace.episode(number, events=200)
    pairs = found.threads.rows()
    row = with_sentence(found.row)
    return EpisodePage(
        episode=Episode(**row),
        threads=_threads(pairs),
        pairs=[EpisodePair(**{**p, "event_ids": p["event_ids"] or []}) for p in pairs],
        events=[EpisodeEvent(**e) for e in found.events.rows()],
        rests_on=found.rests_on,
        diagnosis=_diagnosis(row, pairs, found),
        domains=_domains(trace, pairs, row["start_ns"]),
        similar=[Episode(**with_sentence(s)) for s in _similar(trace, row)],
    )


def _threads(pairs: list[dict[str, Any]]) -> list[WaitingThread]:
    total: dict[int, int] = defaultdict(int)
    known = {p["utid"]: p for p in pairs}
    for p in pairs:
        total[p["utid"]] += p["core_ns"]
    return [
        WaitingThread(utid=utid, tid=known[utid]["tid"], name=known[utid]["name"], core_s=ns / 1e9)
        for utid, ns in sorted(total.items(), key=lambda item: (-item[1], item[0]))
    ]


def _diagnosis(row: dict[str, Any], pairs: list[dict[str, Any]], found: EpisodeData) -> Diagnosis:
    causes, kernel = found.causes.rows(), found.trace["kernel"]
    event_ids = sorted({e for p in pairs for e in p["event_ids"] or []})
    questions = ("placed_by", "not_moved_because", "ended_by")
    cause = {k: row[k] for k in (*questions, "proof", *(f"{q}_proof" for q in questions))}
    return Diagnosis(
        text=cause_sentence(row),
        answers=[Answer(**a) for a in answers(row, causes, kernel)],
        needs=evidence_needed(row, found.evidence),
        needed=missing_evidence_text(row, found.evidence, found.trace),
        repairs=[Repair(**r) for r in repairs(row, causes, kernel)],
        event_ids=event_ids,
        **cause,
    )


def _domains(trace: Trace, pairs: list[dict[str, Any]], at_ns: int) -> list[PairDomain]:
    """The domains of the idle CPU of the pair with most waste, as they were at a time (ns)."""
    if not pairs:
        return []
    idle, queue = pairs[0]["idle_cpu"], pairs[0]["waited_on"]
    rows = trace.sql(
        """SELECT level, name, span FROM domain
           WHERE cpu = $cpu AND name <> 'none'
             AND since_ns = (SELECT coalesce(max(since_ns) FILTER (since_ns <= $at), min(since_ns)) FROM domain)
           ORDER BY level""",
        {"cpu": idle, "at": at_ns},
    ).rows()
    joining = [r["level"] for r in rows if queue in r["span"]]
    lowest = min(joining) if joining else None
    return [
        PairDomain(
            level=r["level"],
            name=r["name"],
            span=r["span"],
            joins=queue in r["span"],
            lowest_common=r["level"] == lowest,
        )
        for r in rows
    ]


def _similar(trace: Trace, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Other episodes of the same cause and distance, those of most similar length and place first."""
    waste = row["within"] or row["episode_id"]
    others = [e for e in trace.episodes("all").rows() if (e["within"] or e["episode_id"]) != waste]
    same = [
        e for e in others if all(e[k] == row[k] for k in ("distance", "placed_by", "not_moved_because", "ended_by"))
    ]

    def dissimilarity(e: dict[str, Any]) -> tuple[int, float]:
        elsewhere = len(set(e["idle_cpus"]) ^ set(row["idle_cpus"])) + len(
            set(e["overloaded_cpus"]) ^ set(row["overloaded_cpus"])
        )
        longer = max(e["dur_ns"], row["dur_ns"]) / max(min(e["dur_ns"], row["dur_ns"]), 1)
        return elsewhere, longer

    return sorted(same, key=dissimilarity)[:SIMILAR]

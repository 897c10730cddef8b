"""The verdict, an episode and waits as the objects that `--json` prints. All keys are always there; times in ns."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from wastenot.analyzer.model.latency import Latency
from wastenot.analyzer.model.verdict import EpisodeData, Suspicion, VerdictData
from wastenot.analyzer.text.causes import QUESTIONS, cause_sentence, evidence_needed
from wastenot.analyzer.text.diagnosis import diagnosis
from wastenot.analyzer.text.latency import latency_sentence
from wastenot.analyzer.text.repairs import repairs
from wastenot.analyzer.text.sentences import sched_ext_line, suspicion_text
from wastenot.schemas.generated.enums import GRADE_VALUES

JSON_SCHEMA = 3
"""Version of the verdict's object."""

LATENCY_SCHEMA = 1
"""Version of the object of `wastenot latency`."""


def verdict_json(v: VerdictData) -> dict[str, Any]:
    """The object that `wastenot check --json` prints."""
    facts, f = v.trace, v.figures
    grades = {g["grade"]: {"count": g["episodes"], "core_s": g["core_ns"] / 1e9} for g in v.grades}
    return {
        "schema": JSON_SCHEMA,
        "trace": {k: facts[k] for k in ("source", "kernel", "preemption", "cpus", "start_ns", "end_ns", "events")}
        | {"sched_ext": sched_ext_line(facts) or None}
        | {"evidence_level": facts["evidence_level"], "evidence": v.evidence},
        "wasted": {
            "core_s": f["wasted_ns"] / 1e9,
            "certain_core_s": f["certain_ns"] / 1e9,
            "idle_while_waiting_core_s": f["idle_while_waiting_ns"] / 1e9,
            "share": f["share"],
            "lower_bound": v.is_lower_bound,
            "excused_core_s": {e["excuse"]: e["core_ns"] / 1e9 for e in v.excuses},
        },
        "episodes": {grade: grades[grade] for grade in GRADE_VALUES},
        "causes": _causes(v, recurrent=False),
        "recurrent_causes": _causes(v, recurrent=True),
        "worst": [
            {"id": e["episode_id"], "start_ns": e["start_ns"], "end_ns": e["end_ns"]}
            | {"core_s": e["total_core_ns"] / 1e9}
            | {k: e[k] for k in ("grade", "severity", "idle_cpus", "overloaded_cpus")}
            | {"threads": e["waited"]}
            for e in v.worst
        ],
        "data_quality": {
            "lost_events": v.lost_events,
            "unobserved_share": f["unobserved_share"],
            "unknown_mask_threads": v.count("unknown_mask_threads"),
            "rejected": v.by_reason("rejected"),
            "contradictions": v.by_reason("contradiction"),
            "repaired": v.by_reason("repaired"),
            "bubbles": v.by_reason("bubble"),
            "placements_inferred": v.count("placements_inferred"),
            "idle_with_queue_share": v.by_reason("self_check_ppm").get("idle_with_queue", 0) / 1e6,
            "suspect": [_suspicion(s) for s in v.suspicions],
            "unverified": facts["unverified"],
            "notes": facts["notes"],
            "not_seen": ["wakeups"] if v.is_lower_bound else [],
            "silent_cpus": facts["silent_cpus"],
            "looks_pinned": [
                {k: p[k] for k in ("name", "threads", "cpus")} | {"avoidable_wait_s": p["avoidable_wait_ns"] / 1e9}
                for p in v.looks_pinned
            ],
        },
        "severity": v.severity,
        "severities": {
            s["severity"]: {"count": s["episodes"], "core_s": max(s["timed_ns"], s["recurrent_ns"]) / 1e9}
            for s in v.severities
        },
        "thresholds_ns": v.thresholds_ns,
        "main_reason": _main_reason(v),
    }


def _suspicion(s: Suspicion) -> dict[str, Any]:
    return {"check": s.check, "count": s.count, "share": s.share, "sentence": suspicion_text(s)}


def _main_reason(v: VerdictData) -> dict[str, Any] | None:
    reason = v.main_reason
    if reason is None:
        return None
    return _cause(v, reason.cause) | {"share": reason.share, "episode": reason.episode}


def _causes(v: VerdictData, recurrent: bool) -> list[dict[str, Any]]:
    return [_cause(v, c) for c in v.causes if c["recurrent"] == recurrent]


def _cause(v: VerdictData, c: dict[str, Any]) -> dict[str, Any]:
    return (
        {k: c[k] for k in ("placed_by", "ended_by", "proof")}
        | {"not_moved_because": c["reasons"], "sentence": cause_sentence(c)}
        | {"needs": evidence_needed(c, v.evidence)}
        | {f"{q}_proof": c[f"{q}_proof"] for q in QUESTIONS}
        | {"prevented": c["prevented"], "core_s": c["core_ns"] / 1e9, "episodes": c["episodes"]}
    )


def episode_json(e: EpisodeData) -> dict[str, Any]:
    """The object that `wastenot episode --json` prints."""
    return {
        **e.row,
        "diagnosis": dict(diagnosis(e.row, e.causes.rows(), e.evidence, e.trace)),
        "causes": e.causes.rows(),
        "repairs": repairs(e.row, e.causes.rows(), e.trace["kernel"]),
        "waited": e.threads.rows(),
        "events": e.events.rows(),
        "rests_on": e.rests_on,
        "thresholds_ns": e.thresholds_ns,
    }


def latency_json(found: Latency) -> dict[str, Any]:
    """The object that `wastenot latency --json` prints. All keys are always there; times in ns."""
    return {
        "schema": LATENCY_SCHEMA, "sentence": latency_sentence(found), "by": found.by,
        "of": None if found.of is None else [asdict(group) for group in found.of], "after": found.after,
        "sort": found.sort, "start_ns": found.start_ns, "end_ns": found.end_ns,
        "wakeups_not_seen": found.wakeups_not_seen, "lost_events": found.lost_events, "total": found.total,
        "groups": found.groups, "longest": found.longest,
    }  # fmt: skip

"""What distinguishes a recording from others: when, where and of what it was made, and what it holds."""

from __future__ import annotations

import duckdb
from wastenot.analyzer.text.causes import LIVE_SOURCES
from wastenot.analyzer.text.sentences import sched_ext_line
from wastenot.web.comparing import machine_facts
from wastenot.web.library import OpenTrace
from wastenot.web.models import Evidence, Identity
from wastenot.web.trace_request import run_query

FACTS = (
    "source", "recorder", "command", "preemption", "clock", "epoch_ns", "start_ns", "end_ns", "end_reason", "complete",
    "events", "evidence_level", "notes", "unverified", "shows_wakeups",
)  # fmt: skip

NO_KERNEL = "0.0"
"""Kernel release in traces of a bubble scheduler in user space, which is not a kernel."""


def identity_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace) -> Identity:
    """The identity of a recording; None for what it does not hold."""
    trace = opened.trace.on(cursor)
    facts = trace.metric("trace").one()
    model, shape = machine_facts(cursor, opened)
    machine = run_query(cursor, opened, "identity").to_pylist()[0]
    return Identity.model_validate(
        {k: facts[k] for k in FACTS}
        | {name: n if n >= 0 else None for name, n in shape._asdict().items()}
        | {
            "live": facts["source"] in LIVE_SOURCES,
            "kernel": None if facts["kernel"] == NO_KERNEL else facts["kernel"],
            "sched_ext": sched_ext_line(facts) or None,
            "model": model,
            "arch": machine["arch"],
            "host": machine["host"],
            "has_wakings": machine["has_wakings"],
            "has_attempt_scans": machine["has_attempt_scans"],
            "deepest_idle_state": machine["deepest_idle_state"],
            "highest_khz": machine["highest_khz"],
            "evidence": [Evidence(**row) for row in trace.metric("evidence").rows()],
        }
    )

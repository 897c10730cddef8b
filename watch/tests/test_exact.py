"""The exact mode's counters, read from a recording in steps, are the figures of its check."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from drawn import ROOT, S
from samples import read_as_before
from wastenot._native.watch import replay_counters
from wastenot.analyzer import CheckOptions, build, open_trace
from wastenot.watch.box_verdict import LISTED
from wastenot.watch.kernel_exact import CauseSums, counters_of, nodes_of
from wastenot.watch.model.readings import exact_reading
from wastenot.watch.model.status import ExactCounters

PARTS = ("two-cpus.part", "rig/released-6.12-8.part", "rig/throttled-6.12-8.part")


@pytest.fixture(params=PARTS)
def part(request: pytest.FixtureRequest) -> Path:
    return ROOT / "fixtures/traces" / str(request.param)


def steps(part: Path) -> list[tuple[dict[str, Any], ExactCounters]]:
    found = [json.loads(text) for text in replay_counters(part, S // 4)]
    numbers = {row["cgroup_id"] for row in found[-1]["waits"] if row["cgroup_id"] is not None}
    causes = CauseSums(nodes_of(json.loads((part / "machine.json").read_text())))
    cgroups = {n: f"/{n}" for n in numbers}
    return [(f, counters_of(f, f["waits"], cgroups, causes.add(f["finished"]))) for f in found]


def test_the_last_counters_are_the_figures_of_the_check(part: Path, tmp_path: Path) -> None:
    read_as_before(part, tmp_path / "T.duckdb.part")
    build(tmp_path / "T.duckdb.part", tmp_path / "T.duckdb", CheckOptions())
    _, last = steps(part)[-1]
    with open_trace(tmp_path / "T.duckdb") as trace:
        verdict = trace.verdict()
        waited = trace.sql("SELECT coalesce(sum(wait_ns), 0)::BIGINT AS ns FROM cgroup_wait").one()["ns"]
        listed = trace.metric("episodes", grades=LISTED, severities=[], parts=True, limit=10**6).rows()
    figures = verdict.figures
    for name in ("wasted_ns", "certain_ns", "idle_while_waiting_ns", "online_ns"):
        assert getattr(last, name) == figures[name], name
    assert dict(last.excused_ns) == {e["excuse"]: e["core_ns"] for e in verdict.excuses}
    assert sum(w.ns for w in last.new_waits) == waited
    assert last.wasted_ns > 0 and last.new_waits
    ended = [length for _, counters in steps(part) for length in counters.ended_ns]
    assert sorted(ended) == sorted(e["dur_ns"] for e in listed) and ended
    by_cause: dict[str, int] = defaultdict(int)
    for (cause, node), ns in last.wasted_by.items():
        by_cause[cause] += ns
        assert node >= 0
    timed = [e for e in listed if e["grade"] != "recurrent"]
    assert by_cause == {c: sum(e["core_ns"] for e in timed if e["not_moved_because"] == c) for c in by_cause}
    assert sum(by_cause.values()) == sum(e["core_ns"] for e in timed) <= last.wasted_ns


def test_what_is_counted_never_decreases(part: Path) -> None:
    found = [counters for _, counters in steps(part)]
    assert len(found) > 3
    for before, after in itertools.pairwise(found):
        assert after.wasted_ns >= before.wasted_ns and after.time_ns >= before.time_ns
        assert all(after.excused_ns[k] >= ns for k, ns in before.excused_ns.items())
        assert all(after.wasted_by[k] >= ns for k, ns in before.wasted_by.items())
        first, second = exact_reading(before), exact_reading(after)
        assert all(second.core_ns[k] >= ns for k, ns in first.core_ns.items())

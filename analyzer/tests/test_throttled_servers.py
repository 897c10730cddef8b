"""A deadline thread whose server has no runtime waits for its next period, not for a CPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from deadline_tasks import LATE, THROTTLED
from drawing import build_drawn
from wastenot.analyzer import CheckOptions, open_trace
from wastenot.analyzer.deadlines import find_deadlines


@pytest.mark.parametrize("drawing", [THROTTLED, LATE])
def test_it_is_throttled_and_nothing_is_wasted_or_suspect(tmp_path: Path, drawing: str) -> None:
    build_drawn(drawing, tmp_path / "T.duckdb", CheckOptions(tables="all"))
    with open_trace(tmp_path / "T.duckdb") as trace:
        verdict = trace.verdict().to_json()
        states = trace.sql(
            "SELECT s.start_ns / 1e6 AS ms, thread_phase_name(phase) AS phase, dur_ns / 1e6 AS dur_ms "
            "FROM thread_state s JOIN thread USING (utid) WHERE tid = 100 AND s.start_ns >= 11e6 ORDER BY 1"
        )
        assert [tuple(row.values()) for row in states][:3] == [
            (11.0, "running", 5.0), (16.0, "throttled", 5.0), (21.0, "running", 2.0),
        ]  # fmt: skip
        # The jobs are those that they were: `wastenot deadlines` follows the server itself.
        late = find_deadlines(trace).report["misses"][0]
    assert late["spent_ns"]["throttled"] == 5_000_000 and late["fault"] == "own_overrun"
    assert verdict["data_quality"]["suspect"] == []
    assert verdict["wasted"]["core_s"] == 0
    assert verdict["wasted"]["excused_core_s"]["throttled"] == pytest.approx(0.005)

"""The exact verdict of one box, in a process of its own: `python -m wastenot.watch.box_verdict REQUEST`.

The request is JSON: part, target, condition, keep_ns, before_ns (the time of the trace after the trigger). Prints the
verdict as JSON. It runs with nice 10, so that checking takes CPU time that nothing else wants.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wastenot._native import WastenotError
from wastenot.analyzer.checked_trace import open_checked
from wastenot.analyzer.errors import AnalyzerError, EmptyRecording, RecordingNotStarted
from wastenot.analyzer.store.building import finish_recording, remove_recorded
from wastenot.analyzer.store.checking import CheckOptions
from wastenot.analyzer.text.causes import cause_sentence
from wastenot.analyzer.trace import Trace
from wastenot.analyzer.verdict import Verdict
from wastenot.watch.conditions import WatchCondition, parse_watch_condition
from wastenot.watch.model.boxes import BoxVerdict

NICE = 10
FAILED = 3
LISTED = ["persistent", "lasting", "recurrent", "expected"]
"""Grades whose episodes a trace lists."""

MOST_EPISODES = 10_000
"""Episodes whose lengths a verdict lists at most, those that wasted most."""

_WASTE_OF_STEPS = """
SELECT coalesce(sum(
  greatest(0, least(w.start_ns + w.dur_ns, s.stop) - greatest(w.start_ns, s.start)) * w.{column}
), 0)::BIGINT
FROM (SELECT unnest($starts) AS start, unnest($starts) + $step AS stop) s
LEFT JOIN wasted w ON w.start_ns < s.stop AND w.start_ns + w.dur_ns > s.start
GROUP BY s.start ORDER BY s.start DESC
"""
_EPISODES_OF_STEPS = """
SELECT s.start, e.total_core_ns, e.end_ns - e.start_ns AS dur_ns,
  least(e.end_ns, s.stop) - greatest(e.start_ns, s.start) AS inside_ns
FROM (SELECT unnest($starts) AS start, unnest($starts) + $step AS stop) s
JOIN episode e ON e.start_ns < s.stop AND e.end_ns > s.start
WHERE list_contains($grades, grade_name(e.grade))
"""


def main(request: dict[str, Any]) -> BoxVerdict:
    """Finish and check the box of a request; returns its verdict. Raises the analyzer's errors.

    A part folder without an event, as a watch leaves it that is killed as it begins one, is removed.
    """
    target = Path(request["target"])
    condition = parse_watch_condition(request["condition"], request["keep_ns"]) if request["condition"] else None
    timed = condition is not None and condition.for_ns > 0
    options = CheckOptions(tables="overview" if timed else "verdict")
    part = Path(request["part"])
    if part.is_dir():
        try:
            finish_recording(part, target, options)
        except (EmptyRecording, RecordingNotStarted):
            remove_recorded(part)
            raise
    with open_checked(target, options) as trace:
        verdict = trace.verdict()
        holds, figure = _holds(trace, verdict, condition, request["after_ns"])
        lengths = trace.metric("episodes", grades=LISTED, severities=[], parts=True, limit=MOST_EPISODES)
        return BoxVerdict(
            wasted_ns=verdict.figures["wasted_ns"],
            share=verdict.figures["share"],
            sentence=verdict.sentence(),
            cause="" if verdict.main_reason is None else cause_sentence(verdict.main_reason.cause),
            lost=verdict.lost_events,
            episodes_ns=tuple(row["dur_ns"] for row in lengths.rows()),
            holds=holds,
            figure=figure,
        )


def _holds(trace: Trace, verdict: Verdict, condition: WatchCondition | None, after_ns: int) -> tuple[bool, str]:
    """Whether the condition holds in the box, and the figure of it in words."""
    if condition is None:
        return True, ""
    if not condition.for_ns:
        failure = condition.expression.failure(verdict)
        return failure is not None, failure or ""
    values = _values_of_steps(trace, verdict, condition, after_ns)
    run = longest = 0
    for value in values:
        run = run + 1 if condition.expression.holds(value) else 0
        longest = max(longest, run)
    held = longest * condition.step_ns / 1e9
    return longest >= condition.steps, f"{condition.expression.text.strip()} for {held:g} s on end"


def _values_of_steps(trace: Trace, verdict: Verdict, condition: WatchCondition, after_ns: int) -> list[float]:
    """The measure in each whole step of the box, counted from the trigger to both sides, in order of time."""
    first, last, step = verdict.figures["start_ns"], verdict.figures["end_ns"], condition.step_ns
    trigger = max(first, last - after_ns)
    first = trigger - (trigger - first) // step * step
    starts = list(range(first, last - step + 1, step))
    measure = condition.expression.measure
    if not starts:
        return []
    if measure == "lost":
        return [float(verdict.lost_events)]
    if measure not in ("wasted", "certain", "idle_while_waiting"):
        return _episodes_of_steps(trace, condition, starts)
    sql = _WASTE_OF_STEPS.format(column=measure)
    with trace.cursor() as cursor:
        rows = cursor.execute(sql, {"starts": starts, "step": step}).fetchall()
    of_one = verdict.trace["cpus"] * step if condition.expression.unit == "%" else 1
    return [float(row[0]) / of_one for row in reversed(rows)]


def _episodes_of_steps(trace: Trace, condition: WatchCondition, starts: list[int]) -> list[float]:
    """Episodes of the grade or a worse one in each step: their number, or their waste, spread over their time."""
    order = ("persistent", "lasting", "expected", "in_flight", "noise")
    measure = condition.expression.measure
    grades = [measure] if measure not in order[:3] else list(order[: order.index(measure) + 1])
    arguments = {"starts": starts, "step": condition.step_ns, "grades": grades}
    with trace.cursor() as cursor:
        rows = cursor.execute(_EPISODES_OF_STEPS, arguments).fetchall()
    values = dict.fromkeys(starts, 0.0)
    for start, core_ns, dur_ns, inside_ns in rows:
        values[start] += core_ns * inside_ns / max(dur_ns, 1) if condition.expression.unit else 1
    if condition.expression.unit == "%":
        cpus = trace.sql("SELECT cpus FROM trace").one()["cpus"]
        return [value / (cpus * condition.step_ns) for value in values.values()]
    return list(values.values())


def run(argument: str) -> int:
    """Print the verdict of a request, or one line on stderr; returns the exit status."""
    os.nice(NICE)
    os.umask(0o077)
    try:
        verdict = main(json.loads(argument))
    except (AnalyzerError, WastenotError) as e:
        sys.stderr.write(f"{' '.join(str(e).split())}\n")
        return FAILED
    json.dump(asdict(verdict), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1]))

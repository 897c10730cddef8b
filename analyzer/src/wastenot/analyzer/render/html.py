"""The verdict as HTML for a notebook: the same sections as in the terminal."""

from __future__ import annotations

from html import escape

from wastenot.analyzer.model.verdict import VerdictData
from wastenot.analyzer.render.terminal import waiters
from wastenot.analyzer.text.grade_bounds import grade_bounds
from wastenot.analyzer.text.sentences import (
    data_quality_remarks,
    excused_line,
    figures_line,
    headline,
    main_reason_needs,
    main_reason_text,
    next_steps,
    not_recorded_line,
)
from wastenot.analyzer.text.units import core_seconds, cpu_list, duration


def verdict_html(v: VerdictData) -> str:
    """Sentence, figures, grades, worst episodes, data quality and next steps."""
    lines = (main_reason_text(v), main_reason_needs(v), excused_line(v), not_recorded_line(v))
    reasons = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
    figures = _rows([[name, value] for name, value in figures_line(v)])
    bounds = grade_bounds(v.trace.get("tick_ns"), v.thresholds_ns)
    grades = _rows(
        [[f"{g['grade']} ({bounds[g['grade']]})", f"{g['episodes']:,}", core_seconds(g["core_ns"])] for g in v.grades],
        ["grade", "episodes", "wasted"],
    )
    worst = _rows(
        [
            [f"#{e['episode_id']}", e["severity"], f"+{duration(e['at_ns'])}", duration(e["dur_ns"]),
             core_seconds(e["total_core_ns"]), cpu_list(e["idle_cpus"], 4), cpu_list(e["overloaded_cpus"], 4),
             waiters(e)]
            for e in v.worst
        ],
        ["worst", "severity", "at", "for", "wasted", "idle", "overloaded", "threads"],
    )  # fmt: skip
    data_quality = "".join(f"<li>{escape(r)}</li>" for r in data_quality_remarks(v))
    steps = "".join(f"<li><code>{escape(c)}</code> {escape(s)}</li>" for c, s in next_steps(v))
    return (
        f"<p><strong>{escape(headline(v))}</strong></p>{reasons}{figures}{grades}{worst if v.worst else ''}"
        f"<p>Data quality</p><ul>{data_quality}</ul><p>Next</p><ul>{steps}</ul>"
    )


def _rows(rows: list[list[str]], head: list[str] | None = None) -> str:
    top = "<tr>" + "".join(f"<th>{escape(c)}</th>" for c in head) + "</tr>" if head else ""
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table>{top}{body}</table>"

"""The verdict as HTML for a notebook: the same sections as in the terminal."""

from __future__ import annotations

from html import escape

from wastenot.analyzer.model.verdict import VerdictData
from wastenot.analyzer.render.terminal import waiters
from wastenot.analyzer.text.cause_rows import CAUSE_COLUMNS, cause_rows, causes_note, has_known_cause
from wastenot.analyzer.text.sentences import verdict_text
from wastenot.analyzer.text.units import core_seconds, cpu_list, duration
from wastenot.schemas.generated.enums import GRADE_WORDS


def verdict_html(v: VerdictData) -> str:
    """Headline, reasons, figures, grades, causes, worst episodes, data quality and next steps."""
    text = verdict_text(v)
    lines = (text.main_reason, text.needed, text.excused, text.not_recorded)
    reasons = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
    figures = _rows([[name, value] for name, value in text.figures])
    grades = _rows(
        [
            [
                f"{GRADE_WORDS[g['grade']]} ({text.grade_bounds[g['grade']]})",
                f"{g['episodes']:,}",
                core_seconds(g["core_ns"]),
            ]
            for g in v.grades
        ],
        ["grade", "episodes", "wasted"],
    )
    note = causes_note(v.causes)
    causes = f"{_rows(cause_rows(v.causes), list(CAUSE_COLUMNS))}{f'<p>{escape(note)}</p>' if note else ''}"
    worst = _rows(
        [
            [f"#{e['episode_id']}", GRADE_WORDS[e["severity"]], f"+{duration(e['at_ns'])}", duration(e["dur_ns"]),
             core_seconds(e["total_core_ns"]), cpu_list(e["idle_cpus"], 4), cpu_list(e["overloaded_cpus"], 4),
             waiters(e)]
            for e in v.worst
        ],
        ["worst", "severity", "at", "for", "wasted", "idle", "overloaded", "threads"],
    )  # fmt: skip
    data_quality = "".join(f"<li>{escape(r)}</li>" for r in text.notes)
    steps = "".join(f"<li><code>{escape(c)}</code> {escape(s)}</li>" for c, s in text.next_steps)
    return (
        f"<p><strong>{escape(text.headline)}</strong></p>{reasons}{figures}{grades}"
        f"{causes if has_known_cause(v.causes) else ''}{worst if v.worst else ''}"
        f"<p>Data quality</p><ul>{data_quality}</ul><p>Next</p><ul>{steps}</ul>"
    )


def _rows(rows: list[list[str]], head: list[str] | None = None) -> str:
    top = "<tr>" + "".join(f"<th>{escape(c)}</th>" for c in head) + "</tr>" if head else ""
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table>{top}{body}</table>"

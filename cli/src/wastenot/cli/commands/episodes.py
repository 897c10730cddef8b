"""`wastenot episodes`: the list."""

from __future__ import annotations

from pathlib import Path

from wastenot.analyzer import CheckOptions, open_trace
from wastenot.analyzer.text.grade_bounds import thresholds_text
from wastenot.analyzer.trace import GRADES, SEVERITIES
from wastenot.cli.errors import CommandError
from wastenot.cli.options import json_option, trace_argument
from wastenot.cli.output import show, show_json
from wastenot.cli.parameters import TEXT, Integer, command, option


@command()
@trace_argument
@option(
    "--grade",
    type=TEXT,
    help="Only this grade, or `all`: every grade, so that the same waste may be listed more than once.",
)
@option(
    "--severity",
    type=TEXT,
    help=f"Only those of this severity or worse: {', '.join(SEVERITIES)}; otherwise "
    "lasting or worse, and recurrent ones.",
)
@option("--limit", "-n", type=Integer(min=1), default=50, help="Rows at most.")
@json_option
def episodes(trace: Path, grade: str | None, severity: str | None, limit: int, as_json: bool) -> None:
    """List the episodes of waste, those that wasted most first. Their numbers are names, not ranks."""
    if grade is not None and severity is not None:
        raise CommandError("--grade and --severity: choose one")
    grade = known_value("--grade", grade, (*GRADES, "all"))
    severity = known_value("--severity", severity, SEVERITIES)
    with open_trace(trace) as opened:
        found = opened.episodes(grade, limit, severity)
        total = opened.sql("SELECT count(*) AS n FROM episode").one()["n"]
        everything = opened.episodes("all")
        figures = opened.metric("verdict").one()
        options = CheckOptions.from_json(figures["options"])
    if as_json:
        show_json(found.rows())
        return
    from wastenot.analyzer.render.listings import episodes_table, sum_line  # imports rich
    from wastenot.analyzer.render.terminal import AGAIN

    if found:
        show(episodes_table(found), wide=True)
        rows = {e["episode_id"] for e in found}
        more = sum(e["within"] in rows and e["episode_id"] not in rows for e in everything)
        show(sum_line(found, figures["wasted_ns"], more), wide=True)
        if len(found) == limit:
            show(f"The {limit} worst; --limit shows more.")
    else:
        worse = f"{severity} or worse" if severity else "lasting or recurrent"
        which = "" if grade == "all" else f"{grade or worse} "
        show(f"No {which}episodes" + (f"; --grade all shows all {total:,}." if total and grade is None else "."))
    if options.thresholds_ns:
        show(f"Graded with --threshold {thresholds_text(options.thresholds_ns)}; {AGAIN}.", wide=True)


def known_value(option: str, given: str | None, known: tuple[str, ...]) -> str | None:
    """The value as the analyzer names it, written as lists and tables write it or as JSON does; raises CommandError."""
    if given is None:
        return None
    name = given.strip().rstrip("*").lower().replace(" ", "_").replace("-", "_")
    if name not in known:
        elsewhere = "; recurrent is a grade (--grade recurrent)" if name == "recurrent" else ""
        raise CommandError(f"{option} {given!r}: not a {option[2:]}; one of {', '.join(known)}{elsewhere}")
    return name

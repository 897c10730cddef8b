"""The verdict and an episode as rich renderables, laid out for 80 columns."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console, ConsoleRenderable, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from wastenot.analyzer.model.verdict import EpisodeData, VerdictData
from wastenot.analyzer.render.printable import PlainTable, Printable
from wastenot.analyzer.text.cause_rows import CAUSE_COLUMNS, cause_rows, causes_note, has_known_cause
from wastenot.analyzer.text.causes import answer_words
from wastenot.analyzer.text.diagnosis import diagnosis
from wastenot.analyzer.text.grade_bounds import grade_bounds, thresholds_text
from wastenot.analyzer.text.repairs import repairs
from wastenot.analyzer.text.sentences import verdict_text
from wastenot.analyzer.text.units import core_seconds, counted, cpu_list, duration, percent
from wastenot.schemas.generated.enums import DISTANCE_WORDS, GRADE_WORDS, REPAIR_KIND_WORDS

STYLES = {"persistent": "bold red", "lasting": "red", "recurrent": "magenta", "expected": "yellow"}


GRADE_NOTE = (
    "grade: by how long an interval lasts; severity: by what a whole episode wasted,\n"
    "as if one core had been idle for that long"
)

RECURRENT_NOTE = "* recurrent: short intervals between the same CPUs, in their own grades as well"


def as_text(thing: ConsoleRenderable, width: int = 80) -> str:
    """A renderable as plain text without colour."""
    out = io.StringIO()
    Console(file=out, width=width, color_system=None, force_terminal=False).print(Printable(thing))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def verdict_view(v: VerdictData) -> Iterator[RenderableType]:
    """How much and how sure, the main reason, what was excused and not recorded; figures, tables, next steps."""
    text = verdict_text(v)
    yield Text(text.headline, style="bold" if v.lasting_ns or not v.is_certain else "")
    for paragraph in ([text.main_reason, text.needed], [text.excused, text.not_recorded]):
        lines = [line for line in paragraph if line]
        if lines:
            yield Text()
        yield from (Text(line) for line in lines)
    if text.figures:
        yield Text()
        yield _pairs(text.figures)
    if v.figures["wasted_ns"]:
        yield Text()
        yield _grades(v, text.grade_bounds)
        yield Text(GRADE_NOTE, style="dim")
        if any(g["grade"] == "recurrent" and g["episodes"] for g in v.grades):
            yield Text(RECURRENT_NOTE, style="dim")
    if has_known_cause(v.causes):
        yield Text()
        yield _causes(v)
    if v.worst:
        yield Text()
        yield _worst(v)
        if any(e["grade"] == "recurrent" for e in v.worst):
            yield Text(RECURRENT_NOTE, style="dim")
    yield Text()
    yield Text("data quality", style="bold")
    for remark in text.notes:
        yield _item(remark)
    yield Text("next", style="bold")
    for command, shows in text.next_steps:
        yield Padding(Text.assemble((command, "cyan"), f"  # {shows}"), (0, 0, 0, 2))
    yield Text("Terms: `wastenot glossary`", style="dim")


def _item(text: str) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=3, justify="right")
    grid.add_column()
    grid.add_row("-", Text(text))
    return grid


def _pairs(pairs: list[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column()
    for name, value in pairs:
        grid.add_row(name, Text(value))
    return grid


def plain_table(*columns: tuple[str, str]) -> Table:
    """A table without lines, of columns given as (name, left or right)."""
    table = PlainTable()
    for name, justify in columns:
        table.add_column(name, justify="right" if justify == "right" else "left", overflow="fold")
    return table


def _grades(v: VerdictData, bounds: Mapping[str, str]) -> Table:
    table = plain_table(("grade", "left"), ("episodes", "right"), ("wasted", "right"), ("share", "right"))
    for g in v.grades:
        if g["episodes"] or g["core_ns"]:
            share = g["core_ns"] / v.figures["wasted_ns"]
            note = percent(share) if g["grade"] != "recurrent" else "*"
            name = Text.assemble(
                (GRADE_WORDS[g["grade"]], STYLES.get(g["grade"], "")), (f" ({bounds[g['grade']]})", "dim")
            )
            table.add_row(name, f"{g['episodes']:,}", core_seconds(g["core_ns"]), note)
    return table


IDLE_WIDTH = 9
"""Of the column of idle CPUs where lists are long: three of them and the dots."""


def _worst(v: VerdictData) -> Table:
    table = plain_table(
        ("episode", "right"), ("severity", "left"), ("at", "right"), ("for", "right"), ("wasted", "right"),
        ("idle", "left"), ("overloaded", "left"), ("threads", "left"),
    )  # fmt: skip
    table.columns[1].no_wrap = True
    if any(max(len(cpu_list(e[of], 3)) for of in ("idle_cpus", "overloaded_cpus")) > IDLE_WIDTH for e in v.worst):
        # Fixed, so that long lists of CPUs do not fold the heading beside them.
        table.columns[5].width, table.columns[6].width = IDLE_WIDTH, len("overloaded")
    for e in v.worst:
        table.add_row(
            str(e["episode_id"]),
            severity_text(e),
            f"+{duration(e['at_ns'])}",
            duration(e["dur_ns"]),
            core_seconds(e["total_core_ns"]).removesuffix(" core-s"),
            cpu_list(e["idle_cpus"], 3),
            cpu_list(e["overloaded_cpus"], 3),
            Text(waiters(e)),
        )
    return table


def severity_text(e: dict[str, Any]) -> Text:
    """An episode's severity, with a mark where it is made of short intervals."""
    mark = "*" if e["grade"] == "recurrent" else ""
    return Text(f"{e['severity'].replace('_', ' ')}{mark}", style=STYLES.get(e["severity"], ""))


def _causes(v: VerdictData) -> Table:
    table = plain_table(*((name, "right" if name in ("episodes", "core-s") else "left") for name in CAUSE_COLUMNS))
    for row in cause_rows(v.causes):
        table.add_row(*map(Text, row))
    table.caption = causes_note(v.causes) or None
    table.caption_justify = "left"
    return table


def waiters(e: dict[str, Any]) -> str:
    """`4: burn (2), cc1`: how many threads waited, and the names of those that waited longest."""
    names: dict[str, int] = {}
    for t in e["waited"]:
        name = t["name"] or f"tid {t['tid']}"
        names[name] = names.get(name, 0) + 1
    shown = [f"{name} ({n})" if n > 1 else name for name, n in list(names.items())[:2]]
    return f"{e['threads']}{': ' if shown else ''}{', '.join(shown)}{' ...' if len(names) > 2 else ''}"


def episode_view(e: EpisodeData) -> Iterator[RenderableType]:
    """What happened, where, the cause, the threads, the events."""
    row = e.row
    cores = row["total_core_ns"] / max(row["dur_ns"], 1)
    yield Text.assemble(
        (f"Episode {row['episode_id']}, {_kind(row)}: ", STYLES.get(row["severity"], "bold")),
        f"{cores:.1f} cores wasted for {duration(row['dur_ns'])} ({core_seconds(row['total_core_ns'])}), "
        f"from +{duration(row['at_ns'])}.",
    )
    yield Text()
    yield _pairs(
        [
            ("idle CPUs", cpu_list(row["idle_cpus"])),
            ("overloaded CPUs", cpu_list(row["overloaded_cpus"])),
            ("distance", DISTANCE_WORDS[row["distance"]]),
            ("lowest domain", row["domain"] or "none or unknown"),
            ("peak", f"{_peak(row)}, {counted(row['threads'], 'thread')} waited"),
            ("grade", _grade(row, grade_bounds(e.tick_ns, e.thresholds_ns))),
            ("severity", f"{GRADE_WORDS[row['severity']]}: by its {core_seconds(row['total_core_ns'])}"),
            *_place(row),
            ("excused in it", core_seconds(row["excused_core_ns"])),
            ("times", f"{row['start_ns']} .. {row['end_ns']} ns"),
        ]
    )
    if e.thresholds_ns:
        yield Text(f"Graded with --threshold {thresholds_text(e.thresholds_ns)}; {AGAIN}.", style="yellow")
    yield Text()
    yield _pairs(diagnosis(row, e.causes.rows(), e.evidence, e.trace))
    if len(e.causes):
        yield Text()
        yield _answers(e)
    advised = repairs(e.row, e.causes.rows(), e.trace["kernel"])
    if advised:
        yield Text()
        yield from _repairs(advised)
    if len(e.threads):
        yield Text()
        yield _threads(e)
    if len(e.events):
        yield Text()
        yield _events(e)


AGAIN = "`wastenot check` grades by the definition again"


def _peak(row: dict[str, Any]) -> str:
    """How many cores were wasted at once; of a recurrent episode only how many took part is known."""
    if row["grade"] == "recurrent":
        return f"{counted(row['peak'], 'idle CPU')} took part"
    return f"{counted(row['peak'], 'core')} at once"


def _grade(row: dict[str, Any], bounds: dict[str, str]) -> str:
    """The grade with how long its intervals last, and how much of the waste was in longer ones."""
    text = f"{GRADE_WORDS[row['grade']]}: intervals of {bounds[row['grade']]}"
    if row["grade"] == "recurrent":
        return f"recurrent: {bounds['recurrent']}"
    longer = row["total_core_ns"] - row["core_ns"]
    return f"{text}; {core_seconds(longer)} of its waste in longer ones" if longer else text


HELD_SHOWN = 8
"""Episodes within another that its page names."""


def _place(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Which row of the list has this episode's waste, and which episodes have theirs in its row."""
    out = []
    if row["part_of"] is not None:
        out.append(("part of", f"episode {row['part_of']}, the same waste"))
    elif row["within"] is not None:
        out.append(("lies within", f"episode {row['within']}, whose waste holds this one's"))
    if row["holds"]:
        named = ", ".join(str(number) for number in row["holds"][:HELD_SHOWN])
        more = f" and {len(row['holds']) - HELD_SHOWN:,} more" if len(row["holds"]) > HELD_SHOWN else ""
        out.append(("within it", f"{'episodes' if len(row['holds']) > 1 else 'episode'} {named}{more}"))
    return out


REPAIRS_SHOWN = 8
"""Repairs that the page of an episode shows."""


def _repairs(advised: list[dict[str, Any]]) -> Iterator[RenderableType]:
    """What to check or change, each with where that stands."""
    yield Text("to check or change", style="bold")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for r in advised[:REPAIRS_SHOWN]:
        kernels = "" if r["kernels"] == "all" else f" (kernels {r['kernels']})"
        grid.add_row(REPAIR_KIND_WORDS[r["kind"]], Text.assemble(f"{r['text']}{kernels}", "\n", (r["source"], "dim")))
    yield Padding(grid, (0, 0, 0, 2))
    if len(advised) > REPAIRS_SHOWN:
        pages = dict.fromkeys(f"docs/causes/{r['question']}/{r['rule']}.md" for r in advised[REPAIRS_SHOWN:])
        yield Text(f"  and {len(advised) - REPAIRS_SHOWN} more: {', '.join(pages)}", style="dim")


def _kind(row: dict[str, Any]) -> str:
    severity = GRADE_WORDS[row["severity"]]
    return f"{severity}, recurrent" if row["grade"] == "recurrent" else severity


def _answers(e: EpisodeData) -> Table:
    """What the rules answered, heaviest first; alternatives in brackets."""
    table = plain_table(("question", "left"), ("answer", "left"), ("proof", "left"), ("for", "right"), ("rule", "left"))
    for column in table.columns[-2:]:
        column.no_wrap = True
    for c in e.causes.rows()[:12]:
        answer = answer_words(c["question"], c["answer"])
        answer = answer if c["chosen"] else f"({answer})"
        question = c["question"].replace("_", " ")
        table.add_row(question, Text(answer), c["proof"], core_seconds(c["weight_ns"]), c["rule"] or "")
    if any(not c["chosen"] for c in e.causes.rows()[:12]):
        table.caption = "(in brackets): another answer that fits the time of the ones above it; not counted"
        table.caption_justify = "left"
    return table


def _threads(e: EpisodeData) -> Table:
    table = plain_table(
        ("thread", "left"), ("tid", "right"), ("waited on", "right"), ("idle CPU", "right"), ("for", "right"),
        ("distance", "left"), ("affinity", "left"),
    )  # fmt: skip
    for t in e.threads.rows()[:20]:
        known = "known" if t["mask_known"] else "assumed"
        table.add_row(
            Text(t["name"] or "?"), str(t["tid"]), str(t["waited_on"]), str(t["idle_cpu"]), duration(t["core_ns"]),
            DISTANCE_WORDS[t["distance"]], known,
        )  # fmt: skip
    if len(e.threads) > 20:
        table.caption = f"{len(e.threads) - 20:,} more pairs"
    return table


def _events(e: EpisodeData) -> Table:
    table = plain_table(("event", "right"), ("at", "right"), ("CPU", "right"), ("what", "left"))
    for row in e.events:
        cpu = "" if row["cpu"] is None else str(row["cpu"])
        at = "" if row["at_ns"] is None else f"+{row['at_ns'] / 1e9:.6f} s"
        table.add_row(str(row["id"]), at, cpu, Text(f"{row['event']}: {row['what']}"))
    if e.rests_on > len(e.events):
        table.caption = f"{e.rests_on - len(e.events):,} more events"
    return table

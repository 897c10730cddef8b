"""Jobs and missed deadlines as rich renderables, laid out for 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from wastenot.analyzer.model.deadlines import DeadlineFigures
from wastenot.analyzer.render.terminal import plain_table
from wastenot.analyzer.text.deadlines import (
    FAULT_SENTENCES,
    FAULT_WORDS,
    advice,
    bound_of,
    fault_words,
    figures_of,
    headline,
    instead_words,
    lock_row_words,
    lock_waits_words,
    main_loss,
    not_covered_words,
    passed_over_words,
    reservation_words,
    root_domain_cells,
    thread_name,
)
from wastenot.analyzer.text.units import duration

TASKS_SHOWN = 20
MISSES_SHOWN = 10
PASSED_OVER_SHOWN = 5
LOCKS_SHOWN = 5


def deadlines_view(figures: DeadlineFigures) -> Iterator[RenderableType]:
    """The headline, figures, tasks, missed deadlines, root domains, the invariant of global EDF, what to change."""
    r = figures.report
    yield Text(headline(figures), style="bold" if r["missed"] or r["edf"]["violations"] else "")
    if not figures.has_tasks:
        return
    yield Text()
    yield _pairs(figures_of(figures))
    yield Text()
    yield _tasks(r)
    if r["misses"]:
        yield Text()
        yield _misses(r)
        yield from _legend([fault for fault, _ in figures.faults()])
    if r["root_domains"]:
        yield Text()
        yield _root_domains(r)
    if r["edf"]["checked"]:
        yield Text()
        yield from _passed_over(r)
    if r["locks"]["waits"]:
        yield Text()
        yield _lock_waits(r)
    advised = advice(figures)
    if advised:
        yield Text()
        yield Text("to check or change", style="bold")
        yield Padding(_pairs(advised), (0, 0, 0, 2))
    yield Text("Terms: `wastenot glossary`", style="dim")


def _pairs(pairs: list[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for name, value in pairs:
        grid.add_row(name, Text(value))
    return grid


def _tasks(r: dict[str, Any]) -> Table:
    table = plain_table(
        ("task", "left"), ("tid", "right"), ("parameters", "left"), ("jobs", "right"), ("missed", "right"),
        ("late by", "right"), ("least laxity", "right"), ("throttled", "right"),
    )  # fmt: skip
    for task in r["tasks"][:TASKS_SHOWN]:
        table.add_row(
            Text(thread_name(task)),
            str(task["tid"]),
            f"{reservation_words(task)}{'' if task['parameters'] == 'recorded' else ' *'}",
            f"{task['jobs']:,}",
            f"{task['missed']:,}",
            duration(task["tardiness_max_ns"]) if task["missed"] else "",
            "" if task["laxity_min_ns"] is None else duration(task["laxity_min_ns"]),
            f"{task['throttles']:,}",
        )
    notes = ["parameters: runtime/deadline/period"]
    if len(r["tasks"]) > TASKS_SHOWN:
        notes.append(f"{len(r['tasks']) - TASKS_SHOWN:,} more tasks: --json")
    if any(task["parameters"] == "declared" for task in r["tasks"]):
        notes.append("* declared")
    table.caption, table.caption_justify = "; ".join(notes), "left"
    return table


def _misses(r: dict[str, Any]) -> Table:
    table = plain_table(
        ("missed at", "right"), ("task", "left"), ("late by", "right"), ("fault", "left"), ("most of it", "left")
    )
    for miss in r["misses"][:MISSES_SHOWN]:
        late = duration(miss["tardiness_ns"])
        table.add_row(
            f"+{(miss['deadline_ns'] - r['start_ns']) / 1e9:.6f} s",
            Text(thread_name(miss["thread"])),
            late if miss["end_ns"] is not None else f"≥ {late}",
            fault_words(miss),
            Text(main_loss(miss)),
        )
    if r["missed"] > MISSES_SHOWN:
        table.caption, table.caption_justify = (
            f"the {MISSES_SHOWN} with most tardiness of {r['missed']:,}; --jobs has all",
            "left",
        )
    return table


def _legend(faults: list[str]) -> Iterator[RenderableType]:
    for fault in faults:
        yield Text(f"{FAULT_WORDS[fault]}: {FAULT_SENTENCES[fault]}", style="dim")


def _root_domains(r: dict[str, Any]) -> Table:
    table = plain_table(
        ("root domain", "left"), ("tasks", "right"), ("utilisation", "right"), ("admission bound", "left"),
        ("global EDF guarantees it", "left"), ("fits partitioned", "left"),
    )  # fmt: skip
    for root in r["root_domains"]:
        table.add_row(*root_domain_cells(root))
    notes = ["the set of tasks with the highest utilisation; the tests are sufficient"]
    table.caption, table.caption_justify = "\n".join(notes + not_covered_words(r["root_domains"])), "left"
    return table


def _lock_waits(r: dict[str, Any]) -> Table:
    table = plain_table(("at", "right"), ("task", "left"), ("for", "right"), ("lock", "left"), ("held by", "left"))
    locks = r["locks"]
    for row in locks["longest"][:LOCKS_SHOWN]:
        lock, holder = lock_row_words(row)
        table.add_row(
            f"+{(row['start_ns'] - r['start_ns']) / 1e9:.6f} s",
            Text(thread_name(row["thread"])),
            duration(row["end_ns"] - row["start_ns"]),
            lock,
            Text(holder),
        )
    table.caption, table.caption_justify = lock_waits_words(locks), "left"
    return table


def _passed_over(r: dict[str, Any]) -> Iterator[RenderableType]:
    edf = r["edf"]
    yield Text(passed_over_words(edf))
    shown = [row for row in edf["longest"] if row["end_ns"] - row["start_ns"] > bound_of(edf, "lasting")][
        :PASSED_OVER_SHOWN
    ]
    if shown:
        table = plain_table(
            ("at", "right"), ("for", "right"), ("thread", "left"), ("queued on", "right"), ("instead", "left")
        )
        for row in shown:
            table.add_row(
                f"+{(row['start_ns'] - r['start_ns']) / 1e9:.6f} s",
                duration(row["end_ns"] - row["start_ns"]),
                Text(thread_name(row["thread"])),
                f"CPU {row['queue_cpu']}",
                Text(instead_words(row)),
            )
        yield table

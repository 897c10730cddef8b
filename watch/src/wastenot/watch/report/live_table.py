"""The live table of a terminal."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text
from wastenot.analyzer.text.printable import printable
from wastenot.analyzer.text.units import core_seconds, cpu_list, duration
from wastenot.watch.model.boxes import Box
from wastenot.watch.model.view import View
from wastenot.watch.report.message import Message, box_name, status_line

EVERY_NS = 1_000_000_000
BOXES, HITS, CGROUPS = 5, 5, 5
"""Rows of each kind, at most."""


class LiveTable:
    """A table that is drawn anew each second; messages scroll above it."""

    def __init__(self, console: Console | None = None) -> None:
        self._live = Live(console=console or Console(stderr=True), auto_refresh=False, transient=True)
        self._live.start()
        self._shown: View | None = None

    def report(self, message: Message) -> None:
        """Print a line above the table."""
        self._live.console.print(Text(printable(message.text)))

    def show(self, view: View) -> None:
        """Draw the table anew when it is time."""
        if self._shown is not None and view.time_ns - self._shown.time_ns < EVERY_NS:
            return
        self._live.update(watch_table(view, self._shown), refresh=True)
        self._shown = view

    def close(self) -> None:
        """Remove the table."""
        self._live.stop()


def watch_table(view: View, before: View | None) -> RenderableType:
    """What a watch sees and has saved."""
    parts: list[RenderableType] = [
        Text(f"wastenot watch, {view.facts.mode}: {status_line(view, before)}", style="bold")
    ]
    if view.saving:
        parts.append(Text(f"saving {printable(view.saving)}"))
    busy = [c.cpu for c in view.status.cpus if c.nr_running > 1]
    idle = [c.cpu for c in view.status.cpus if c.nr_running == 0]
    parts.append(Text(f"idle CPUs {cpu_list(idle, 8)}; overloaded CPUs {cpu_list(busy, 8)}"))
    if view.status.hits:
        parts.append(_hits(view))
    if view.waits:
        parts.append(_waits(view))
    if view.boxes:
        parts.append(_boxes(view.boxes))
    return Group(*parts)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in columns:
        table.add_column(name, no_wrap=True)
    return table


def _hits(view: View) -> Table:
    table = _table("seen", "idle CPU", "overloaded CPU", "waiting", "for")
    for hit in reversed(view.status.hits[-HITS:]):
        ago = f"{duration(max(0, view.time_ns - hit.time_ns))} ago"
        thread = f"{printable(hit.comm)} ({hit.tid})"
        table.add_row(ago, str(hit.idle_cpu), str(hit.overloaded_cpu), Text(thread), duration(hit.age_ns))
    return table


def _waits(view: View) -> Table:
    totals: dict[str, dict[str, int]] = {}
    for wait in view.waits:
        totals.setdefault(wait.cgroup, {})[wait.reason] = wait.ns
    table = _table("cgroup", "waited", "mostly")
    for cgroup, reasons in sorted(totals.items(), key=lambda item: -sum(item[1].values()))[:CGROUPS]:
        most = max(reasons, key=lambda r: reasons[r])
        table.add_row(Text(printable(cgroup)), duration(sum(reasons.values())), most.replace("_", " "))
    return table


def _boxes(boxes: tuple[Box, ...]) -> Table:
    table = _table("box", "outcome", "wasted", "reason")
    for box in reversed(boxes[-BOXES:]):
        wasted = core_seconds(box.verdict.wasted_ns) if box.verdict else "–"
        table.add_row(box_name(box), box.outcome, wasted, Text(printable(box.trigger.reason)))
    return table

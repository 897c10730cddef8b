"""The list of cgroups as a rich table: how long their threads ran and waited, and why they waited."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from rich.table import Table
from rich.text import Text
from wastenot.analyzer.model.cgroup_names import label_of
from wastenot.analyzer.render.latency import caption_of_histograms, histogram_cells
from wastenot.analyzer.render.terminal import plain_table
from wastenot.analyzer.result import Result
from wastenot.analyzer.text.units import duration
from wastenot.schemas.generated.enums import EXCUSE_WORDS, WAIT_REASON_WORDS, WaitReason

LEAST_SHARE = 0.005
"""Parts of the waiting below this share are not shown."""

_COLUMNS = {"own_quota": "throttled_ns", "avoidable": "avoidable_wait_ns"}


def cgroups_table(rows: Result) -> Table:
    """Cgroups as `wastenot top --by cgroup` lists them: name, path, run, wait (throttled time too), reasons."""
    latency = ("p99_wait_ns", "longest_wait_ns") if "longest_wait_ns" in rows.columns else ()
    columns = [("cgroup", "left"), ("threads", "right"), ("run", "right"), ("wait", "right")]
    if latency:
        columns += [("p99", "right"), ("longest", "right"), ("waits by length", "left")]
    table = plain_table(*columns, ("why", "left"))
    if latency:
        caption_of_histograms(table, rows)
    histograms = [[cell] for cell in histogram_cells(rows)] if latency else [[]] * len(rows)
    for row, histogram in zip(rows, histograms, strict=True):
        waited = row["wait_ns"] + row["throttled_ns"]
        name, path = row["label"] or "unknown", row["cgroup"]
        titles = [Text(name)] if path in (None, name) else [Text(name), Text(path, style="dim")]
        figures = [f"{row['threads']:,}", duration(row["run_ns"]), duration(waited)]
        figures += [duration(row[name]) for name in latency]
        figures += histogram
        for at, (title, why) in enumerate(zip_longest(titles, _why(row, waited), fillvalue=Text())):
            table.add_row(title, *(figures if at == 0 else [""] * len(figures)), why)
    return table


def _why(row: dict[str, Any], waited: int) -> list[Text]:
    """The reasons, longest first, a line each."""
    parts = {reason: row[_COLUMNS.get(reason, f"{reason}_ns")] for reason in WAIT_REASON_WORDS}
    shown = sorted((r for r, ns in parts.items() if ns > LEAST_SHARE * waited), key=lambda r: -parts[r])

    def line(reason: WaitReason) -> Text:
        text = f"{100 * parts[reason] / waited:3.0f} % {WAIT_REASON_WORDS[reason]}{_which(row, reason)}"
        return Text(text, style="bold red" if reason == "avoidable" else "")

    return [line(reason) for reason in shown]


def _which(row: dict[str, Any], reason: str) -> str:
    """The neighbour waited for longest, the heaviest excuse; how many others there are."""
    if reason == "neighbour":
        found = [(n["cgroup_id"], n["cgroup"]) for n in row["neighbours"]]
        names = ["not recorded" if path is None else label_of(number, path) for number, path in found]
    elif reason == "confined":
        names = [EXCUSE_WORDS[part["excuse"]] for part in row["confined_by"]]
    else:
        return ""
    return f": {names[0]}" + (f", {len(names) - 1} more" if len(names) > 1 else "")

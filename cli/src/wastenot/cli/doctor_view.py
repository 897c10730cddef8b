"""What `wastenot doctor` found, as a table."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from wastenot.schemas.generated.enums import EVIDENCE_LEVEL_WORDS, EXCUSE_WORDS

MARKS = {"ok": ("yes", "green"), "missing": ("no", "yellow"), "refused": ("no", "red"), "unknown": ("?", "dim")}


def doctor_view(found: dict[str, Any]) -> RenderableType:
    """A sentence, the checks, what to do about those that failed."""
    return Group(*_parts(found))


def _parts(found: dict[str, Any]) -> Iterator[RenderableType]:
    level = found["evidence_level"]
    if found["source"] == "none":
        yield Text(f"Kernel {found['kernel']}: `wastenot record` cannot record here.", style="bold red")
    else:
        by = f"{found['source']} ({found['attach']})" if found["attach"] else found["source"]
        yield Text(f"Kernel {found['kernel']}: `wastenot record` would record with {by}.", style="bold")
        yield Text(f"Evidence level {level}: {EVIDENCE_LEVEL_WORDS[level]}.")
        if found["excuses_not_recorded"]:
            excuses = ", ".join(EXCUSE_WORDS[name] for name in found["excuses_not_recorded"])
            yield Text(f"Excuses that would not be recorded: {excuses}.")
    yield Text()
    yield _checks(found["checks"])
    advice = _advice(found["checks"])
    if advice:
        yield Text("to get more", style="bold")
        yield from advice


def _checks(checks: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("check", overflow="fold", max_width=30)
    for name in ("works", "result"):
        table.add_column(name, overflow="fold")
    for keys, check in _alike(checks):
        mark, style = MARKS.get(check["state"], ("?", "dim"))
        table.add_row(", ".join(keys), Text(mark, style=style), Text(check["detail"]))
    return table


def _alike(checks: list[dict[str, Any]]) -> list[tuple[list[str], dict[str, Any]]]:
    """Checks with their keys; those that failed for the same reason are one row, in the place of the first."""
    out: dict[tuple[str, ...], tuple[list[str], dict[str, Any]]] = {}
    for check in checks:
        # "No such file or directory" can have many reasons.
        has_reason = check["state"] != "ok" and check["errno"] != errno.ENOENT
        same = (check["state"], check["detail"]) if has_reason else (check["key"],)
        out.setdefault(same, ([], check))[0].append(check["key"])
    return list(out.values())


def _advice(checks: list[dict[str, Any]]) -> list[RenderableType]:
    """What to do about failed checks that wastenot's evidence depends on; each advice once."""
    out: list[RenderableType] = []
    by_advice: dict[str, list[dict[str, Any]]] = {}
    for check in checks:
        if check["advice"] and check["state"] != "unknown" and check["used_by_wastenot"]:
            by_advice.setdefault(check["advice"], []).append(check)
    for advice, of in by_advice.items():
        keys = ", ".join(check["key"] for check in of)
        needed_for = f"Needed for {of[0]['needed_for']}: {keys}." if len(of) == 1 else f"Needed for: {keys}."
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=3, justify="right")
        grid.add_column()
        grid.add_row("-", Text(f"{advice} {needed_for}"))
        out.append(grid)
    return out

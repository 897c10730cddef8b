"""How files, checks, tables on demand and the first picture grow with the events; and what follows for 1e9."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from bench.captures import WASTENOT, run_quietly
from bench.report import Section
from bench.web.client import Client, Picture, findings, first_picture, served

BILLION = 1_000_000_000


@dataclass(frozen=True)
class Growth:
    """A trace without the tables that are made on demand, and with them."""

    name: str
    events: int
    bare_bytes: int
    whole_bytes: int
    check: dict[str, float]
    """Wall, CPU and peak memory of a check with other options: a copy of the file, the walk, the findings."""
    tables: dict[str, float]
    """Of `check --tables all`: the same, and the tables."""


def grow(bare: Path, whole: Path) -> Growth:
    """Check a copy of `bare` anew, and make `whole` of it, a trace with all tables; what both took."""
    log = whole.with_suffix(".log")
    anew = whole.with_name(f"{whole.stem}-anew.duckdb")
    shutil.copyfile(bare, anew)
    check = run_quietly([WASTENOT, "check", "-q", "--strict", str(anew)], log)
    anew.unlink()
    whole.unlink(missing_ok=True)
    shutil.copyfile(bare, whole)
    tables = run_quietly([WASTENOT, "check", "-q", "--tables", "all", str(whole)], log)
    with duckdb.connect(str(bare), read_only=True) as con:
        (events,) = con.execute("SELECT events FROM trace").fetchone() or (0,)
    return Growth(whole.stem, events, bare.stat().st_size, whole.stat().st_size, check, tables)


def sizes(grown: list[Growth]) -> Section:
    """Bytes per event, and what a check and the tables take."""
    section = Section(
        "By the number of events",
        "Without the tables that are made on demand and with them. Check: `wastenot check --strict` of a copy, which "
        "copies the file, walks over the events and stores the findings. Tables: `wastenot check --tables all`, the "
        "same with these tables. The last row goes on from the two largest traces in a straight line; it was not "
        "measured.",
        ["trace", "events, M", "file, MB", "B per event", "check, s", "CPU, s", "memory, MB",
         "tables, s", "CPU, s", "memory, MB", "file with them, MB", "B per event"],
    )  # fmt: skip
    rows = [_figures(g) for g in grown]
    for growth, row in zip(grown, rows, strict=True):
        section.add(growth.name, *_cells(row))
    if len(rows) > 1:
        section.add("1000M, extrapolated", *_cells(_extrapolated(rows[-2], rows[-1])))
    return section


def _figures(g: Growth) -> list[float]:
    """Events, MB, s, s, MB, s, s, MB, MB."""
    check, tables = ([took["wall_s"], took["cpu_s"], took["peak_bytes"] / 1e6] for took in (g.check, g.tables))
    return [g.events, g.bare_bytes / 1e6, *check, *tables, g.whole_bytes / 1e6]


def _extrapolated(a: list[float], b: list[float], events: float = BILLION) -> list[float]:
    share = (events - b[0]) / (b[0] - a[0])
    return [y + (y - x) * share for x, y in zip(a, b, strict=True)]


def _cells(row: list[float]) -> list[str]:
    events, bare, *took, whole = row
    return [
        f"{events / 1e6:.1f}", f"{bare:.0f}", f"{bare / events * 1e6:.1f}", *(f"{x:.1f}" for x in took[:2]),
        f"{took[2]:.0f}", *(f"{x:.1f}" for x in took[3:5]), f"{took[5]:.0f}", f"{whole:.0f}",
        f"{whole / events * 1e6:.1f}",
    ]  # fmt: skip


def opening(pairs: list[tuple[Path, Path]]) -> Section:
    """From the command to what is seen first, of each trace without the tables and with them."""
    section = Section(
        "From the command to the first picture",
        "`wastenot serve FILE`, until all that is named has been answered (six connections). Findings: list; then "
        "verdict, machine, threads, both lists of episodes. Picture: list; then verdict, machine, threads, curve and "
        "grid; then one screen of tiles. Where the tables are not made, the picture waits for them: their progress is "
        "shown. Cold: the file is not in the page cache. Memory is the server's, at its most.",
        ["trace", "tables", "file", "start, s", "findings, ms", "CPU", "in all, s", "picture, ms", "CPU", "in all, s",
         "memory, MB"],
    )  # fmt: skip
    for bare, whole in pairs:
        for path, tables in ((bare, "not made"), (whole, "made")):
            for cold in (True, False):
                started, *found, memory = _seen(path, cold, findings)
                pictured = ["–"] * 3
                if path == whole:
                    _, *pictured, memory = _seen(path, cold, first_picture)
                section.add(whole.stem, tables, "cold" if cold else "warm", started, *found, *pictured, memory)
    return section


def _seen(path: Path, cold: bool, look: Callable[[Client, str], Picture]) -> list[str]:
    """Seconds to the server, ms, CPU ms, seconds in all, memory."""
    if cold:
        _drop_from_cache(path)
    began = time.perf_counter()
    with served([path]) as client:
        started = time.perf_counter() - began
        picture = look(client, path.stem)
        whole = time.perf_counter() - began
        times = [f"{started:.1f}", f"{picture.ms:.0f}", f"{picture.cpu_ms:.0f}", f"{whole:.1f}"]
        return [*times, f"{client.memory_mb('VmHWM'):.0f}"]


def _drop_from_cache(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

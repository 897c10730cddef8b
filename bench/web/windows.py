"""Slices of a window of a trace whose tables were not made: a walk from a checkpoint, as the server asks for it."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb

from bench.report import Section
from bench.web.client import Client, percentile, served

ASKED = 40
"""Windows asked for per trace, at random places."""
LENGTH_NS = 10_000_000
STATES = "SELECT count(*), coalesce(sum(octet_length(state)), 0)::BIGINT, (SELECT events FROM trace) FROM checkpoint"


def windows(traces: list[Path]) -> Section:
    """Time from the request to the rows, CPU and memory of the server, and what the checkpoints take in the file."""
    section = Section(
        "Windows of traces without tables",
        f"`python -m bench.web FOLDER windows EVENTS…`: {ASKED} windows of {LENGTH_NS // 1_000_000} ms anywhere in "
        "a trace whose tables were not made, over one connection: the slices of each, for which its rows are made, "
        "and then its waits, which are there. CPU is the server's. The last columns are the checkpoints in the file.",
        ["trace", "events, M", "first, ms", "slices p50, ms", "p95", "CPU p50", "p95", "then waits p50", "p95",
         "memory, MB", "checkpoints", "states, kB", "B per 1,000 events"],
    )  # fmt: skip
    for path in traces:
        with duckdb.connect(str(path), read_only=True) as con:
            checkpoints, size, events = con.execute(STATES).fetchone() or (0, 0, 1)
        with served([path]) as client:
            (first, *slices), cpu, waits = _asked(client, path.stem)
            memory = client.memory_mb("VmHWM")
        figures = [percentile(of, share) for of in (slices, cpu, waits) for share in (0.5, 0.95)]
        section.add(
            path.stem, f"{events / 1e6:.2f}", f"{first:.0f}", *(f"{ms:.0f}" for ms in figures), f"{memory:.0f}",
            str(checkpoints), f"{size / 1e3:.0f}", f"{size / events * 1e3:.1f}",
        )  # fmt: skip
    return section


def _asked(client: Client, trace: str) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds to the slices of each window, of CPU for them, and to its waits."""
    row, chosen = client.json("/api/traces")[0], random.Random(4)
    slices, cpu, waits = [], [], []
    for _ in range(ASKED):
        at = chosen.randrange(row["start_ns"], row["end_ns"] - LENGTH_NS)
        window = f"start={at}&end={at + LENGTH_NS}"
        before = client.cpu_ms()
        slices.append(client.timed(f"/api/traces/{trace}/slices?{window}"))
        cpu.append(client.cpu_ms() - before)
        waits.append(client.timed(f"/api/traces/{trace}/waits?{window}"))
    return slices, cpu, waits

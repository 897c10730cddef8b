"""Simulated traces of a wanted size: 64 CPUs, 72 threads, with waste in them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.recorders import BenchError

SCENARIO = """
about = "64 database workers in step beside short-lived other threads, for long."
expect = "a trace of many events"
machine = "opteron"
release = "4.1"
faults = ["overload-on-wakeup"]
evidence_level = "LEVEL"

[workload]
limit = "3600s"
objects.stage = { barrier = { parties = 64 } }
programs.worker = [{ repeat = { times = STEPS, body = [
  { run = { uniform = ["2500us", "3500us"] } }, { barrier = "stage" }, { mark = "stage" }] } }]
programs.transient = [{ repeat = { body = [{ sleep = { exponential = "30ms" } }, { run = { exponential = "1ms" } }] } }]
threads = [
  { program = "worker", count = 64, threads = true, session = "database" },
  { program = "transient", count = 8, background = true, session = "others" },
]
"""
"""`database-wakeups` with as many steps as it takes for so many events."""
EVENTS_PER_STEP = 385


def named(folder: Path, events: int, seed: int = 1) -> Path:
    """Where a trace of about so many events is, with all tables."""
    return folder / (f"{events / 1e6:g}M" + (f"-{seed}" if seed > 1 else "") + ".duckdb")


def build_whole(folder: Path, events: int, seed: int) -> Path:
    """A trace of about so many events, checked, with all tables; one that is in the folder already is taken."""
    trace = named(folder, events, seed)
    if not trace.exists():
        build(folder, events, seed).rename(trace)
        subprocess.run([sys.executable, "-m", "wastenot.cli", "check", "-q", "--tables", "all", str(trace)], check=True)
    return trace


def build(folder: Path, events: int, seed: int = 1, evidence_level: str = "L1") -> Path:
    """Likewise, without the tables that are made on demand."""
    scenario, trace = folder / f"{events / 1e6:g}M.toml", named(folder, events, seed)
    trace = trace.with_name(f"{trace.stem}-bare{'' if evidence_level == 'L1' else evidence_level}.duckdb")
    if not trace.exists():
        text = SCENARIO.replace("STEPS", str(events // EVENTS_PER_STEP)).replace("LEVEL", evidence_level)
        scenario.write_text(text)
        command = [sys.executable, "-m", "wastenot.cli", "simulate", str(scenario), "--seed", str(seed)]
        if subprocess.run([*command, "-o", str(trace), "--quiet"], check=False).returncode not in (0, 1):
            raise BenchError(f"{scenario}: cannot be simulated")
    return trace

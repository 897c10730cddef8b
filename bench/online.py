"""What the exact mode costs: the checker on the stream of events, live and on the same frames again."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from wastenot._native import collector, watch

from bench.captures import messaging
from bench.recorders import BenchError
from bench.report import Section
from bench.rounds import Spread

NO_STEP_NS = 1 << 60
"""Longer than any recording: counters at its end alone."""


def watched(part: Path, loops: int) -> dict[str, Any]:
    """Watch the messaging benchmark, with the same frames in `part`; the counters at the end."""
    exact = watch.ExactWatch(json.dumps({"also_part": str(part)}))
    exact.start()
    subprocess.run(messaging(loops), check=True, stdout=subprocess.DEVNULL)
    counters: dict[str, Any] = json.loads(exact.stop())
    if counters["watch"]["failed"]:
        raise BenchError(counters["watch"]["failed"])
    return counters


def cpu_ns(work: Any) -> int:
    """CPU time of all threads of this process while it works."""
    began = time.process_time_ns()
    work()
    return time.process_time_ns() - began


def measure(folder: Path, rounds: int, loops: int) -> list[Section]:
    """Rates of `rounds` watches and of their frames again."""
    figures: dict[str, list[float]] = {}
    events, lost, forgotten = 0, 0, 0
    for n in range(rounds):
        part = folder / f"online-{n}.part"
        counters = watched(part, loops)
        read, own = counters["events_read"], counters["watch"]
        events, lost = events + read, lost + counters["events_lost"]
        forgotten += counters["forgotten_threads"]
        again = {
            "decode alone, from the disk": lambda part=part: collector.decode(part, lambda table, stream: None),
            "decode, merge and walk, from the disk": lambda part=part: watch.replay_counters(part, NO_STEP_NS),
        }
        rates = {
            "live: consumer of the rings": own["consumer_cpu_ns"],
            "live: decode, merge and walk": own["walk_cpu_ns"],
            **{name: cpu_ns(work) for name, work in again.items()},
        }
        for name, spent in rates.items():
            figures.setdefault(name, []).append(spent / read)
        shutil.rmtree(part)
    section = Section(
        "Exact mode",
        f"`perf bench sched messaging` watched in exact mode, {rounds} rounds, {events:,} events, {lost:,} lost, "
        f"{forgotten:,} threads forgotten; CPU time per event, median (range). The same frames were written to a part "
        "folder, which is decoded and walked over again.",
        ["what", "ns per event", "range"],
    )
    for name, spent in figures.items():
        spread = Spread.of(spent)
        section.add(name, f"{spread.median:.0f}", f"{spread.low:.0f} … {spread.high:.0f}")
    return [section]

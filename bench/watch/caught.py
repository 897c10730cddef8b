"""Whether every violation of 5 ms and more is seen: provoked live, its truth an ordinary recording that is checked."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wastenot._native import collector, watch
from wastenot.watch.kernel_sentinel import KernelSentinel
from wastenot.watch.options import WatchOptions, parse_conditions

from bench.recorders import BenchError
from bench.report import Section
from bench.watch.intervals import Interval, joined, without
from bench.watch.part import Findings, Request
from bench.watch.process import check
from bench.watch.threads import hogs, running

LEAST_NS = 5_000_000
"""A violation of this length must be seen."""

BATCH = 20
"""Releases in one recording."""

SEED = 15


@dataclass
class Seen:
    """What the two kinds of watch have reported so far, and for how long a violation must last to be a hit."""

    hit_ns: int
    hits: dict[int, Interval] = field(default_factory=dict)
    episodes: list[Interval] = field(default_factory=list)
    lost: int = 0


@dataclass
class Truth:
    """What the recordings hold: waste at all, violations of `LEAST_NS`, and when they recorded."""

    wasted: list[Interval] = field(default_factory=list)
    long: list[Interval] = field(default_factory=list)
    recorded: list[Interval] = field(default_factory=list)
    lost: int = 0


class Watches:
    """The sentinel as `wastenot watch` starts it, with its black box, and the exact mode beside it."""

    def __init__(self, folder: Path) -> None:
        options = WatchOptions(folder, folder, parse_conditions((), 10_000_000_000))
        self._sentinel, self._exact = KernelSentinel(options), watch.ExactWatch()

    def __enter__(self) -> Watches:
        self.seen = Seen(self._sentinel.start().hit_ns)
        self._exact.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._exact.stop()
        self._sentinel.stop()

    def read(self) -> None:
        """Take what is new; the kernel keeps the last 64 hits."""
        for hit in self._sentinel.status().hits:
            start = hit.time_ns - self.seen.hit_ns
            self.seen.hits[hit.number] = (start, start + hit.age_ns)
        counters: dict[str, Any] = json.loads(self._exact.counters())
        if counters["watch"]["failed"] or counters["dropped_episodes"]:
            raise BenchError(f"exact mode: {counters['watch']['failed'] or 'episodes were dropped'}")
        self.seen.lost = counters["events_lost"]
        self.seen.episodes += [(e["start_ns"], e["end_ns"]) for e in counters["finished"]]


def await_idle(count: int) -> None:
    """Until no thread beside the `count` busy ones has run for a while, or a quarter of a second."""
    idle, give_up = 0, time.monotonic() + 0.25
    while idle < 3 and time.monotonic() < give_up:
        idle = idle + 1 if running() <= count + 1 else 0
        time.sleep(0.003)


def release(drawn: random.Random) -> None:
    """Two to four busy threads on CPU 0, CPU 1 idle; at a random time all may use both.

    The longer the balancer has found all of them pinned, the more seldom it looks (up to half a second).
    """
    count = drawn.randint(2, 4)
    with hogs(count, {0}, "bench-released") as pids:
        time.sleep(drawn.uniform(0.05, 0.8))
        await_idle(count)
        time.sleep(drawn.uniform(0, 0.01))
        for pid in pids:
            os.sched_setaffinity(pid, {0, 1})
        time.sleep(drawn.uniform(0.1, 0.3))


@contextmanager
def on_cpu_0() -> Iterator[None]:
    """This process and the threads that it starts use CPU 0 alone: a CPU that has run one of them looks for others."""
    before = os.sched_getaffinity(0)
    if not {0, 1} <= before:
        raise BenchError("CPUs 0 and 1 are needed")
    os.sched_setaffinity(0, {0})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _query(trace: Path, query: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "wastenot.cli", "sql", str(trace), query, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchError(f"{trace.name}: {done.stderr.strip()[-300:]}")
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


@contextmanager
def recording(folder: Path, truth: Truth) -> Iterator[None]:
    """An ordinary recording inside, checked at its end; what it holds is added to `truth`."""
    trace = folder / "truth.duckdb"
    recorder = collector.Recorder(f"{trace}.part")
    recorder.start()
    yield
    recorder.stop("command")
    if error := check(trace):
        raise BenchError(f"the recording beside it: {error}")
    row = _query(
        trace, "SELECT start_ns, end_ns, (SELECT coalesce(sum(count), 0)::BIGINT FROM lost_events) AS lost FROM trace"
    )[0]
    truth.recorded.append((row["start_ns"], row["end_ns"]))
    truth.lost += row["lost"]
    rows = _query(trace, "SELECT start_ns, start_ns + dur_ns AS end_ns FROM wasted WHERE wasted > 0")
    wasted = joined((r["start_ns"], r["end_ns"]) for r in rows)
    truth.wasted += wasted
    truth.long += [(start, end) for start, end in wasted if end - start >= LEAST_NS]
    for path in folder.glob("truth.duckdb*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def measure(request: Request) -> Findings:
    """Releases until enough violations have happened, or the time is over."""
    wanted, seconds = request.count(200, 10), request.duration(3600, 60)
    drawn, truth, provoked = random.Random(SEED), Truth(), 0
    until = time.monotonic() + seconds
    with on_cpu_0(), Watches(request.folder) as watches:
        while len(truth.long) < wanted and time.monotonic() < until:
            with recording(request.folder, truth):
                for _ in range(5 if request.quick else BATCH):
                    release(drawn)
                    provoked += 1
                    watches.read()
                time.sleep(0.5)
            print(f"\rcaught: {provoked} provoked, {len(truth.long)} true   ", end="", file=sys.stderr, flush=True)
        time.sleep(1)
        watches.read()
    return _findings(watches.seen, truth, provoked, wanted)


def _findings(seen: Seen, truth: Truth, provoked: int, wanted: int) -> Findings:
    hits = list(seen.hits.values())
    section = Section(
        "Violations caught",
        f"{provoked} times, two to four busy threads pinned to CPU 0 got both CPUs at a random time, CPU 1 idle. The "
        f"truth is an ordinary recording at the same time, checked: its intervals with waste of {LEAST_NS / 1e6:g} ms "
        "and more. The sentinel runs as in `wastenot watch --on 'lasting>0'`, with the black box; it lists a violation "
        f"that has lasted for {seen.hit_ns / 1e6:g} ms. Lost by the recordings: {truth.lost}, by exact mode: "
        f"{seen.lost}.",
        ["watch", "violations", "caught", "missed", "lengths of those missed, ms"],
    )
    found = Findings([section])
    for name, reported in (("sentinel", hits), ("exact mode", seen.episodes)):
        missed = without(truth.long, reported)
        lengths = ", ".join(f"{(end - start) / 1e6:.1f}" for start, end in missed[:20])
        section.add(name, len(truth.long), len(truth.long) - len(missed), len(missed), lengths)
        found.require(not missed, f"{name}: {len(missed)} of {len(truth.long)} violations missed ({lengths} ms)")
    found.require(len(truth.long) >= wanted, f"only {len(truth.long)} violations of {wanted} happened in the time")
    found.sections.append(_lengths(hits, truth))
    return found


def _lengths(hits: list[Interval], truth: Truth) -> Section:
    section = Section(
        "Violations by their length",
        "The same intervals with waste, by length. A hit beside no waste at all is a sample that no check confirms.",
        ["length", "violations", "with a hit"],
    )
    bounds = [(0, 1), (1, 2), (2, 4), (4, 5), (5, 10), (10, 100), (100, 10**9)]
    for low, high in bounds:
        those = [(a, b) for a, b in truth.wasted if low <= (b - a) / 1e6 < high]
        name = f"{low} … {high} ms" if high < 10**9 else f"{low} ms and more"
        section.add(name, len(those), len(those) - len(without(those, hits)))
    within = [hit for hit in hits if not without([hit], truth.recorded)]
    section.add("hits beside no waste", len(without(within, truth.wasted)), "")
    return section

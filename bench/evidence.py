"""What evidence adds to a recording: kernel stacks at moves, load-balance attempts, the load balancer's counters.

`perf bench sched messaging` runs on all CPUs, so that threads are moved and the balancer works. Cost is what the kernel
says its BPF programs took (`kernel.bpf_stats_enabled`, which itself adds some 20 ns to each run of either kind) and the
CPU time of the recording process, per switch recorded: other work on the machine hardly shows in either.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.captures import messaging
from bench.recorders import Recorder, wastenot
from bench.report import Section
from bench.rounds import Spread, interleaved

WITHOUT = json.dumps(
    {
        "events": ["switch", "waking", "migrate", "nr_running", "lifecycle", "hotplug", "irq"],
        "stacks": False,
        "schedstat": "off",
    }
)
"""Options of our recorder for everything but evidence."""


@dataclass(frozen=True)
class Cost:
    """One recording: ns per switch, in BPF programs, in the recording process and of the workload; moves."""

    bpf_ns: float
    consumer_ns: float
    workload_ns: float
    moves: int
    programs: int

    @property
    def ns(self) -> float:
        """Both together."""
        return self.bpf_ns + self.consumer_ns


def once(recorder: Recorder, loops: int, folder: Path) -> Cost:
    """Record the benchmark once, with the kernel's statistics of BPF programs."""
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / "timed.json"
    os.environ["BENCH_BPF_STATS"] = "1"
    try:
        command = [sys.executable, "-m", "bench.timed", str(out), "--", *messaging(loops)]
        found = recorder(folder, command).details
    finally:
        del os.environ["BENCH_BPF_STATS"]
    runs = {p["name"]: p["runs"] for p in found["programs"]}
    switches = runs["on_switch"]
    return Cost(
        sum(p["ns"] for p in found["programs"]) / switches,
        found["consumer_cpu_s"] * 1e9 / switches,
        json.loads(out.read_text())["cpu_s"] * 1e9 / switches,
        runs.get("on_migrate", 0),
        sum(1 for n in runs.values() if n),
    )


def measure(folder: Path, rounds: int, loops: int) -> list[Section]:
    """The two, interleaved."""
    names = {"without evidence": WITHOUT, "with evidence": "{}"}
    todo = {name: partial(once, wastenot(o), loops, folder / name.replace(" ", "-")) for name, o in names.items()}
    costs = interleaved(todo, rounds, "evidence")
    section = Section(
        "Evidence",
        f"`{' '.join(messaging(loops))}` recorded with and without evidence (stacks at moves, attempts and counters of "
        f"the balancer, as far as this kernel permits); ns per switch, median (range) of {rounds} interleaved rounds. "
        "BPF programs by the kernel's own count. Evidence may add 10 % to the cost of recording.",
        [
            "recorder",
            "BPF programs",
            "recording process",
            "both",
            "range",
            "evidence adds",
            "moves",
            "programs that ran",
        ],
    )
    base = statistics.median(c.ns for c in costs["without evidence"])
    for name, of in costs.items():
        both = Spread.of([c.ns for c in of])
        section.add(
            name,
            f"{statistics.median(c.bpf_ns for c in of):.0f}",
            f"{statistics.median(c.consumer_ns for c in of):.0f}",
            f"{both.median:.0f}",
            f"{both.low:.0f} … {both.high:.0f}",
            "" if name == "without evidence" else f"{both.median / base - 1:+.1%}",
            int(statistics.median(c.moves for c in of)),
            max(c.programs for c in of),
        )
    return [section]

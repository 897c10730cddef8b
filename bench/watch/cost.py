"""What watching costs the whole host: kernel programs and processes together, beside other tools in the same rounds."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import bpf_stats
from bench.recorders import Recorder, Recording
from bench.report import Section
from bench.rounds import interleaved, interval
from bench.watch.contenders import NOTHING, OURS, SENTINEL, WATCH, contenders
from bench.watch.part import Findings, Request

HEALTHY_SHARE = 0.001
"""Most of one core-equivalent per CPU that watching a healthy, idle host may take."""

BUSY_SHARE = 0.005
"""Most at `SCALED_EVENTS_PER_CPU_S`."""

SCALED_EVENTS_PER_CPU_S = 1e6 / 64

MOST_BYTES = 100 * 10**6

MOST_SWITCH_NS = 60
"""Most that the black box's programs may take per context switch, where nothing else happens."""


@dataclass(frozen=True)
class Situation:
    """Its name for people; the amount of work of a full and of a quick run (seconds, loops or operations)."""

    title: str
    full: float
    quick: float
    timed: bool
    """It lasts for a time, so that the busy share is compared; else it does so much work."""


SITUATIONS = {
    "idle": Situation("idle host", 10, 2, True),
    "messaging": Situation("`perf bench sched messaging` at full tilt", 3000, 100, False),
    "threads": Situation("10,000 threads that sleep, 200 more a second that start and end", 10, 2, True),
    "pipe": Situation("`perf bench sched pipe` on CPU 0, a sleeper on the last CPU", 300_000, 20_000, False),
}


@dataclass(frozen=True)
class Run:
    """The host while the situation lasted, and what the recorder says."""

    host: dict[str, float]
    recording: Recording

    @property
    def busy_share(self) -> float:
        """CPU time that was not idle, per CPU second."""
        return self.host["busy_s"] / self.host["wall_s"] / self.host["cpus"]


def once(recorder: Recorder, name: str, amount: float, folder: Path) -> Run:
    """The situation under a recorder."""
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / "host.json"
    command = [sys.executable, "-m", "bench.watch.situations", name, str(amount), str(out)]
    recording = recorder(folder, command)
    return Run(json.loads(out.read_text()), recording)


def measure(request: Request) -> Findings:
    """All situations, one after the other."""
    rounds = request.rounds or (1 if request.quick else 15)
    found = Findings()
    for name, situation in SITUATIONS.items():
        amount = situation.quick if request.quick else situation.full

        def runner(who: str, recorder: Recorder, name: str = name, amount: float = amount) -> Callable[[], Run]:
            return lambda: once(recorder, name, amount, request.folder / name / who.replace(" ", "-"))

        runs = interleaved({who: runner(who, one) for who, one in contenders().items()}, rounds, name)
        found.sections.append(_table(found, name, runs, rounds))
        found.sections.append(_programs(found, name, amount, request.folder))
    return found


def _interval(values: list[float], digits: int) -> str:
    low, high = interval(values)
    return f"{low:.{digits}f} … {high:.{digits}f}"


def _added(name: str, runs: dict[str, list[Run]], who: str) -> tuple[list[float], list[float]]:
    """Per round: CPU time added, in per cent of each CPU, and in ns per switch of the round without a recorder."""
    shares, per_switch = [], []
    for one, base in zip(runs[who], runs[NOTHING], strict=True):
        if SITUATIONS[name].timed:
            share = one.busy_share - base.busy_share
            added_s = share * base.host["wall_s"] * base.host["cpus"]
        else:
            added_s = one.host["busy_s"] - base.host["busy_s"]
            share = added_s / one.host["wall_s"] / one.host["cpus"]
        shares.append(share * 100)
        per_switch.append(added_s * 1e9 / base.host["switches"])
    return shares, per_switch


def _table(found: Findings, name: str, runs: dict[str, list[Run]], rounds: int) -> Section:
    situation = SITUATIONS[name]
    rate = statistics.median(r.host["switches"] / r.host["wall_s"] / r.host["cpus"] for r in runs[NOTHING])
    base = statistics.median(r.busy_share for r in runs[NOTHING])
    section = Section(
        f"Cost of watching: {situation.title}",
        "CPU time that all CPUs were not idle, less that of the same round with nothing: the recorder's kernel side "
        "and its processes together, in per cent of one core-equivalent per CPU, and per context switch. "
        f"{rounds} interleaved rounds, medians with 95 % intervals. With nothing: {base:.2%} busy, {rate:.0f} "
        "switches/s per CPU. "
        "`scaled` is computed from the time per switch, not measured: 1 M switches/s on 64 CPUs. Memory: VmRSS of "
        "`wastenot watch`, rings included.",
        ["what", "added, %", "95 %", "per switch, ns", "95 %", "scaled, %", "lost", "memory, MB"],
    )
    for who, results in runs.items():
        if who == NOTHING:
            continue
        shares, per_switch = _added(name, runs, who)
        share, ns = statistics.median(shares), statistics.median(per_switch)
        scaled = ns * SCALED_EVENTS_PER_CPU_S / 1e9 * 100
        memory = max(r.recording.details.get("resident_bytes", 0) for r in results)
        cells = [f"{share:.3f}", _interval(shares, 3)]
        cells += [f"{ns:.0f}", _interval(per_switch, 0), f"{scaled:.3f}"] if not situation.timed else ["", "", ""]
        lost = sum(r.recording.lost for r in results)
        section.add(who, *cells, lost, f"{memory / 1e6:.0f}" if memory else "")
        _hold_to(found, name, who, share / 100, scaled / 100, memory)
    return section


def _hold_to(found: Findings, name: str, who: str, share: float, scaled: float, memory: float) -> None:
    """The promises: of the watch by default, and of the sentinel alone."""
    if who not in (SENTINEL, WATCH):
        return
    if name == "idle":
        found.require(share < HEALTHY_SHARE, f"{who}, {name}: {share:.3%} of each CPU; < {HEALTHY_SHARE:.1%} promised")
    if not SITUATIONS[name].timed:
        found.require(scaled < BUSY_SHARE, f"{who}, {name}: {scaled:.3%} scaled; < {BUSY_SHARE:.1%} promised")
    if who == WATCH:
        found.require(memory <= MOST_BYTES, f"{who}, {name}: {memory / 1e6:.0f} MB; {MOST_BYTES / 1e6:.0f} promised")


def _programs(found: Findings, name: str, amount: float, folder: Path) -> Section:
    """Run time of BPF programs, in runs of their own: the kernel's statistics cost time themselves."""
    section = Section(
        f"BPF programs: {SITUATIONS[name].title}",
        "In a run of its own: time of the sentinel's looks, by its own clock, and run time of all other BPF programs "
        "of the watch, from the kernel's statistics. These cost time themselves, some of which is in these figures.",
        [
            "what",
            "looks, % of each CPU",
            "one look, ns",
            "other programs, % of each CPU",
            "per context switch, ns",
            "runs per context switch",
            "most costly programs, ns a run",
        ],
    )
    for who, recorder in contenders().items():
        if who not in OURS:
            continue
        others = {p.id for p in bpf_stats.programs()}
        last: list[bpf_stats.Program] = []
        with bpf_stats.statistics():
            run = once(_sampled(recorder, others, last), name, amount, folder / name / "programs")
        host, looks = run.host, _looks(run.recording.details)
        ns, count = sum(p.ns for p in last), sum(p.runs for p in last)
        costly = sorted((p for p in last if p.ns), key=lambda p: -p.ns)[:3]
        worst = ", ".join(f"{p.name} {p.ns / p.runs:.0f}" for p in costly)
        cells = [f"{100 * looks[1] / host['cpus']:.3f}", f"{looks[0]:.0f}"]
        cells += [f"{100 * ns / 1e9 / host['wall_s'] / host['cpus']:.3f}", f"{ns / host['switches']:.0f}"]
        section.add(who, *cells, f"{count / host['switches']:.1f}", worst)
        if who == WATCH and name == "pipe":
            per_switch, promised = ns / host["switches"], f"{MOST_SWITCH_NS} promised"
            found.require(per_switch <= MOST_SWITCH_NS, f"{who}, {name}: {per_switch:.0f} ns of programs; {promised}")
    return section


def _looks(details: dict[str, Any]) -> tuple[float, float]:
    """Time of a look (ns), and all looks' share of one CPU since the start."""
    status, before = details["status"], details.get("before", {"looks": 0, "sentinel_ns": 0})
    began, now = before.get("now_ns", details.get("started_ns")), status.get("now_ns", status.get("time_ns"))
    looks, ns = status["looks"] - before["looks"], status["sentinel_ns"] - before["sentinel_ns"]
    return ns / max(looks, 1), ns / (now - began)


def _sampled(recorder: Recorder, others: set[int], last: list[bpf_stats.Program]) -> Recorder:
    """The recorder, whose programs are read when the command has ended and they are still loaded."""

    def record(folder: Path, command: list[str]) -> Recording:
        report = folder / "programs.json"
        recording = recorder(folder, [sys.executable, "-m", "bench.watch.program_times", str(report), "--", *command])
        for one in json.loads(report.read_text()):
            if one["id"] not in others:
                last.append(bpf_stats.Program(**one))
        return recording

    return record

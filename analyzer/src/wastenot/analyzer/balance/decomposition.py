"""What the time of a rank went to, window by window: the parts of each window add up to its length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from wastenot.analyzer.balance.timelines import Ints, Timeline, overlap_in_windows

PARTS = ("compute", "spin", "wait", "preempted", "queued", "irq", "blocked", "throttled", "other")
"""compute: on a CPU, outside of waiting calls · spin: on a CPU, inside one · wait: asleep · preempted, queued: runnable
after a preemption, after a wakeup · irq: its CPU did interrupt work while it was there · blocked: uninterruptible
sleep · throttled: without quota · other: stopped, not alive, or not known, as while queued on a CPU that was not
observed."""

EXTRINSIC = ("preempted", "queued", "irq", "throttled")
"""Parts that the machine adds to the computing of a rank."""

PLACE = {part: i for i, part in enumerate(PARTS)}

# Codes of thread_phase (schemas/enums.toml).
RUNNING, RUNNABLE, PREEMPTED, SLEEPING, BLOCKED, THROTTLED = 0, 1, 2, 3, 4, 7
_PHASES = {RUNNABLE: "queued", PREEMPTED: "preempted", SLEEPING: "wait", BLOCKED: "blocked", THROTTLED: "throttled"}


@dataclass(frozen=True)
class States:
    """What one rank did, in order."""

    starts: Ints
    ends: Ints
    phases: Ints
    cpus: Ints

    def of_phase(self, phase: int) -> Timeline:
        """When it was in one phase."""
        of = self.phases == phase
        return Timeline.of(self.starts[of], self.ends[of])


@dataclass(frozen=True)
class CpuTimes:
    """By CPU, when it did interrupt work and when it was not observed."""

    interrupts: dict[int, Timeline]
    unobserved: dict[int, Timeline]


def decompose(states: States, on_cpus: CpuTimes, bounds: Ints) -> Ints:
    """Nanoseconds by part (rows, see `PARTS`) and window."""
    out = np.zeros((len(PARTS), len(bounds) - 1), np.int64)
    for phase, part in _PHASES.items():
        out[PLACE[part]] = states.of_phase(phase).in_windows(bounds)
    for phase in (RUNNABLE, PREEMPTED):
        of = states.phases == phase
        unknown = overlap_in_windows(states.starts[of], states.ends[of], states.cpus[of], on_cpus.unobserved, bounds)
        out[PLACE[_PHASES[phase]]] -= unknown
    on = states.phases == RUNNING
    running = Timeline.of(states.starts[on], states.ends[on])
    out[PLACE["irq"]] = overlap_in_windows(running.starts, running.ends, states.cpus[on], on_cpus.interrupts, bounds)
    out[PLACE["compute"]] = running.in_windows(bounds) - out[PLACE["irq"]]
    out[PLACE["other"]] = np.diff(bounds) - out.sum(axis=0)
    return out

"""What the time of a rank went to, window by window: the parts of each window add up to its length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from wastenot.analyzer.balance.timelines import EMPTY, Ints, Timeline, overlap_in_windows, split

PARTS = ("compute", "spin", "wait", "preempted", "queued", "irq", "blocked", "throttled", "other")
"""compute: on a CPU, outside of waiting calls · spin: on a CPU, inside one · wait: asleep; inside a waiting call also
preempted, blocked or throttled · preempted, queued: runnable after a preemption, after a wakeup · irq: its CPU did
interrupt work while it was there, outside of waiting calls · blocked: uninterruptible sleep · throttled: without
quota · other: stopped, not alive, or not known, as while queued on a CPU that was not observed."""

EXTRINSIC = ("preempted", "queued", "irq", "throttled")
"""Parts that the machine adds to the computing of a rank."""

PLACE = {part: i for i, part in enumerate(PARTS)}

# Codes of thread_phase (schemas/enums.toml).
RUNNING, RUNNABLE, PREEMPTED, SLEEPING, BLOCKED, THROTTLED = 0, 1, 2, 3, 4, 7
NOT_NEEDED = (PREEMPTED, SLEEPING, BLOCKED, THROTTLED)
"""Phases in which a rank that waits in a call needs no CPU. After a wakeup it does: what it waits for may have come."""

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

    def where(self, chosen: NDArray[np.bool_]) -> States:
        """Some of the states."""
        return States(self.starts[chosen], self.ends[chosen], self.phases[chosen], self.cpus[chosen])


@dataclass(frozen=True)
class CpuTimes:
    """By CPU, when it did interrupt work and when it was not observed."""

    interrupts: dict[int, Timeline]
    unobserved: dict[int, Timeline]


INTERRUPTED, UNSEEN = -1, -2
"""Phases that `as_counted` adds: on a CPU that does interrupt work; queued on a CPU that was not observed."""


def as_counted(states: States, on_cpus: CpuTimes, waiting: Timeline) -> States:
    """The states as `decompose` counts them, with interrupts and what was not observed as phases of their own.

    A rank that is preempted in a call that waits does so whatever its CPU runs.
    """
    parts = [states.where(~np.isin(states.phases, (RUNNING, RUNNABLE, PREEMPTED)))]
    for of, on_cpu, phase in (
        (RUNNING, on_cpus.interrupts, INTERRUPTED),
        (RUNNABLE, on_cpus.unobserved, UNSEEN),
        (PREEMPTED, on_cpus.unobserved, UNSEEN),
    ):
        own = states.where(states.phases == of)
        parts.append(own.where(~np.isin(own.cpus, list(on_cpu))))
        for cpu in on_cpu.keys() & set(np.unique(own.cpus).tolist()):
            pieces = _cut(own.where(own.cpus == cpu), on_cpu[cpu], phase)
            changed = pieces.phases == phase
            parts.append(pieces.where(~changed))
            parts.append(_cut(pieces.where(changed), waiting, of) if of == PREEMPTED else pieces.where(changed))
    columns = ([part.starts, part.ends, part.phases, part.cpus] for part in parts)
    starts, ends, phases, cpus = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.lexsort((ends, starts))
    return States(starts[order], ends[order], phases[order], cpus[order])


def _cut(states: States, by: Timeline, phase: int) -> States:
    """States cut where those of a timeline start and end; within these they are in another phase."""
    of, is_inside, starts, ends = split(states.starts, states.ends, by)
    return States(starts, ends, np.where(is_inside, phase, states.phases[of]), states.cpus[of])


def in_calls(states: States, waiting: Timeline) -> tuple[States, NDArray[np.bool_]]:
    """The states cut where a rank enters and leaves calls that wait, and which of them are inside one. One that is
    queued after a wakeup counts as outside."""
    if not len(waiting.starts):
        return states, np.zeros(len(states.starts), np.bool_)
    of, is_inside, starts, ends = split(states.starts, states.ends, waiting)
    cut = States(starts, ends, states.phases[of], states.cpus[of])
    return cut, is_inside & (cut.phases != RUNNABLE)


def known_of(states: States, unknown: Timeline) -> States:
    """The states without the time in which a rank ran, or was off its CPU, and may have waited in a call or not."""
    if not len(unknown.starts):
        return states
    of, is_inside, starts, ends = split(states.starts, states.ends, unknown)
    cut = States(starts, ends, states.phases[of], states.cpus[of])
    return cut.where(~is_inside | np.isin(cut.phases, (RUNNABLE, SLEEPING)))


def decompose(
    states: States, on_cpus: CpuTimes, bounds: Ints, waiting: Timeline = EMPTY, unknown: Timeline = EMPTY
) -> Ints:
    """Nanoseconds by part (rows, see `PARTS`) and window. `waiting`: when the rank was in calls that wait; `unknown`:
    when that is not known."""
    states = known_of(states, unknown)
    states, is_inside = in_calls(states, waiting)
    inside, states = states.where(is_inside), states.where(~is_inside)
    out = np.zeros((len(PARTS), len(bounds) - 1), np.int64)
    out[PLACE["spin"]] = inside.of_phase(RUNNING).in_windows(bounds)
    for phase, part in _PHASES.items():
        out[PLACE[part]] = states.of_phase(phase).in_windows(bounds)
    for phase in NOT_NEEDED:
        out[PLACE["wait"]] += inside.of_phase(phase).in_windows(bounds)
    for phase in (RUNNABLE, PREEMPTED):
        of = states.phases == phase
        unseen = overlap_in_windows(states.starts[of], states.ends[of], states.cpus[of], on_cpus.unobserved, bounds)
        out[PLACE[_PHASES[phase]]] -= unseen
    on = states.phases == RUNNING
    running = Timeline.of(states.starts[on], states.ends[on])
    out[PLACE["irq"]] = overlap_in_windows(running.starts, running.ends, states.cpus[on], on_cpus.interrupts, bounds)
    out[PLACE["compute"]] = running.in_windows(bounds) - out[PLACE["irq"]]
    out[PLACE["other"]] = np.diff(bounds) - out.sum(axis=0)
    return out

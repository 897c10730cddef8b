"""Schedules as a reader that errs takes them: the first edition's prev_state, and other faults."""

from __future__ import annotations

import random
from dataclasses import replace

from releases.schedule import Event, Schedule
from releases.tables import LEAVING, Kernel, Lttng, by_rule, version

NAMED_SINCE_4_14 = "SDTtXZPI"
NAMED_BEFORE = "SDTtZXxKWPNn"
ASLEEP = {"Z": "zombie", "X": "dead", "x": "dead"}


def first_edition(raw: int, kernel: Kernel) -> str:
    """The first edition's reading of a number in CTF: above the bits it knew, preempted; else by the lowest bit."""
    letters = NAMED_SINCE_4_14 if version(kernel.release) >= (4, 14) else NAMED_BEFORE
    if raw == 0:
        return "yield"
    if raw >= 1 << len(letters):
        return "preempted"
    lowest = (raw & -raw).bit_length() - 1
    return ASLEEP.get(letters[lowest], "sleep")


def as_first_edition(schedule: Schedule, kernel: Kernel, lttng: Lttng) -> Schedule:
    """What the first edition took the CTF of this version on this kernel to say."""

    def read(event: Event) -> Event:
        if event.kind != "switch":
            return event
        state = sum(kernel.bits.get(bit, 0) for bit in LEAVING[event.how])
        return replace(event, how=first_edition(by_rule(lttng.rule(kernel), kernel.bits, event.how, state), kernel))

    return replace(schedule, events=[read(event) for event in schedule.events])


def on_one_cpu(schedule: Schedule) -> Schedule:
    """Every event as if CPU 0 had recorded it; targets as they are."""
    return replace(schedule, events=[replace(event, cpu=0) for event in schedule.events])


def without_wakeups(schedule: Schedule, share: float = 0.5) -> Schedule:
    """Some of the wakeups are missing."""
    chance = random.Random(1)
    kept = [e for e in schedule.events if not (e.kind.startswith("wakeup") and chance.random() < share)]
    return replace(schedule, events=kept)


def never_leaving_idle(schedule: Schedule) -> Schedule:
    """Switches from swapper are missing."""
    return replace(schedule, events=[e for e in schedule.events if e.kind != "switch" or e.tid != 0])


def always_asleep(schedule: Schedule) -> Schedule:
    """Preempted threads are taken for asleep."""
    runnable = ("preempted", "yield")
    return replace(
        schedule, events=[replace(e, how="sleep") if e.how in runnable and e.tid else e for e in schedule.events]
    )


def always_dead(schedule: Schedule) -> Schedule:
    """Preempted threads are taken for dead."""
    runnable = ("preempted", "yield")
    return replace(
        schedule, events=[replace(e, how="dead") if e.how in runnable and e.tid else e for e in schedule.events]
    )


def never_asleep(schedule: Schedule) -> Schedule:
    """Threads that sleep are taken for preempted."""
    ended = ("", "dead", "zombie", "yield")
    return replace(schedule, events=[e if e.how in ended else replace(e, how="preempted") for e in schedule.events])

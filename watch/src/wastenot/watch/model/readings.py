"""Readings: the figures that conditions are evaluated on, as counters at one instant.

In exact mode they are the checker's. Without it they are made of samples, and what a sample cannot show is taken so
that a condition is rather true than false: the exact check of the saved box decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wastenot.watch.model.status import ExactCounters, Status

IN_FLIGHT_NS = 50_000
PERSISTENT_NS = 100_000_000
"""Bounds of two grades (docs/semantics.md, Episodes)."""

RECURRENT_SHARE = 0.1
"""Waste of one core from which on short intervals are recurrent (docs/semantics.md, Episodes)."""

CORE_TIMES = ("wasted", "certain", "idle_while_waiting")


@dataclass(frozen=True)
class Reading:
    """Counters at `time_ns`: time of online CPUs [cpu-ns], waste by measure and grade [core-ns], episodes by grade."""

    time_ns: int
    online_ns: int = 0
    core_ns: Mapping[str, int] = field(default_factory=dict)
    episodes: Mapping[str, int] = field(default_factory=dict)
    lost: int = 0


def sampled_bounds(tick_ns: int, balance_intervals_ns: Iterable[int]) -> dict[str, int]:
    """From which length on a violation may have each grade (ns): the smallest that the definition allows here."""
    lasting = max(tick_ns, min(balance_intervals_ns, default=tick_ns))
    persistent = min(PERSISTENT_NS, 3 * lasting)
    return {
        "noise": 0,
        "in_flight": IN_FLIGHT_NS,
        "expected": tick_ns,
        "lasting": lasting,
        "persistent": max(lasting, persistent),
    }


def next_sampled(before: Reading, was: Status, now: Status, bounds_ns: Mapping[str, int], hit_ns: int) -> Reading:
    """The reading after `before`, whose status `was`: by what changed until `now`. Hits have lasted for `hit_ns`.

    A violation counts as an episode of a grade when it has lasted for the grade's bound; the waste since the status
    before counts as its own. Violations that are too short to be listed are one episode for all that time.
    """
    passed = max(0, now.time_ns - was.time_ns)
    wasted = max(0, now.wasted_ns - was.wasted_ns)
    ages = {h.number: h.age_ns for h in was.hits}
    unlisted = max(0, now.hits_total - was.hits_total - sum(h.number not in ages for h in now.hits))
    core_ns = {name: before.core_ns.get(name, 0) + wasted for name in CORE_TIMES}
    episodes = dict(before.episodes)
    for grade, bound in bounds_ns.items():
        began = sum(ages.get(h.number, -1) < bound <= h.age_ns for h in now.hits)
        if bound <= hit_ns:
            began += unlisted or (not began and wasted > 0 and bound < hit_ns)
        grew = any(h.age_ns >= bound and h.age_ns != ages.get(h.number) for h in now.hits)
        core_ns[grade] = before.core_ns.get(grade, 0) + (wasted if grew or began else 0)
        episodes[grade] = before.episodes.get(grade, 0) + began
    recurs = passed > 0 and wasted >= RECURRENT_SHARE * passed
    core_ns["recurrent"] = before.core_ns.get("recurrent", 0) + (wasted if recurs else 0)
    episodes["recurrent"] = before.episodes.get("recurrent", 0) + recurs
    return Reading(now.time_ns, before.online_ns + passed * len(now.cpus), core_ns, episodes, now.lost)


def exact_reading(counters: ExactCounters) -> Reading:
    """The reading of the exact counters."""
    core_ns = {name: getattr(counters, f"{name}_ns") for name in CORE_TIMES}
    core_ns |= {grade: ns for grade, (_, ns) in counters.episodes.items()}
    episodes = {grade: count for grade, (count, _) in counters.episodes.items()}
    return Reading(counters.time_ns, counters.online_ns, core_ns, episodes, counters.lost)

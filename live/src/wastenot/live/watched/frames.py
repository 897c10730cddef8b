"""A frame of a running watch: from its latest view and what it reported in the last minute."""

from __future__ import annotations

from collections.abc import Mapping

from wastenot.live.model.frame import (
    CauseTime,
    CpuNow,
    CpuPlace,
    CpuState,
    Frame,
    Queue,
    SavedBox,
    Waste,
    worst_queues,
)
from wastenot.live.watched.minute import MINUTE_NS, LastMinute
from wastenot.watch.model.boxes import Box
from wastenot.watch.model.status import Hit, Status
from wastenot.watch.model.view import View

QUEUES, THREADS = 100, 3
"""Queues, and threads of each, at most."""

LATE_NS = 20_000_000
"""A violation that ended longer ago than this, by its age and when it was listed, is not under way."""


def frame_of(view: View, minute: LastMinute, places: Mapping[int, CpuPlace], title: str, clock: str) -> Frame:
    """The frame. `places` are the CPUs' places by number; a CPU that is not among them has an unknown one."""
    present = present_hits(view.status)
    cpus = _cpus(view.status, present, places, minute.idle_shares())
    span, online = minute.span_ns, max(1, len(view.status.cpus))
    share = minute.wasted_ns / (span * online) if span else 0.0
    is_exact = view.exact is not None
    return Frame(
        title=f"{title}, {view.facts.mode}",
        clock=clock,
        waste=Waste(len({h.idle_cpu for h in present}), minute.mean(), minute.wasted_ns, min(span, MINUTE_NS), share),
        curve=minute.curve(),
        cpus=cpus,
        queues=_queues(cpus, present),
        cgroups=minute.cgroups(),
        causes=minute.causes() if is_exact else _causes_of_boxes(view),
        causes_of="last minute" if is_exact else "boxes of the last minute",
        boxes=tuple(_saved(box) for box in reversed(view.boxes)),
        saving=view.saving,
        notes=_notes(view),
    )


def present_hits(status: Status) -> tuple[Hit, ...]:
    """The violations that are under way."""
    if not status.longest_ns:
        return ()
    return tuple(h for h in status.hits if h.time_ns + h.age_ns >= status.time_ns - LATE_NS)


def _cpus(
    status: Status, present: tuple[Hit, ...], places: Mapping[int, CpuPlace], idle_shares: Mapping[int, float]
) -> tuple[CpuNow, ...]:
    wasted = {h.idle_cpu for h in present}
    online = {c.cpu: c for c in status.cpus}
    out = []
    for number in sorted(places.keys() | online.keys()):
        place = places.get(number, CpuPlace(number))
        if number not in online:
            out.append(CpuNow(place, CpuState.OFFLINE))
            continue
        cpu = online[number]
        idle = CpuState.WASTED if number in wasted else CpuState.IDLE
        state = CpuState.RUNNING if cpu.nr_running else idle
        out.append(CpuNow(place, state, max(0, cpu.nr_running - 1), idle_share=idle_shares.get(number)))
    return tuple(out)


def _queues(cpus: tuple[CpuNow, ...], present: tuple[Hit, ...]) -> tuple[Queue, ...]:
    """The longest queues. Which threads wait is known of those that a look found beside an idle CPU."""
    waits: dict[int, dict[int, Hit]] = {}
    for hit in present:
        waits.setdefault(hit.overloaded_cpu, {})[hit.tid] = hit
    out = []
    for cpu in worst_queues(cpus, QUEUES):
        hits = sorted(waits.get(cpu.place.cpu, {}).values(), key=lambda h: (-h.age_ns, h.tid))
        threads = tuple(f"{h.comm} ({h.tid})" for h in hits[:THREADS])
        out.append(Queue(cpu.place.cpu, cpu.waiting, "", threads, hits[0].age_ns if hits else None))
    return tuple(out)


def _causes_of_boxes(view: View) -> tuple[CauseTime, ...]:
    """The main causes that the exact verdicts of the last minute's boxes named."""
    sums: dict[str, list[int]] = {}
    for box in view.boxes:
        if box.verdict is not None and box.kept and box.trigger.time_ns > view.time_ns - MINUTE_NS:
            sums.setdefault(box.verdict.cause, []).append(box.verdict.wasted_ns)
    ordered = sorted(sums.items(), key=lambda item: -sum(item[1]))
    return tuple(CauseTime((cause,), sum(ns)) for cause, ns in ordered)


def _saved(box: Box) -> SavedBox:
    verdict = box.verdict
    return SavedBox(
        box.path,
        box.saved_at,
        box.trigger.reason,
        box.error or box.outcome,
        verdict.wasted_ns if verdict else None,
        verdict.sentence if verdict else "",
        box.kept,
    )


def _notes(view: View) -> tuple[str, ...]:
    notes = [f"saving a box: {view.saving}"] if view.saving else []
    if view.exact is None:
        notes.append("sampled by looks at the runqueues; cgroups and all causes: `wastenot live --exact`")
    lost = view.exact.lost if view.exact is not None else view.status.lost
    if lost:
        notes.append(f"{lost:,} events lost: figures are too low")
    return tuple(notes)

"""Frames of machines of any size, the same at each call."""

from __future__ import annotations

from collections.abc import Iterator

from wastenot.live.model.frame import (
    CauseTime,
    CgroupWait,
    CpuNow,
    CpuPlace,
    CpuState,
    Curve,
    Frame,
    Playback,
    Queue,
    SavedBox,
    Waste,
    worst_queues,
)

MINUTE_NS = 60_000_000_000
REASONS = ("avoidable", "neighbour", "own_quota", "own_threads", "confined", "interrupts", "kernel_threads", "rt_dl")
NAMES = ("hackbench", "make", "cc1plus", "kworker/3:1-ev", "fifteen-letters")


def numbers(seed: int) -> Iterator[int]:
    """Numbers from 0 to 99 that look random (the generator of ISO C's example)."""
    state = seed
    while True:
        state = (state * 1103515245 + 12345) % 2**31
        yield (state >> 16) % 100


def drawn_cpus(count: int) -> tuple[CpuNow, ...]:
    """CPUs on nodes of a quarter of them, with two last-level caches each, from 64 CPUs on; fewer are one node."""
    draw = numbers(count)
    node = count // 4 if count >= 64 else count
    out = []
    for cpu in range(count):
        place = CpuPlace(cpu, cpu // node, cpu // (node // 2) * (node // 2) if count >= 64 else 0, cpu)
        if next(draw) < 30:
            state = CpuState.WASTED if next(draw) < 30 else CpuState.IDLE
            out.append(CpuNow(place, state, 0, "", 0.9))
        else:
            waiting = max(0, next(draw) - 70) // 4
            out.append(CpuNow(place, CpuState.RUNNING, waiting, NAMES[next(draw) % 5], next(draw) / 200))
    return tuple(out)


def drawn_frame(cpus: int, cgroups: int = 12, *, is_played: bool = False) -> Frame:
    """A frame with as many CPUs and cgroups; of a watch with two boxes, or of a trace that is played."""
    draw = numbers(cpus + 1)
    places = drawn_cpus(cpus)
    wasted = sum(c.state is CpuState.WASTED for c in places)
    queues = tuple(
        Queue(
            c.place.cpu,
            c.waiting,
            c.running,
            tuple(f"worker-{i}" for i in range(min(3, c.waiting))),
            next(draw) * 3_700_000,
        )
        for c in worst_queues(places, 100)
    )
    return Frame(
        title="demo.duckdb: ebpf, 6.12.9" if is_played else "web-7, sentinel",
        clock="" if is_played else "05:50:01",
        playback=Playback(1_258_000_000, 5_032_000_000, False, 0.1) if is_played else None,
        waste=Waste(wasted, wasted * 0.8, 12_300_000_000, MINUTE_NS, 0.031),
        curve=Curve(
            tuple(max(0, next(draw) - 30) * wasted / 70 for _ in range(60)),
            5_032_000_000 if is_played else MINUTE_NS,
            0.25 if is_played else None,
        ),
        cpus=places,
        queues=queues,
        cgroups=drawn_cgroups(cgroups),
        causes=CAUSES,
        boxes=() if is_played else BOXES,
        notes=() if is_played else ("sampled by looks at the runqueues",),
    )


def drawn_cgroups(count: int) -> tuple[CgroupWait, ...]:
    """Cgroups, the one that waited longest first."""
    draw = numbers(7)
    out = []
    for i in range(count):
        split = {
            reason: (next(draw) + 1) * 10_000_000_000 // (i + 3) // (1 + place) for place, reason in enumerate(REASONS)
        }
        out.append(CgroupWait(f"pod batch-{i:05}/container worker-{i * 7919 % 100003}", split, f"db-{i}.service"))
    return tuple(sorted(out, key=lambda c: -c.waited_ns))


CAUSES = (
    CauseTime(
        ("affinity change", "periodic did not run: interval too long", "affinity change"),
        5_200_000_000,
        3,
        "queued there before an affinity change allowed the idle CPU (proved); not moved because the domain's balance "
        "interval is so long that load-balance attempts over it were too few (proved, for 84.2 % of it); ended when "
        "the affinity of a waiting thread was changed (proved)",
    ),
    CauseTime(("wakeup: idle-sibling scan cut short", "newidle did not run (cut off)", ""), 21_000_000, 1, "", True),
)
BOXES = (
    SavedBox(
        "/var/lib/wastenot/20261124T055001Z-lasting.duckdb", "2026-11-24T05:50:01Z", "lasting>0", "confirmed",
        1_230_000_000, "5.5 of 8 cores wasted for 1.26 s",
    ),
    SavedBox("/var/lib/wastenot/20261124T054801Z-trigger.duckdb", "2026-11-24T05:48:01Z", "trigger", "requested", 0),
    SavedBox("/var/lib/wastenot/x.duckdb", "2026-11-24T05:40:01Z", "lasting>0", "unconfirmed", is_kept=False),
)  # fmt: skip

"""Perfetto's ftrace bundles.

Sources: protos/perfetto/trace/{trace,trace_packet}.proto, ftrace/{ftrace_event_bundle,ftrace_event,sched,irq}.proto and
common/system_info.proto in google/perfetto.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from releases.ftrace import recorded, values
from releases.schedule import Event, Schedule
from releases.tables import Kernel

PER_BUNDLE = 50
EVENT_FIELDS = {
    "switch": 4, "wakeup": 17, "waking": 20, "softirq_entry": 24, "softirq_exit": 25, "wakeup_new": 114, "exec": 237,
    "exit": 238, "fork": 239, "migrate": 491,
}  # fmt: skip
FIELDS = {
    "switch": ("prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio"),
    "wakeup": ("comm", "pid", "prio", "success", "target_cpu"),
    "migrate": ("comm", "pid", "prio", "orig_cpu", "dest_cpu"),
    "fork": ("parent_comm", "parent_pid", "child_comm", "child_pid"),
    "exec": ("filename", "pid", "old_pid"),
    "exit": ("comm", "pid", "tgid", "prio"),
    "softirq_entry": ("vec",),
}
"""Fields of each message in the order of their numbers, from 1."""
SAME = {"waking": "wakeup", "wakeup_new": "wakeup", "softirq_exit": "softirq_entry"}


def varint(n: int) -> bytes:
    n &= (1 << 64) - 1
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def number(field: int, n: int) -> bytes:
    return varint(field << 3) + varint(n)


def blob(field: int, raw: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(raw)) + raw


def write(path: Path, schedule: Schedule, kernel: Kernel, machine_name: str, compact: bool) -> None:
    """One trace; `compact` has switches and wakings as columns without the thread that leaves."""
    events = recorded(schedule.events, kernel)
    packets = [blob(45, blob(1, system(kernel, machine_name)))]
    for cpu in range(schedule.cpus):
        own = [e for e in events if e.cpu == cpu]
        for at in range(0, len(own), PER_BUNDLE):
            packets.append(blob(1, bundle(cpu, own[at : at + PER_BUNDLE], kernel, compact)))
    path.write_bytes(b"".join(blob(1, packet + number(10, 1)) for packet in packets))


def system(kernel: Kernel, machine_name: str) -> bytes:
    """Utsname: sysname, version, release, machine."""
    return blob(1, b"Linux") + blob(2, b"#1 SMP") + blob(3, kernel.uname.encode()) + blob(4, machine_name.encode())


def bundle(cpu: int, events: list[Event], kernel: Kernel, compact: bool) -> bytes:
    out = number(1, cpu)
    packed = [e for e in events if compact and e.kind in ("switch", "waking")]
    out += b"".join(blob(2, message(e, kernel)) for e in events if e not in packed)
    return out + (blob(4, columns(packed, kernel)) if packed else b"")


def message(event: Event, kernel: Kernel) -> bytes:
    fields = values(event, kernel)
    if event.kind == "exit":
        fields["tgid"] = event.tid
    body = b""
    for n, name in enumerate(FIELDS[SAME.get(event.kind, event.kind)], 1):
        if name in fields and not (
            name == "success" and not any(f == "success" for _, f in kernel.fields("sched_wakeup"))
        ):
            value = fields[name]
            body += blob(n, value.encode()) if isinstance(value, str) else number(n, value)
    return number(1, event.ts_ns) + number(2, event.running) + blob(EVENT_FIELDS[event.kind], body)


def columns(events: list[Event], kernel: Kernel) -> bytes:
    """CompactSched."""
    switches, wakings = [e for e in events if e.kind == "switch"], [e for e in events if e.kind == "waking"]
    texts = sorted({e.next_name for e in switches} | {e.name for e in wakings})

    def packed(field: int, numbers: list[int]) -> bytes:
        return blob(field, b"".join(map(varint, numbers))) if numbers else b""

    def steps(events: list[Event]) -> list[int]:
        stamps = [0, *(e.ts_ns for e in events)]
        return [after - before for before, after in pairwise(stamps)]

    out = packed(1, steps(switches)) + packed(2, [kernel.prev_state(e.how) for e in switches])
    out += packed(3, [e.next_tid for e in switches]) + packed(4, [e.prio for e in switches])
    out += b"".join(blob(5, name.encode()) for name in texts) + packed(6, [texts.index(e.next_name) for e in switches])
    out += packed(7, steps(wakings)) + packed(8, [e.tid for e in wakings]) + packed(9, [e.target for e in wakings])
    return out + packed(10, [e.prio for e in wakings]) + packed(11, [texts.index(e.name) for e in wakings])

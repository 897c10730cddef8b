"""perf.data of `perf record -a -e sched:... -R`: tools/perf/Documentation/perf.data-file-format.txt,
include/uapi/linux/perf_event.h."""

from __future__ import annotations

import struct
from pathlib import Path

from releases.ftrace import EVENTS, Machine, record, recorded
from releases.schedule import Event, Schedule
from releases.tables import Kernel
from releases.tracedat import tracing_data

TRACEPOINT = 2  # PERF_TYPE_TRACEPOINT
TID, TIME, ID, CPU, PERIOD, RAW = 1 << 1, 1 << 2, 1 << 6, 1 << 7, 1 << 8, 1 << 10  # PERF_SAMPLE_*
SAMPLE_TYPE = TID | TIME | ID | CPU | PERIOD | RAW
SAMPLE, COMM = 9, 3  # PERF_RECORD_*
ATTR_SIZE = 112  # PERF_ATTR_SIZE_VER5
SAMPLE_ID_ALL, COMM_FLAG = 18, 9  # places of the flags in perf_event_attr
FEATURES = {"tracing_data": 1, "hostname": 3, "osrelease": 4, "arch": 6, "nrcpus": 7}  # HEADER_*


def write(path: Path, schedule: Schedule, kernel: Kernel, machine: Machine, tracing: bool = True) -> None:
    """One file; without `tracing` it lacks the formats of its events."""
    order = machine.order
    events = recorded(schedule.events, kernel)
    kinds = [kind for kind in EVENTS if kernel.has(EVENTS[kind][1])]
    ids = {kind: [1 + n * 64 + cpu for cpu in range(schedule.cpus)] for n, kind in enumerate(kinds)}
    body = comms(events, machine) + b"".join(sample(e, ids[e.kind][e.cpu], kernel, machine) for e in events)
    at = 104
    attrs, places = b"", b""
    id_at = at + len(kinds) * (ATTR_SIZE + 16)
    for kind in kinds:
        raw = struct.pack(order + f"{schedule.cpus}Q", *ids[kind])
        attrs += attribute(EVENTS[kind][2], machine) + struct.pack(order + "QQ", id_at + len(places), len(raw))
        places += raw
    data_at = id_at + len(places)
    features = {
        "tracing_data": tracing_data(kernel, machine, b"0.6\0", b"") if tracing else b"",
        "hostname": text("host", machine),
        "osrelease": text(kernel.uname, machine),
        "arch": text(machine.name, machine),
        "nrcpus": struct.pack(order + "II", schedule.cpus, schedule.cpus),
    }
    there = {name: content for name, content in features.items() if content}
    bits = sum(1 << FEATURES[name] for name in there)
    head = struct.pack(
        order + "QQQQQQQQQ", magic(machine), 104, ATTR_SIZE + 16, at, len(attrs), data_at, len(body), 0, 0
    )
    head += feature_bits(bits, machine)
    feature_at = data_at + len(body) + 16 * len(there)
    table, contents = b"", b""
    for content in there.values():
        table += struct.pack(order + "QQ", feature_at + len(contents), len(content))
        contents += content
    path.write_bytes(head + attrs + places + body + table + contents)


def magic(machine: Machine) -> int:
    return int.from_bytes(b"PERFILE2", "little")


def feature_bits(bits: int, machine: Machine) -> bytes:
    """A bitmap of unsigned longs: their size shows in big-endian files."""
    return (struct.pack(">I", bits) if machine == Machine(4, True) else struct.pack(machine.order + "Q", bits)).ljust(
        32, b"\0"
    )


def attribute(config: int, machine: Machine) -> bytes:
    """perf_event_attr; the flags are a bit field, which begins at the other end on big-endian machines."""
    flags = sum(1 << (63 - bit if machine.big else bit) for bit in (SAMPLE_ID_ALL, COMM_FLAG))
    fixed = struct.pack(machine.order + "IIQQQQQ", TRACEPOINT, ATTR_SIZE, config, 1, SAMPLE_TYPE, 4, flags)
    return fixed.ljust(ATTR_SIZE, b"\0")


def text(value: str, machine: Machine) -> bytes:
    """perf_header_string."""
    raw = value.encode() + b"\0"
    raw = raw.ljust(-(-len(raw) // 64) * 64, b"\0")
    return struct.pack(machine.order + "I", len(raw)) + raw


def packet(kind: int, body: bytes, machine: Machine) -> bytes:
    return struct.pack(machine.order + "IHH", kind, 0, 8 + len(body)) + body


def comms(events: list[Event], machine: Machine) -> bytes:
    """COMM records of the threads that were there when the recording began: perf synthesizes them with time 0."""
    born = {event.next_tid for event in events if event.kind == "fork"}
    names = {e.tid: e.name for e in reversed(events) if e.tid and e.tid not in born}
    out = b""
    for tid, name in names.items():
        raw = name.encode() + b"\0"
        body = struct.pack(machine.order + "II", tid, tid) + raw.ljust(-(-len(raw) // 8) * 8, b"\0")
        out += packet(COMM, body + struct.pack(machine.order + "IIQQII", tid, tid, 0, 1, 0, 0), machine)
    return out


def sample(event: Event, number: int, kernel: Kernel, machine: Machine) -> bytes:
    order = machine.order
    raw = record(event, kernel, machine)
    raw += bytes(-(4 + len(raw)) % 8)
    head = struct.pack(order + "IIQQIIQ", event.running, event.running, event.ts_ns, number, event.cpu, 0, 1)
    return packet(SAMPLE, head + struct.pack(order + "I", len(raw)) + raw, machine)

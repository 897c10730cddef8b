"""trace.dat of trace-cmd.

Sources: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5); kernel/trace/ring_buffer.c for the pages.
"""

from __future__ import annotations

import struct
from pathlib import Path

from releases.ftrace import EVENTS, Machine, format_file, record, recorded
from releases.schedule import Event, Schedule
from releases.tables import Kernel

PAGE = 4096
SMALL = 28 * 4  # longest record whose length fits the head (type_len)
TIME_EXTEND = 30


def write(path: Path, schedule: Schedule, kernel: Kernel, machine: Machine, file_version: int) -> None:
    """One file of that version."""
    events = recorded(schedule.events, kernel)
    per_cpu = [[e for e in events if e.cpu == cpu] for cpu in range(schedule.cpus)]
    data = [pages(part, kernel, machine) for part in per_cpu]
    names = {e.running: e.running_name for e in events if e.running}
    cmdlines = "".join(f"{tid} {name}\n" for tid, name in names.items()).encode()
    writer = version_6 if file_version == 6 else version_7
    path.write_bytes(writer(kernel, machine, data, cmdlines))


def pages(events: list[Event], kernel: Kernel, machine: Machine) -> bytes:
    """The pages of one CPU."""
    head = 8 + machine.word
    out, body, first, last = b"", b"", 0, 0
    for event in events:
        raw = record(event, kernel, machine)
        entry = timed(raw, event.ts_ns - last if body else 0, machine)
        if body and head + len(body) + len(entry) > PAGE:
            out += page(first, body, machine)
            body = b""
            entry = timed(raw, 0, machine)
        if not body:
            first = event.ts_ns
        body += entry
        last = event.ts_ns
    return out + (page(first, body, machine) if body else b"")


def page(first_ns: int, body: bytes, machine: Machine) -> bytes:
    commit = struct.pack(machine.order + ("q" if machine.word == 8 else "i"), len(body))
    return (struct.pack(machine.order + "Q", first_ns) + commit + body).ljust(PAGE, b"\0")


def timed(raw: bytes, delta: int, machine: Machine) -> bytes:
    """A record behind its head, and behind a time extension where the head cannot hold the step."""
    extension = b""
    if delta >= 1 << 27:
        extension = entry_head(TIME_EXTEND, delta & (1 << 27) - 1, machine)
        extension += struct.pack(machine.order + "I", delta >> 27)
        delta = 0
    if len(raw) > SMALL:
        return extension + entry_head(0, delta, machine) + struct.pack(machine.order + "I", len(raw) + 4) + raw
    return extension + entry_head(len(raw) // 4, delta, machine) + raw


def entry_head(type_len: int, delta: int, machine: Machine) -> bytes:
    """5 bits of type or length and 27 of time; C's bit fields begin at the other end on big-endian machines."""
    return struct.pack(machine.order + "I", type_len << 27 | delta if machine.big else delta << 5 | type_len)


def header_page(machine: Machine) -> bytes:
    word, data = machine.word, 8 + machine.word
    return (
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
        f"\tfield: local_t commit;\toffset:8;\tsize:{word};\tsigned:1;\n"
        "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
        f"\tfield: char data;\toffset:{data};\tsize:{PAGE - data};\tsigned:1;\n"
    ).encode()


HEADER_EVENT = (
    b"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
    b"\tpadding     : type == 29\n\ttime_extend : type == 30\n\tdata max type_len  == 28\n"
)


def header(machine: Machine) -> bytes:
    long = machine.order + "Q"
    text = header_page(machine)
    return (
        b"header_page\0" + struct.pack(long, len(text)) + text
        + b"header_event\0" + struct.pack(long, len(HEADER_EVENT)) + HEADER_EVENT
    )  # fmt: skip


def formats(kernel: Kernel, machine: Machine) -> bytes:
    """The systems with the format files of their events."""
    systems: dict[str, list[bytes]] = {}
    for system, name, number in EVENTS.values():
        if kernel.has(name):
            systems.setdefault(system, []).append(format_file(kernel, name, number, machine).encode())
    out = struct.pack(machine.order + "I", len(systems))
    for system, files in systems.items():
        out += system.encode() + b"\0" + struct.pack(machine.order + "I", len(files))
        out += b"".join(struct.pack(machine.order + "Q", len(file)) + file for file in files)
    return out


def start(kind: bytes, machine: Machine) -> bytes:
    return b"\x17\x08\x44tracing" + kind + bytes([machine.big, machine.word]) + struct.pack(machine.order + "I", PAGE)


def tracing_data(kernel: Kernel, machine: Machine, kind: bytes, cmdlines: bytes) -> bytes:
    """What comes before the records in version 6, and as a feature in perf.data."""
    none = struct.pack(machine.order + "I", 0)
    out = start(kind, machine) + header(machine) + none + formats(kernel, machine) + none + none
    return out + struct.pack(machine.order + "Q", len(cmdlines)) + cmdlines


def uname(kernel: Kernel, machine: Machine) -> bytes:
    return f"Linux host {kernel.uname} #1 SMP {machine.name}".encode() + b"\0"


def option(number: int, data: bytes, machine: Machine) -> bytes:
    return struct.pack(machine.order + "HI", number, len(data)) + data


CLOCK = b"[local] global counter uptime perf mono\0"


def version_6(kernel: Kernel, machine: Machine, data: list[bytes], cmdlines: bytes) -> bytes:
    out = tracing_data(kernel, machine, b"6\0", cmdlines) + struct.pack(machine.order + "I", len(data)) + b"options  \0"
    out += option(4, CLOCK, machine) + option(5, uname(kernel, machine), machine)
    out += struct.pack(machine.order + "H", 0) + b"flyrecord\0"
    at = -(-(len(out) + 16 * len(data)) // PAGE) * PAGE
    body, begin = b"", at
    for part in data:
        out += struct.pack(machine.order + "QQ", begin + len(body), len(part))
        body += part
    return out.ljust(at, b"\0") + body


def section(number: int, content: bytes, machine: Machine) -> bytes:
    return struct.pack(machine.order + "HHIQ", number, 0, 0, len(content)) + content


def version_7(kernel: Kernel, machine: Machine, data: list[bytes], cmdlines: bytes) -> bytes:
    order = machine.order
    head = start(b"7\0", machine) + b"none\0\0"
    none = struct.pack(order + "I", 0)
    parts = {16: header(machine), 17: none, 18: formats(kernel, machine), 19: none, 20: none}
    parts[21] = struct.pack(order + "Q", len(cmdlines)) + cmdlines
    out, at, options = b"", len(head) + 8, b""
    for number, content in parts.items():
        options += option(number, struct.pack(order + "Q", at + len(out)), machine)
        out += section(number, content, machine)
    buffer_at = at + len(out)
    begin = -(-(buffer_at + 16) // PAGE) * PAGE
    out += struct.pack(order + "HHIQ", 3, 0, 0, begin - buffer_at - 16 + sum(map(len, data)))
    out = out.ljust(begin - at, b"\0") + b"".join(data)
    buffer = struct.pack(order + "Q", buffer_at) + b"\0" + b"local\0" + struct.pack(order + "II", PAGE, len(data))
    for cpu, part in enumerate(data):
        buffer += struct.pack(order + "IQQ", cpu, begin, len(part))
        begin += len(part)
    options += option(3, buffer, machine) + option(4, CLOCK, machine) + option(5, uname(kernel, machine), machine)
    options += option(8, struct.pack(order + "I", len(data)), machine) + option(0, bytes(8), machine)
    return head + struct.pack(order + "Q", at + len(out)) + out + section(0, options, machine)

"""CTF 1.8 as LTTng-modules writes it.

Sources: lttng-events.c (metadata, packet and event headers), lttng-ring-buffer-client.h (packet context),
instrumentation/events/lttng-module/{sched,irq,lttng-statedump}.h; diamon.org/ctf for the format itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import Template

from releases.ftrace import EVENTS, Machine, recorded
from releases.schedule import Event, Schedule
from releases.tables import LEAVING, Kernel, Lttng, by_rule, table

UUID = bytes(range(0x10, 0x20))
PER_PACKET = 60
EXTENDED = 31  # id of the compact header that says: a whole id and stamp follow
OFFSET_NS = 1_400_000_000_000_000_000

Field = tuple[str, str, int | str]
"""Type, name and value."""


@dataclass(frozen=True)
class Trace:
    """What decides how the trace is laid out."""

    kernel: Kernel
    lttng: Lttng
    machine: Machine

    @property
    def natural(self) -> bool:
        """Fields are aligned: on machines without cheap unaligned access (lttng_alignof)."""
        return self.machine == Machine(4, True)

    def align(self, size: int) -> int:
        """Alignment in bytes of an integer of that many bytes."""
        return size if self.natural else 1


def write(folder: Path, schedule: Schedule, kernel: Kernel, lttng: Lttng, machine: Machine) -> None:
    """A trace of one channel, a stream per CPU, with a state dump at its start on CPU 0."""
    trace = Trace(kernel, lttng, machine)
    folder.mkdir(parents=True)
    events = recorded(schedule.events, kernel)
    begin = events[0].ts_ns - 1000
    dump = [(begin, fields_of_dump(trace, e)) for e in first_of_threads(events)]
    kinds = [*(kind for kind in EVENTS if kernel.has(EVENTS[kind][1])), "statedump"]
    (folder / "metadata").write_text(metadata(trace, kinds, events))
    for cpu in range(schedule.cpus):
        stream = [(e.ts_ns, kinds.index(e.kind), fields(trace, e)) for e in events if e.cpu == cpu]
        if cpu == 0:
            stream = [(ts, kinds.index("statedump"), dumped) for ts, dumped in dump] + stream
        packets = [stream[at : at + PER_PACKET] for at in range(0, len(stream), PER_PACKET)]
        raw = b"".join(packet(trace, cpu, n, part) for n, part in enumerate(packets))
        (folder / f"channel0_{cpu}").write_bytes(raw)


def first_of_threads(events: list[Event]) -> list[Event]:
    """The first event of each thread that was there when the recording began."""
    born = {e.next_tid for e in events if e.kind == "fork"}
    return list({e.tid: e for e in reversed(events) if e.tid and e.tid not in born}.values())


# ---- events


def event_name(trace: Trace, kind: str) -> str:
    if kind == "statedump":
        return "lttng_statedump_process_state"
    prefix = trace.lttng.softirq_prefix if kind.startswith("softirq") else ""
    return prefix + EVENTS[kind][1]


def fields(trace: Trace, event: Event) -> list[Field]:
    """The event's fields in the order of its TP_FIELDS()."""
    prio = event.prio - table("lttng")["prio"]["offset"]
    if event.kind == "switch":
        state = sum(trace.kernel.bits[bit] for bit in LEAVING[event.how])
        raw = by_rule(trace.lttng.rule(trace.kernel), trace.kernel.bits, event.how, state)
        return [
            ("comm", "prev_comm", event.name), ("int", "prev_tid", event.tid), ("int", "prev_prio", prio),
            ("long", "prev_state", raw),
            ("comm", "next_comm", event.next_name), ("int", "next_tid", event.next_tid), ("int", "next_prio", prio),
        ]  # fmt: skip
    if event.kind == "fork":
        return fork(trace, event)
    if event.kind == "exec":
        names = ("tid", "old_tid") if trace.lttng.since("exec_tids") else ("pid", "old_pid")
        return [
            ("string", "filename", f"/usr/bin/{event.name}"),
            ("int", names[0], event.tid),
            ("int", names[1], event.tid),
        ]
    if event.kind.startswith("softirq"):
        return [("u32", "vec", event.vec)]
    task: list[Field] = [("comm", "comm", event.name), ("int", "tid", event.tid)]
    if event.kind == "migrate":
        return [*task, ("int", "prio", prio), ("int", "orig_cpu", event.origin), ("int", "dest_cpu", event.target)]
    if event.kind == "exit":
        return [*task, ("int", "prio", prio)]
    task.append(("int", "prio", prio if trace.lttng.since("wakeup_prio_offset") else event.prio))
    success: list[Field] = [] if trace.kernel.has("sched_waking") else [("int", "success", 1)]
    return [*task, *success, ("int", "target_cpu", event.target)]


def fork(trace: Trace, event: Event) -> list[Field]:
    """Older versions tell threads only; newer ones processes and namespaces too."""
    processes, spaces = trace.lttng.since("fork_process_ids"), trace.lttng.since("namespaces")
    inum: list[Field] = [("u32", "{}_ns_inum", 0xEFFFFFFC)] if spaces else []

    def side(which: str, name: str, tid: int) -> list[Field]:
        out: list[Field] = [("comm", f"{which}_comm", name), ("int", f"{which}_tid", tid)]
        if which == "child" and spaces:
            out += [("u8", "_vtids_length", 1), ("int", "vtids", tid)]
        out += [("int", f"{which}_pid", tid)] if processes else []
        return out + [(kind, field.format(which), value) for kind, field, value in inum]

    return side("parent", event.name, event.tid) + side("child", event.next_name, event.next_tid)


def fields_of_dump(trace: Trace, event: Event) -> list[Field]:
    """lttng_statedump_process_state of a thread that waits."""
    dump = table("lttng")["statedump"]
    kind = dump["kernel_thread" if "/" in event.name or event.name == "rcu_preempt" else "user_thread"]
    cpu: list[Field] = [("u32", "cpu", event.origin)] if trace.lttng.since("statedump_cpu") else []
    return [
        ("int", "tid", event.tid), ("int", "pid", event.tid), ("int", "ppid", 1), ("comm", "name", event.name),
        ("int", "type", kind), ("int", "mode", 5), ("int", "submode", 0), ("int", "status", dump["status"]["wait"]),
        *cpu,
    ]  # fmt: skip


# ---- bytes


class Bits:
    """Appends fields with their alignment."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.raw = bytearray()

    def integer(self, value: int, size: int) -> None:
        self.pad(self.trace.align(size))
        self.raw += (value & (1 << 8 * size) - 1).to_bytes(size, "big" if self.trace.machine.big else "little")

    def pad(self, align: int) -> None:
        self.raw += bytes(-len(self.raw) % align)

    def field(self, field: Field) -> None:
        kind, _, value = field
        if kind == "comm":
            self.raw += str(value).encode()[:15].ljust(16, b"\0")
        elif kind == "string":
            self.raw += str(value).encode() + b"\0"
        else:
            self.integer(int(value), {"u8": 1, "int": 4, "u32": 4, "long": self.trace.machine.word}[kind])


def packet(trace: Trace, cpu: int, sequence: int, events: list[tuple[int, int, list[Field]]]) -> bytes:
    """Header, context and events of one packet, padded to whole pages."""
    begin, end = events[0][0], events[-1][0]
    body = Bits(trace)
    context = head(trace, cpu, sequence, begin, end, 0, 0)
    body.raw += bytes(len(context))
    last = begin
    for ts_ns, number, own in events:
        body.pad(trace.align(4))
        if ts_ns - last < 1 << 27:
            stamp = ts_ns & (1 << 27) - 1
            body.integer(number << 27 | stamp if trace.machine.big else stamp << 5 | number, 4)
        else:
            body.raw += bytes([EXTENDED << 3 if trace.machine.big else EXTENDED])
            body.pad(trace.align(8))  # the structure of the extended header takes the alignment of its widest field
            body.integer(number, 4)
            body.integer(ts_ns, 8)
        last = ts_ns
        body.pad(max([1, *(trace.align(SIZE.get(kind, trace.machine.word)) for kind, _, _ in own if kind in INTEGERS)]))
        for field in own:
            body.field(field)
    content = len(body.raw)
    size = -(-content // 4096) * 4096
    body.raw[: len(context)] = head(trace, cpu, sequence, begin, end, content * 8, size * 8)
    return bytes(body.raw.ljust(size, b"\0"))


INTEGERS = {"u8", "int", "u32", "long"}
SIZE = {"u8": 1, "int": 4, "u32": 4}


def head(trace: Trace, cpu: int, sequence: int, begin: int, end: int, content: int, size: int) -> bytes:
    bits = Bits(trace)
    bits.integer(0xC1FC1FC1, 4)
    bits.raw += UUID
    bits.integer(0, 4)
    if trace.lttng.since("stream_instance_id"):
        bits.integer(cpu, 8)
    bits.pad(trace.align(8))
    for value in (begin, end, content, size):
        bits.integer(value, 8)
    if trace.lttng.since("packet_seq_num"):
        bits.integer(sequence, 8)
    bits.integer(0, trace.machine.word)
    bits.integer(cpu, 4)
    return bytes(bits.raw)


# ---- metadata


def metadata(trace: Trace, kinds: list[str], events: list[Event]) -> str:
    """The TSDL text."""
    word = trace.machine.word
    aligned = {f"align{size * 8}": trace.align(size) * 8 for size in (1, 2, 4, 8)}
    text = Template((Path(__file__).parent / "metadata.tsdl").read_text()).substitute(
        aligned,
        word=word * 8,
        word_align=trace.align(word) * 8,
        uuid="-".join(UUID.hex()[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))),
        byte_order="be" if trace.machine.big else "le",
        stream_instance_id="\t\tuint64_t stream_instance_id;\n" if trace.lttng.since("stream_instance_id") else "",
        packet_seq_num="\tuint64_t packet_seq_num;\n" if trace.lttng.since("packet_seq_num") else "",
        environment="".join(f"\t{line};\n" for line in environment(trace)),
        offset=OFFSET_NS,
    )
    sample = {e.kind: e for e in reversed(events)}
    for number, kind in enumerate(kinds):
        example = sample.get(kind) or Event(0, 0, kind, 1, "a", 1, "a", how="sleep")
        own = fields_of_dump(trace, events[0]) if kind == "statedump" else fields(trace, example)
        head = f'\tname = "{event_name(trace, kind)}";\n\tid = {number};\n\tstream_id = 0;\n'
        text += f"event {{\n{head}\tfields := struct {{\n"
        text += "".join(f"\t\t{declared(trace, field)}\n" for field in own) + "\t};\n};\n\n"
    return text


def environment(trace: Trace) -> list[str]:
    """Entries of the trace's environment."""
    major, minor, patch = trace.lttng.version.split(".")
    return [
        *(['hostname = "host"'] if trace.lttng.since("hostname") else []),
        'domain = "kernel"',
        'sysname = "Linux"',
        f'kernel_release = "{trace.kernel.uname}"',
        'kernel_version = "#1 SMP"',
        'tracer_name = "lttng-modules"',
        f"tracer_major = {major}",
        f"tracer_minor = {minor}",
        f"tracer_patchlevel = {patch}",
        *(['trace_name = "auto"'] if trace.lttng.since("trace_name") else []),
    ]


def declared(trace: Trace, field: Field) -> str:
    kind, name, _ = field
    if kind == "string":
        return f"string _{name};"
    if kind == "comm":
        return f"integer {{ size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; }} _{name}[16];"
    size = SIZE.get(kind, trace.machine.word)
    integer = f"integer {{ size = {size * 8}; align = {trace.align(size) * 8}; signed = {int(kind in ('int', 'long'))};"
    integer += " encoding = none; base = 10; }"
    return f"{integer} _{name}[ __vtids_length ];" if name == "vtids" else f"{integer} _{name};"

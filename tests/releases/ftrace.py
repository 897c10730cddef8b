"""The kernel's events as ftrace and perf record them: format files, binary records and print text of a release.

Sources: include/trace/events/{sched,irq}.h by way of fixtures/releases; kernel/trace/trace_events.c and
include/trace/trace_events.h (or ftrace.h) for the text of a format file and the order and place of its fields.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from releases.schedule import Event
from releases.tables import Kernel

EVENTS = {
    "switch": ("sched", "sched_switch", 314),
    "waking": ("sched", "sched_waking", 317),
    "wakeup": ("sched", "sched_wakeup", 316),
    "wakeup_new": ("sched", "sched_wakeup_new", 315),
    "migrate": ("sched", "sched_migrate_task", 313),
    "fork": ("sched", "sched_process_fork", 309),
    "exec": ("sched", "sched_process_exec", 308),
    "exit": ("sched", "sched_process_exit", 311),
    "softirq_entry": ("irq", "softirq_entry", 119),
    "softirq_exit": ("irq", "softirq_exit", 118),
}
"""System, name and number of the event for each kind of the schedule."""

SIZES = {"comm": 16, "pid_t": 4, "int": 4, "u32": 4, "bool": 1, "text": 4}
DECLARED = {"comm": "char {}[16]", "text": "__data_loc char[] {}", "u32": "unsigned int {}"}
SIGNED = {"pid_t", "int", "long"}


@dataclass(frozen=True)
class Machine:
    """Word size in bytes and byte order of the machine that recorded."""

    word: int = 8
    big: bool = False

    @property
    def order(self) -> str:
        """The byte order as `struct` has it."""
        return ">" if self.big else "<"

    @property
    def name(self) -> str:
        """What `uname -m` says."""
        return {(8, False): "x86_64", (4, False): "i686", (8, True): "s390x", (4, True): "ppc"}[self.word, self.big]


MACHINES = (Machine(8, False), Machine(4, False), Machine(8, True), Machine(4, True))


def values(event: Event, kernel: Kernel) -> dict[str, int | str]:
    """The event's fields by the names of the kernel."""
    name = EVENTS[event.kind][1]
    if name == "sched_switch":
        return {
            "prev_comm": event.name, "prev_pid": event.tid, "prev_prio": event.prio,
            "prev_state": kernel.prev_state(event.how),
            "next_comm": event.next_name, "next_pid": event.next_tid, "next_prio": event.prio,
        }  # fmt: skip
    if name == "sched_process_fork":
        return {
            "parent_comm": event.name, "parent_pid": event.tid,
            "child_comm": event.next_name, "child_pid": event.next_tid,
        }  # fmt: skip
    if name == "sched_process_exec":
        return {"filename": f"/usr/bin/{event.name}", "pid": event.tid, "old_pid": event.tid}
    if name.startswith("softirq"):
        return {"vec": event.vec}
    task: dict[str, int | str] = {"comm": event.name, "pid": event.tid, "prio": event.prio}
    if name == "sched_migrate_task":
        return task | {"orig_cpu": event.origin, "dest_cpu": event.target}
    if name == "sched_process_exit":
        return task | {"group_dead": 1}
    return task | {"success": 1, "target_cpu": event.target}


@dataclass(frozen=True)
class Place:
    """Where a field lies in a record."""

    kind: str
    name: str
    offset: int
    size: int


def layout(kernel: Kernel, event: str, machine: Machine) -> tuple[list[Place], list[Place], int]:
    """Common fields, the event's own, and the size of the fixed part of the record."""
    fifth = [("int", kernel.common_fifth)] if kernel.common_fifth else []
    common, at = placed([("int", "common_pid"), *fifth], 4, machine)
    own, at = placed(kernel.fields(event), at, machine)
    widest = max(4, *(alignment(place.kind, machine) for place in own))
    return common, own, -(-at // widest) * widest


def alignment(kind: str, machine: Machine) -> int:
    return 1 if kind == "comm" else SIZES.get(kind, machine.word)


def placed(fields: list[tuple[str, str]], at: int, machine: Machine) -> tuple[list[Place], int]:
    places = []
    for kind, name in fields:
        align = alignment(kind, machine)
        at = -(-at // align) * align
        places.append(Place(kind, name, at, SIZES.get(kind, machine.word)))
        at += places[-1].size
    return places, at


def format_file(kernel: Kernel, event: str, number: int, machine: Machine) -> str:
    """events/SYSTEM/EVENT/format."""
    common, own, _ = layout(kernel, event, machine)
    lines = [f"name: {event}", f"ID: {number}", "format:"]
    lines += [
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;",
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;",
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;",
    ]
    lines += [field_line(place) for place in common] + [""] + [field_line(place) for place in own]
    return "\n".join([*lines, "", f"print fmt: {print_format(kernel, event)}", ""])


def field_line(place: Place) -> str:
    declared = DECLARED.get(place.kind, place.kind + " {}").format(place.name)
    return f"\tfield:{declared};\toffset:{place.offset};\tsize:{place.size};\tsigned:{int(place.kind in SIGNED)};"


def print_format(kernel: Kernel, event: str) -> str:
    """TP_printk() as the format file shows it."""
    names = [name for _, name in kernel.fields(event)]
    if event == "sched_switch":
        return switch_format(kernel)
    if event.startswith("softirq"):
        softirqs = ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"]
        known = ", ".join(f'{{ {n}, "{name}" }}' for n, name in enumerate(softirqs))
        return f'"vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, {known})'
    shown = [name for name in names if name != "success" or kernel.release < "4"]
    texts = {name for kind, name in kernel.fields(event) if kind == "text"}
    formats = {"target_cpu": "%03d", "comm": "%s", "filename": "%s", "parent_comm": "%s", "child_comm": "%s"}
    text = " ".join(f"{name.removeprefix('parent_')}={formats.get(name, '%d')}" for name in shown)
    return f'"{text}", ' + ", ".join(f"__get_str({n})" if n in texts else f"REC->{n}" for n in shown)


REPORT_MAX = "(((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1)"
"""TASK_REPORT_MAX as the preprocessor leaves it."""


def switch_format(kernel: Kernel) -> str:
    flags = kernel.print_flags
    bit = kernel.preempted_bit
    number = (lambda n: f"0x{n:08x}") if flags["preempted"] == "TASK_REPORT_MAX" else str
    named = ", ".join(f'{{ {number(value)}, "{letter}" }}' for value, letter in flags["flags"])
    plus, masked = {
        "": ("", "REC->prev_state"),
        "TASK_STATE_MAX": (f', REC->prev_state & {bit} ? "+" : ""', f"REC->prev_state & ({bit}-1)"),
        "TASK_REPORT_MAX": (f', REC->prev_state & {REPORT_MAX} ? "+" : ""', f"REC->prev_state & ({REPORT_MAX} - 1)"),
    }[flags["preempted"]]
    before = "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s" + ("%s" if plus else "")
    return (
        f'"{before} ==> next_comm=%s next_pid=%d next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, '
        f'{masked} ? __print_flags({masked}, "|", {named}) : "R"{plus}, REC->next_comm, REC->next_pid, REC->next_prio'
    )


def record(event: Event, kernel: Kernel, machine: Machine) -> bytes:
    """The event as it lies in a ring buffer."""
    _, name, number = EVENTS[event.kind]
    common, own, size = layout(kernel, name, machine)
    raw = bytearray(size)
    order = machine.order
    struct.pack_into(order + "HBB", raw, 0, number, 0, 0)
    struct.pack_into(order + "i", raw, common[0].offset, event.running)
    fields = values(event, kernel)
    for place in own:
        value = fields[place.name]
        if place.kind == "text":
            text = str(value).encode() + b"\0"
            struct.pack_into(order + "I", raw, place.offset, len(text) << 16 | len(raw))
            raw += text
        elif place.kind == "comm":
            raw[place.offset : place.offset + 16] = str(value).encode()[:15].ljust(16, b"\0")
        else:
            code = {1: "B", 4: "i", 8: "q"}[place.size]
            struct.pack_into(order + code, raw, place.offset, int(value))
    return bytes(raw) + bytes(-len(raw) % 4)


def letters(kernel: Kernel, prev_state: int) -> str:
    """prev_state as the release prints it."""
    bit = kernel.preempted_bit
    shown = prev_state & (bit - 1) if bit else prev_state
    named = [letter for value, letter in kernel.print_flags["flags"] if shown & value]
    rest = shown & ~sum(value for value, _ in kernel.print_flags["flags"])
    text = "|".join([*named, *([f"0x{rest:x}"] if rest else [])]) if shown else "R"
    return text + ("+" if bit and prev_state & bit else "")


def print_fields(event: Event, kernel: Kernel) -> str:
    """What follows the event's name in a text trace."""
    fields = values(event, kernel)
    if event.kind == "switch":
        fields["prev_state"] = letters(kernel, int(fields["prev_state"]))
        before = " ".join(f"{name}={fields[name]}" for name in ("prev_comm", "prev_pid", "prev_prio", "prev_state"))
        return before + " ==> " + " ".join(f"{name}={fields[name]}" for name in ("next_comm", "next_pid", "next_prio"))
    if event.kind.startswith("softirq"):
        return f"vec={event.vec} [action=X]"
    shown = [name for _, name in kernel.fields(EVENTS[event.kind][1]) if name != "success" or kernel.release < "4"]
    texts = {name: fields[name] for name in shown}
    if "target_cpu" in texts:
        texts["target_cpu"] = f"{event.target:03d}"
    return " ".join(f"{name.removeprefix('parent_')}={value}" for name, value in texts.items())


def recorded(events: list[Event], kernel: Kernel) -> list[Event]:
    """The events that the release has."""
    return [e for e in events if kernel.has(EVENTS[e.kind][1])]

"""The tables of fixtures/releases: what a kernel release and a version of LTTng-modules write."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parents[2] / "fixtures" / "releases"

LEAVING = {
    "sleep": ("interruptible",),
    "disk": ("uninterruptible",),
    "killable": ("uninterruptible", "wakekill"),
    "idle": ("uninterruptible", "noload"),
    "stopped": ("stopped", "wakekill"),
    "traced": ("traced", "wakekill"),
    "parked": ("parked",),
    "zombie": ("task_dead",),
    "dead": ("task_dead",),
    "preempted": (),
    "yield": (),
}
"""How a thread can leave its CPU, and the bits of task->state it has then (include/linux/sched.h: TASK_KILLABLE,
TASK_IDLE, TASK_STOPPED, TASK_TRACED). `zombie` waits for its parent, `dead` is reaped at once: TASK_DEAD in both."""

EXIT_STATE = {"zombie": "zombie", "dead": "dead"}
"""task->exit_state, beside task->state, of those that end."""


def version(text: str) -> tuple[int, ...]:
    """`4.15` as numbers that compare."""
    return tuple(int(part) for part in text.split("."))


@cache
def table(name: str) -> dict[str, Any]:
    """A file of fixtures/releases."""
    return tomllib.loads((TABLES / f"{name}.toml").read_text())


def in_force(rows: list[dict[str, Any]], release: str, key: str = "since") -> dict[str, Any]:
    """The newest row that is not newer than the release."""
    return max((row for row in rows if version(row[key]) <= version(release)), key=lambda row: version(row[key]))


@dataclass(frozen=True)
class Kernel:
    """A release of the kernel."""

    release: str
    uname: str

    @property
    def bits(self) -> dict[str, int]:
        """Bits of task->state and task->exit_state by name."""
        return in_force(table("kernels")["bits"], self.release)

    @property
    def rule(self) -> str:
        """How the kernel's own tracepoint makes prev_state; see kernels.toml."""
        return str(in_force(table("kernels")["prev_state"], self.release)["rule"])

    @property
    def print_flags(self) -> dict[str, Any]:
        """`flags`, the letters of prev_state in print text, and `preempted`, the name of the bit printed as `+`."""
        return in_force(table("kernels")["print"], self.release)

    @property
    def preempted_bit(self) -> int:
        """The bit that is printed as `+`; 0: none is."""
        name = self.print_flags["preempted"]
        report = table("kernels")["report"]["max"]
        return {"": 0, "TASK_STATE_MAX": self.bits["state_max"], "TASK_REPORT_MAX": int(report)}[str(name)]

    @property
    def common_fifth(self) -> str:
        """Name of the fifth common field of an event's format; empty: there are four."""
        return str(in_force(table("kernels")["common"], self.release)["fifth"])

    def has(self, event: str) -> bool:
        """The release has this event."""
        since = table("kernels")["since"].get(event)
        return since is None or version(since) <= version(self.release)

    def fields(self, event: str) -> list[tuple[str, str]]:
        """Type and name of the event's own fields."""
        event = {"sched_waking": "sched_wakeup", "sched_wakeup_new": "sched_wakeup"}.get(event, event)
        event = {"softirq_exit": "softirq_entry"}.get(event, event)
        rows = [row for row in table("kernels")["fields"] if row["event"] == event]
        return [tuple(field.split(" ")) for field in in_force(rows, self.release)["fields"]]

    def records(self, how: str) -> bool:
        """This way to leave a CPU exists in the release."""
        return all(bit in self.bits for bit in LEAVING[how])

    def prev_state(self, how: str, rule: str | None = None) -> int:
        """prev_state of a thread that leaves so, by the kernel's rule or the one given."""
        state = sum(self.bits[bit] for bit in LEAVING[how])
        return by_rule(rule or self.rule, self.bits, how, state)


def by_rule(rule: str, bits: dict[str, int], how: str, state: int) -> int:
    """prev_state by one of the rules of kernels.toml."""
    if rule in ("task_state", "running"):
        return state
    if rule == "state_max":
        return bits["state_max"] if how == "preempted" else state
    report = table("kernels")["report"]
    if how == "preempted":
        return int(report["max"])
    exit_state = bits[EXIT_STATE[how]] if how in EXIT_STATE else 0
    reported = (state | exit_state) & report["mask"]
    if how == "idle":
        reported = report["idle"]
    index = int(reported).bit_length()  # fls()
    return 1 << index if rule == "shifted_index" else (1 << index) >> 1


@cache
def kernels() -> dict[str, Kernel]:
    """All releases by name, oldest first."""
    return {row["release"]: Kernel(row["release"], row["uname"]) for row in table("kernels")["releases"]}


@dataclass(frozen=True)
class Lttng:
    """A version of LTTng-modules."""

    version: str

    def since(self, what: str) -> bool:
        """This version has `what` (lttng.toml: since)."""
        return version(str(table("lttng")["since"][what])) <= version(self.version)

    def rule(self, kernel: Kernel) -> str:
        """How its copy of the kernel's function makes prev_state on that kernel."""
        rows = in_force(table("lttng")["prev_state"], self.version, "version")["rules"]
        in_range = [row for row in rows if version(row[0]) <= version(kernel.release)]
        return str(max(in_range, key=lambda row: version(row[0]))[1])

    @property
    def softirq_prefix(self) -> str:
        """What stands before `softirq_entry` in its name."""
        return "irq_" if version(table("lttng")["irq"]["prefixed_since"]) <= version(self.version) else ""


@cache
def lttng_versions() -> list[tuple[Lttng, Kernel]]:
    """Every version beside every kernel it was used with."""
    rows = table("lttng")["versions"]
    return [(Lttng(row["version"]), kernels()[release]) for row in rows for release in row["kernels"]]

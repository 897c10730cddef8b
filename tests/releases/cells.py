"""The cells of the matrix: every release × tool × format × machine, and how a schedule is written as each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from releases import ctf, perfdata, perfetto, text, tracedat
from releases.ftrace import MACHINES, Machine
from releases.schedule import Event, Schedule, may_idle
from releases.tables import Kernel, Lttng, kernels, lttng_versions, version

TEXT_SINCE = "2.6.35"
"""Before it, sched_switch printed `task bash:1 [120] (S) ==> ...`, which no reader of ours claims to know."""


@dataclass(frozen=True)
class Cell:
    """One way to write a schedule."""

    name: str
    kernel: Kernel
    format: str
    write: Callable[[Path, Schedule], None]
    records: Callable[[str], bool]
    """The ways to leave a CPU that exist in the release."""

    def schedule(self, schedule: Schedule) -> Schedule:
        """The schedule as far as this cell can record it; what is written instead means the same to a verdict."""
        return replace(schedule, events=[self.event(event) for event in schedule.events])

    def event(self, event: Event) -> Event:
        if event.kind != "switch" or event.tid == 0:
            return event
        if self.is_blurred(event):
            return replace(event, how="yield")
        return event if self.records(event.how) else replace(event, how=LACKING[event.how])

    def is_blurred(self, event: Event) -> bool:
        """Kernels that shift their states write one number for a preempted thread and an idle one; the name decides."""
        shifted = self.kernel.rule == "shifted_index" and self.format != "CTF"
        return shifted and event.how == "preempted" and may_idle(event.name)


LACKING = {"idle": "disk", "parked": "sleep"}
"""TASK_NOLOAD and TASK_PARKED came late; kernel threads slept otherwise before."""


def cells() -> Iterator[Cell]:
    """All of them."""
    for kernel in kernels().values():
        yield from of_kernel(kernel)
    for lttng, kernel in lttng_versions():
        for machine in MACHINES:
            yield of_lttng(lttng, kernel, machine)


def of_kernel(kernel: Kernel) -> Iterator[Cell]:
    """Those whose content the kernel alone decides."""
    release = f"Linux {kernel.release}"

    def cell(name: str, kind: str, write: Callable[[Path, Schedule], None]) -> Cell:
        return Cell(f"{release}, {name}", kernel, kind, write, kernel.records)

    if version(kernel.release) >= version(TEXT_SINCE):
        yield cell("ftrace text", "text", lambda path, s: text.write(path, s, kernel))
    for machine in MACHINES:
        word = f"{machine.word * 8}-bit {'big' if machine.big else 'little'}-endian"
        for number in (6, 7):
            yield cell(f"trace.dat v{number}, {word}", "trace.dat", trace_dat(kernel, machine, number))
        yield cell(f"perf.data, {word}", "perf.data", perf_data(kernel, machine))
    # That states are shifted shows where swapper first leaves a CPU: the compact form does not have that switch.
    for compact in (False,) if kernel.rule == "shifted_index" else (False, True):
        name = "Perfetto, compact" if compact else "Perfetto"
        yield cell(name, "perfetto", perfetto_trace(kernel, compact))


def trace_dat(kernel: Kernel, machine: Machine, number: int) -> Callable[[Path, Schedule], None]:
    return lambda path, schedule: tracedat.write(path, schedule, kernel, machine, number)


def perf_data(kernel: Kernel, machine: Machine) -> Callable[[Path, Schedule], None]:
    return lambda path, schedule: perfdata.write(path, schedule, kernel, machine)


def perfetto_trace(kernel: Kernel, compact: bool) -> Callable[[Path, Schedule], None]:
    return lambda path, schedule: perfetto.write(path, schedule, kernel, "x86_64", compact)


def of_lttng(lttng: Lttng, kernel: Kernel, machine: Machine) -> Cell:
    """CTF of a version of LTTng-modules on a kernel."""
    word = f"{machine.word * 8}-bit {'big' if machine.big else 'little'}-endian"
    return Cell(
        f"Linux {kernel.release}, LTTng-modules {lttng.version}, {word}",
        kernel,
        "CTF",
        lambda path, schedule: ctf.write(path, schedule, kernel, lttng, machine),
        kernel.records,
    )

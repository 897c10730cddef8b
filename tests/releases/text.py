"""ftrace's `trace` file (Documentation/trace/ftrace.rst; kernel/trace/trace_output.c)."""

from __future__ import annotations

from pathlib import Path

from releases.ftrace import EVENTS, print_fields, recorded
from releases.schedule import Schedule
from releases.tables import Kernel, version


def write(path: Path, schedule: Schedule, kernel: Kernel) -> None:
    """All events in one file, in the order of time; stamps are microseconds."""
    lines = ["# tracer: nop", "#"]
    flags = version(kernel.release) >= (3, 2)  # irqs-off, need-resched, softirq and preempt-depth since 3.2
    columns = "TASK-PID   CPU#  |||||  TIMESTAMP" if flags else "TASK-PID    CPU#    TIMESTAMP"
    lines += [f"#           {columns}  FUNCTION", "#              | |       |          |         |"]
    for event in recorded(schedule.events, kernel):
        task = "<idle>" if event.running == 0 else event.running_name
        stamp = f"{event.ts_ns // 1_000_000_000}.{event.ts_ns // 1000 % 1_000_000:06d}"
        head = f"{task:>16}-{event.running:<5} [{event.cpu:03d}] {'d..3. ' if flags else ''}{stamp}"
        lines.append(f"{head}: {EVENTS[event.kind][1]}: {print_fields(event, kernel)}")
    path.write_text("\n".join(lines) + "\n")

"""The generator's files are what they claim: the tools whose formats they have read them and print the same events."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from releases import ctf, ftrace, perfdata, perfetto, schedule, tracedat
from releases.ftrace import EVENTS, MACHINES, Machine
from releases.schedule import Event
from releases.tables import Kernel, Lttng, kernels

PERFETTO = Path(__file__).parent / "perfetto"

RELEASES = ("2.6.35", "3.10", "4.4", "4.18", "6.1", "6.18")
"""A release of each rule for prev_state, and of each layout of the fields."""

KERNELS = [pytest.param(kernels()[release], id=f"Linux {release}") for release in RELEASES]
EACH_MACHINE = [pytest.param(machine, id=f"{machine.word * 8}-{'be' if machine.big else 'le'}") for machine in MACHINES]


def output(*command: str | Path) -> list[str]:
    """Lines that a tool prints."""
    tool = str(command[0])
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def happened(kernel: Kernel) -> tuple[schedule.Schedule, list[Event]]:
    """A schedule of ways that the release has, and its events."""
    ways = tuple(how for how in schedule.ALL_WAYS if kernel.records(how))
    made = schedule.make(11, steps=250, ways=ways)
    return made, ftrace.recorded(made.events, kernel)


def as_printed(event: Event, kernel: Kernel) -> tuple[str, str, str]:
    """CPU and stamp, name, and the text of switches; that of others differs between tools."""
    name = EVENTS[event.kind][1]
    text = ftrace.print_fields(event, kernel) if event.kind == "switch" else ""
    return f"[{event.cpu:03d}] {event.ts_ns / 1e9:.9f}", name, text


def parsed(line: str) -> tuple[str, str, str]:
    """The same from a line of trace-cmd or perf."""
    match = re.search(r"(\[\d+\])\s+(\d+\.\d+):\s+(?:\w+:)?(\w+):\s*(.*)", line)
    assert match is not None, line
    place, stamp, name, text = match.groups()
    return f"{place} {stamp}", name, text if name == "sched_switch" else ""


@pytest.mark.parametrize("machine", EACH_MACHINE)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("version", [6, 7])
def test_trace_cmd_prints_the_events_of_a_trace_dat(
    tmp_path: Path, kernel: Kernel, machine: Machine, version: int
) -> None:
    made, events = happened(kernel)
    tracedat.write(tmp_path / "trace.dat", made, kernel, machine, version)
    lines = output("trace-cmd", "report", "-t", "-N", tmp_path / "trace.dat")
    assert [parsed(line) for line in lines if "]" in line] == [as_printed(event, kernel) for event in events]


@pytest.mark.parametrize("machine", EACH_MACHINE)
@pytest.mark.parametrize("kernel", KERNELS)
def test_perf_prints_the_events_of_a_perf_data(tmp_path: Path, kernel: Kernel, machine: Machine) -> None:
    made, events = happened(kernel)
    perfdata.write(tmp_path / "perf.data", made, kernel, machine)
    fields = "--fields=cpu,time,event,trace"
    lines = output("perf", "script", "--ns", fields, "-i", tmp_path / "perf.data")
    assert [parsed(line) for line in lines] == [as_printed(event, kernel) for event in events]


@pytest.mark.parametrize("machine", EACH_MACHINE)
@pytest.mark.parametrize(
    ("version", "release"),
    [("2.0.5", "2.6.35"), ("2.5.6", "3.10"), ("2.8.8", "4.4"), ("2.10.7", "4.15"), ("2.13.9", "6.1")],
)
def test_babeltrace_prints_the_events_of_a_ctf_trace(
    tmp_path: Path, version: str, release: str, machine: Machine
) -> None:
    kernel, lttng = kernels()[release], Lttng(version)
    made, events = happened(kernel)
    ctf.write(tmp_path / "trace", made, kernel, lttng, machine)
    trace = ctf.Trace(kernel, lttng, machine)
    lines = output("babeltrace2", "--clock-cycles", tmp_path / "trace")
    found = [ctf_line(line) for line in lines if "statedump" not in line]
    assert found == [
        (event.ts_ns, event.cpu, ctf.event_name(trace, event.kind), ctf.fields(trace, event)[0][2:]) for event in events
    ]
    states = [int(match[1]) for line in lines if (match := re.search(r"prev_state = (\d+)", line))]
    assert states == [dict_of(trace, event)["prev_state"] for event in events if event.kind == "switch"]


def ctf_line(line: str) -> tuple[int, int, str, tuple[int | str]]:
    """Stamp, CPU, name and first field of a line of babeltrace2."""
    match = re.search(r"\[(\d+)\].*? (\w+): \{ cpu_id = (\d+) \}, \{ \w+ = (\"?)(.*?)\4[, ]", line)
    assert match is not None, line
    stamp, name, cpu, quote, first = match.groups()
    return int(stamp), int(cpu), name, (first if quote else int(first),)


def dict_of(trace: ctf.Trace, event: Event) -> dict[str, int | str]:
    """The event's fields by name."""
    return {name: value for _, name, value in ctf.fields(trace, event)}


@pytest.mark.parametrize("compact", [False, True], ids=["events", "compact"])
@pytest.mark.parametrize("kernel", [KERNELS[2], KERNELS[4]])
def test_the_trace_processor_sees_who_ran_and_who_stayed_runnable(
    tmp_path: Path, kernel: Kernel, compact: bool
) -> None:
    made, events = happened(kernel)
    perfetto.write(tmp_path / "trace.pftrace", made, kernel, "x86_64", compact)
    if subprocess.run(["node", PERFETTO / "fetch.mjs"], capture_output=True, check=False).returncode:
        pytest.skip("the trace processor cannot be fetched")
    asked = "SELECT ts, cpu, tid, end_state FROM sched JOIN thread USING (utid) ORDER BY ts"
    (ran,) = json.loads("\n".join(output("node", PERFETTO / "query.mjs", tmp_path / "trace.pftrace", asked)))
    switches = [event for event in events if event.kind == "switch"]
    first = {event.cpu: event for event in reversed(switches)}
    # It leaves out the first compact switch of each CPU: that form does not say who left.
    expected = [e for e in switches if not compact or e is not first[e.cpu]]
    assert [(row["ts"], row["cpu"], row["tid"]) for row in ran] == [(e.ts_ns, e.cpu, e.next_tid) for e in expected]
    for row in ran:
        leaves = next((e for e in switches if e.cpu == row["cpu"] and e.ts_ns > row["ts"]), None)
        if leaves is not None and leaves.tid:
            assert row["end_state"].startswith("R") == (leaves.how in ("preempted", "yield")), (row, leaves.how)

"""Makes the traces beside it with Perfetto's own message definitions: an encoder that shares no code with the reader.

`uv run --with perfetto==0.59.1 make.py` (the package `perfetto` of PyPI; it is not needed to run the tests). The files
imitate what the tracer writes: a small scene on two CPUs of a 6.1 kernel, in its several encodings.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

HERE = Path(__file__).parent
SEQUENCE = 7
CLONE_THREAD = 0x10000


def packet(trace: pb.Trace, sequence: int = SEQUENCE) -> pb.TracePacket:
    """A new packet as the service leaves it: uid and sequence at its end."""
    new = trace.packet.add()
    new.trusted_uid = 0
    new.trusted_packet_sequence_id = sequence
    return new


def head(trace: pb.Trace) -> None:
    """What precedes events: clocks, the system, the process tree."""
    snapshot = packet(trace, 1).clock_snapshot
    for clock, ns in ((6, 100), (3, 90), (5, 70), (1, 1_700_000_000_000_000_100)):
        snapshot.clocks.add(clock_id=clock, timestamp=ns)
    snapshot.primary_trace_clock = 6
    info = packet(trace, 1).system_info
    info.utsname.sysname, info.utsname.release, info.utsname.machine = "Linux", "6.1.0-18-amd64", "x86_64"
    info.tracing_service_version, info.num_cpus, info.hz = "Perfetto v47.0", 4, 250
    tree = packet(trace, 3)
    tree.timestamp = 1200
    tree.process_tree.processes.add(pid=100, ppid=1, cmdline=["/usr/bin/a b", "-x"], uid=0)
    tree.process_tree.threads.add(tid=200, tgid=100, name="worker")
    tree.process_tree.threads.add(tid=201, tgid=100)


def bundle(trace: pb.Trace, cpu: int, sequence: int = SEQUENCE) -> pb.FtraceEventBundle:
    events = packet(trace, sequence).ftrace_events
    events.cpu = cpu
    return events


def switch(
    events: pb.FtraceEventBundle, at: int, prev: tuple[int, str, int], state: int, nxt: tuple[int, str, int]
) -> None:
    event = events.event.add(timestamp=at, pid=prev[0])
    s = event.sched_switch
    s.prev_pid, s.prev_comm, s.prev_prio, s.prev_state = prev[0], prev[1], prev[2], state
    s.next_pid, s.next_comm, s.next_prio = nxt


A, WORKER, OTHER, IDLE = (100, "a b", 120), (200, "worker", 120), (201, "worker", 110), (0, "swapper", 120)


def full() -> pb.Trace:
    """Every event as a message of its own; the bundles of the CPUs overlap."""
    trace = pb.Trace()
    head(trace)
    one = bundle(trace, 1)
    wakeup = one.event.add(timestamp=1600, pid=0).sched_wakeup
    wakeup.pid, wakeup.comm, wakeup.prio, wakeup.target_cpu = 200, "worker", 120, 1
    switch(one, 1700, IDLE, 0, WORKER)
    zero = bundle(trace, 0)
    switch(zero, 1000, IDLE, 0, A)
    waking = zero.event.add(timestamp=1500, pid=100).sched_waking
    waking.pid, waking.comm, waking.prio, waking.success, waking.target_cpu = 200, "worker", 120, 1, 1
    switch(zero, 2000, A, 1, IDLE)
    one = bundle(trace, 1)
    switch(one, 3000, WORKER, 256, OTHER)
    zero = bundle(trace, 0)
    zero.event.add(timestamp=4000, pid=0).sched_migrate_task.CopyFrom(
        pb.SchedMigrateTaskFtraceEvent(pid=200, comm="worker", prio=120, orig_cpu=1, dest_cpu=0)
    )
    switch(zero, 4100, IDLE, 0, WORKER)
    zero.event.add(timestamp=4200, pid=200).task_newtask.CopyFrom(
        pb.TaskNewtaskFtraceEvent(pid=202, comm="worker", clone_flags=CLONE_THREAD | 0x80000000)
    )
    zero.event.add(timestamp=4210, pid=200).sched_process_fork.CopyFrom(
        pb.SchedProcessForkFtraceEvent(parent_comm="worker", parent_pid=200, child_comm="worker", child_pid=202)
    )
    new = zero.event.add(timestamp=4220, pid=200).sched_wakeup_new
    new.pid, new.comm, new.prio, new.success, new.target_cpu = 202, "worker", 120, 1, 2
    zero.event.add(timestamp=4300, pid=200).task_rename.CopyFrom(
        pb.TaskRenameFtraceEvent(pid=200, oldcomm="worker", newcomm="wörker 2", oom_score_adj=-1000)
    )
    zero.event.add(timestamp=4400, pid=200).sched_process_exec.CopyFrom(
        pb.SchedProcessExecFtraceEvent(filename="/bin/true", pid=200, old_pid=200)
    )
    zero.event.add(timestamp=4500, pid=200).sched_process_exit.CopyFrom(
        pb.SchedProcessExitFtraceEvent(comm="wörker 2", pid=200, prio=120)
    )
    switch(zero, 4600, (200, "wörker 2", 120), 16, IDLE)
    irq(zero, 5000)
    zero.event.add(timestamp=100_000, pid=0).cgroup_attach_task.CopyFrom(
        pb.CgroupAttachTaskFtraceEvent(dst_root=0, dst_id=77, pid=201, comm="worker", dst_level=1, dst_path="/x")
    )
    zero.event.add(timestamp=100_100, pid=0).sched_cpu_hotplug.CopyFrom(
        pb.SchedCpuHotplugFtraceEvent(affected_cpu=3, error=0, status=1)
    )
    zero.event.add(timestamp=100_200, pid=0).sched_cpu_hotplug.CopyFrom(
        pb.SchedCpuHotplugFtraceEvent(affected_cpu=2, error=-16, status=0)
    )
    zero.event.add(timestamp=100_300, pid=0).print.CopyFrom(pb.PrintFtraceEvent(buf="B|1|x"))
    power(zero, 100_400)
    return trace


def irq(events: pb.FtraceEventBundle, at: int) -> None:
    """An interrupt and a softirq after it, 50 us together, on an idle CPU; and a short one."""
    events.event.add(timestamp=at, pid=0).irq_handler_entry.CopyFrom(pb.IrqHandlerEntryFtraceEvent(irq=33, name="net"))
    events.event.add(timestamp=at + 10, pid=0).softirq_entry.CopyFrom(pb.SoftirqEntryFtraceEvent(vec=3))
    events.event.add(timestamp=at + 49_000, pid=0).softirq_exit.CopyFrom(pb.SoftirqExitFtraceEvent(vec=3))
    events.event.add(timestamp=at + 50_000, pid=0).irq_handler_exit.CopyFrom(
        pb.IrqHandlerExitFtraceEvent(irq=33, ret=1)
    )
    events.event.add(timestamp=at + 60_000, pid=0).softirq_entry.CopyFrom(pb.SoftirqEntryFtraceEvent(vec=0))
    events.event.add(timestamp=at + 60_900, pid=0).softirq_exit.CopyFrom(pb.SoftirqExitFtraceEvent(vec=0))


def power(events: pb.FtraceEventBundle, at: int) -> None:
    """An idle state of the CPU, the frequency of another one, the end of the state, and a CPU that cannot be."""
    events.event.add(timestamp=at, pid=0).cpu_idle.CopyFrom(pb.CpuIdleFtraceEvent(state=2, cpu_id=0))
    events.event.add(timestamp=at + 100, pid=0).cpu_frequency.CopyFrom(
        pb.CpuFrequencyFtraceEvent(state=2_400_000, cpu_id=3)
    )
    for cpu in (0, 0xFFFF_FFFF):
        events.event.add(timestamp=at + 200, pid=0).cpu_idle.CopyFrom(
            pb.CpuIdleFtraceEvent(state=0xFFFF_FFFF, cpu_id=cpu)
        )


def steps(stamps: list[int]) -> list[int]:
    return [now - before for before, now in zip([0, *stamps], stamps, strict=False)]


Switches = list[tuple[int, int, int, int, str]]
Wakings = list[tuple[int, int, int, int, str]]


def compact_sched(events: pb.FtraceEventBundle, switches: Switches, wakings: Wakings) -> None:
    """(at, prev state, next pid, next prio, next comm) and (at, pid, target cpu, prio, comm)."""
    c = events.compact_sched
    names = sorted({s[4] for s in switches} | {w[4] for w in wakings})
    c.intern_table.extend(names)
    c.switch_timestamp.extend(steps([s[0] for s in switches]))
    c.switch_prev_state.extend(s[1] for s in switches)
    c.switch_next_pid.extend(s[2] for s in switches)
    c.switch_next_prio.extend(s[3] for s in switches)
    c.switch_next_comm_index.extend(names.index(s[4]) for s in switches)
    c.waking_timestamp.extend(steps([w[0] for w in wakings]))
    c.waking_pid.extend(w[1] for w in wakings)
    c.waking_target_cpu.extend(w[2] for w in wakings)
    c.waking_prio.extend(w[3] for w in wakings)
    c.waking_comm_index.extend(names.index(w[4]) for w in wakings)
    c.waking_common_flags.extend(1 for _ in wakings)


def compact() -> pb.Trace:
    """Switches and wakings in the compact form, other events beside them; a loss on CPU 1; the kernel's statistics."""
    trace = pb.Trace()
    head(trace)
    stats = packet(trace).ftrace_stats
    stats.phase = pb.FtraceStats.Phase.Value("START_OF_TRACE")
    stats.cpu_stats.add(cpu=1, overrun=10)
    one = bundle(trace, 1)
    wakeup = one.event.add(timestamp=1600, pid=0).sched_wakeup
    wakeup.pid, wakeup.comm, wakeup.prio, wakeup.target_cpu = 200, "worker", 120, 1
    compact_sched(one, [(1700, 0, 200, 120, "worker"), (3000, 256, 201, 110, "worker")], [])
    zero = bundle(trace, 0)
    compact_sched(zero, [(1000, 0, 100, 120, "a b"), (2000, 1, 0, 120, "swapper/0")], [(1500, 200, 1, 120, "worker")])
    zero = bundle(trace, 0)
    compact_sched(zero, [(4100, 0, 201, -1, "worker")], [])
    one = bundle(trace, 1)
    one.lost_events = True
    compact_sched(one, [(9000, 2, 0, 120, "swapper/1"), (9500, 0, 200, 120, "worker")], [])
    stats = packet(trace).ftrace_stats
    stats.phase = pb.FtraceStats.Phase.Value("END_OF_TRACE")
    stats.cpu_stats.add(cpu=1, overrun=35)
    return trace


def clocks() -> pb.Trace:
    """Stamps of the tracer's clock `global`, that of CLOCK_MONOTONIC_RAW, and the primary clock CLOCK_MONOTONIC."""
    trace = pb.Trace()
    for boot, mono, raw in ((10_000, 8_000, 1_000), (20_000, 18_000, 11_010)):
        snapshot = packet(trace, 1).clock_snapshot
        for clock, ns in ((6, boot), (3, mono), (5, raw), (1, boot + 5_000_000)):
            snapshot.clocks.add(clock_id=clock, timestamp=ns)
        snapshot.primary_trace_clock = 3
    zero = bundle(trace, 0)
    zero.ftrace_clock, zero.ftrace_timestamp, zero.boot_timestamp = 2, 700_000, 12_000
    switch(zero, 699_000, IDLE, 0, A)
    one = bundle(trace, 1)
    one.ftrace_clock = 4
    switch(one, 6_005, IDLE, 0, WORKER)
    return trace


def deflate(trace: pb.Trace, per_block: int) -> pb.Trace:
    """The same packets, `per_block` of them compressed together, as COMPRESSION_TYPE_DEFLATE does."""
    out = pb.Trace()
    packets = list(trace.packet)
    for at in range(0, len(packets), per_block):
        inner = pb.Trace()
        inner.packet.extend(packets[at : at + per_block])
        out.packet.add().compressed_packets = zlib.compress(inner.SerializeToString())
    return out


def main() -> None:
    makers: dict[str, Callable[[], pb.Trace]] = {
        "full": full,
        "compact": compact,
        "clocks": clocks,
        "deflate": lambda: deflate(full(), 4),
    }
    for name, make in makers.items():
        (HERE / f"{name}.pftrace").write_bytes(make().SerializeToString())


if __name__ == "__main__":
    main()

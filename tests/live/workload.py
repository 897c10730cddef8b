"""Workloads with a known truth, for the live tests: each says in its docstring what a recording of it must show.

Run as `python workload.py NAME [SECONDS]`. Prints the tids of the busy threads on one line.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

PR_SET_PDEATHSIG = 1  # include/uapi/linux/prctl.h

CGROUP = Path("/sys/fs/cgroup/cpu/wastenot-live")


def die_with_parent() -> None:
    """Have the kernel end this process when its parent ends, however that ends (prctl(2))."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def busy(count: int, first: Callable[[], None]) -> list[int]:
    """Fork `count` children that spin after `first` has run in each; returns their pids (each has one thread)."""
    pids = []
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            die_with_parent()
            first()
            while True:
                pass
        pids.append(pid)
    print(*pids, flush=True)
    return pids


def end(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        os.waitpid(pid, 0)


def pinned(seconds: float) -> None:
    """Four busy threads pinned to CPU 0, CPU 1 idle: about `seconds` of idle while waiting, none wasted (affinity)."""
    os.sched_setaffinity(0, {0})
    pids = busy(4, lambda: os.sched_setaffinity(0, {0}))
    time.sleep(seconds)
    end(pids)


def released(seconds: float) -> None:
    """The same, released half-way: waste from the release until CPU 1 takes one of them."""
    os.sched_setaffinity(0, {0})
    pids = busy(4, lambda: os.sched_setaffinity(0, {0}))
    time.sleep(seconds / 2)
    for pid in pids:
        os.sched_setaffinity(pid, {0, 1})
    time.sleep(seconds / 2)
    end(pids)


def running() -> int:
    """Threads that run or wait now, on all CPUs."""
    lines = Path("/proc/stat").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("procs_running"))


def released_often(seconds: float) -> None:
    """Four busy threads pinned to CPU 0 and released, in rounds, each once CPU 1 has been idle for a while.

    Waste from each release until CPU 1 takes one of them. (The balancer found all of them pinned for 100 ms: it comes
    the more seldom.) On a machine that others keep busy a round begins after a quarter of a second all the same.
    """
    os.sched_setaffinity(0, {0})
    pids = busy(4, lambda: os.sched_setaffinity(0, {0}))
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.1)
        idle, give_up = 0, time.monotonic() + 0.25
        while idle < 3 and time.monotonic() < give_up:
            idle = idle + 1 if running() <= len(pids) + 1 else 0
            time.sleep(0.003)
        for cpus in ({0, 1}, {0}):
            for pid in pids:
                os.sched_setaffinity(pid, cpus)
            time.sleep(0.15 if len(cpus) == 2 else 0)
    end(pids)


def quota(seconds: float, quota_us: int) -> None:
    """Four busy threads in a cgroup with so much CPU time per 100 ms (-1: no limit), pinned, then released half-way."""
    CGROUP.mkdir(exist_ok=True)
    try:
        (CGROUP / "cpu.cfs_period_us").write_text("100000")
        (CGROUP / "cpu.cfs_quota_us").write_text(str(quota_us))

        def join() -> None:
            (CGROUP / "cgroup.procs").write_text(str(os.getpid()))
            os.sched_setaffinity(0, {0})

        os.sched_setaffinity(0, {0})
        pids = busy(4, join)
        time.sleep(seconds / 2)
        for pid in pids:
            os.sched_setaffinity(pid, {0, 1})
        time.sleep(seconds / 2)
        end(pids)
    finally:
        for _ in range(100):
            try:
                CGROUP.rmdir()
                break
            except OSError:
                time.sleep(0.05)


def throttled(seconds: float) -> None:
    """A fifth of one CPU for four threads: what they wait without quota is excused, never charged."""
    quota(seconds, 20_000)


def unthrottled(seconds: float) -> None:
    """The same group without a limit: the control, in which the release is charged."""
    quota(seconds, -1)


def flood(seconds: float) -> None:
    """A UDP flood over loopback, its receiving side steered to CPU 1 (RPS): swapper there is busy with softirqs."""
    steering = Path("/sys/class/net/lo/queues/rx-0/rps_cpus")
    before = steering.read_text()
    steering.write_text("2")
    try:
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver.bind(("127.0.0.1", 0))
        address = receiver.getsockname()

        def send() -> None:
            os.sched_setaffinity(0, {0})
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            payload = bytes(60_000)  # many fragments: each datagram is long work
            until = time.monotonic() + 3600
            while time.monotonic() < until:
                sender.sendto(payload, address)

        os.sched_setaffinity(0, {0})
        pids = busy(3, send)
        time.sleep(seconds)
        end(pids)
    finally:
        steering.write_text(before)


def offline(seconds: float) -> None:
    """Four busy threads allowed everywhere; CPU 1 goes offline for the middle third."""
    switch = Path("/sys/devices/system/cpu/cpu1/online")
    pids = busy(4, lambda: None)
    try:
        time.sleep(seconds / 3)
        switch.write_text("0")
        time.sleep(seconds / 3)
    finally:
        switch.write_text("1")
    time.sleep(seconds / 3)
    end(pids)


CPUSETS = Path("/sys/fs/cgroup/cpuset")


def split(seconds: float) -> None:
    """Three busy threads on CPU 0, allowed on CPU 1 too once no scheduling domain joins the two, for half of the time.

    Then load is balanced over all CPUs again, so that CPU 1 gets one of them.
    """
    groups = [CPUSETS / f"wastenot-live-{cpu}" for cpu in (0, 1)]
    pids = busy(3, lambda: os.sched_setaffinity(0, {0}))
    balancing = CPUSETS / "cpuset.sched_load_balance"
    try:
        for cpu, group in enumerate(groups):
            group.mkdir(exist_ok=True)
            (group / "cpuset.cpus").write_text(str(cpu))
        time.sleep(seconds / 4)
        balancing.write_text("0")
        for pid in pids:
            os.sched_setaffinity(pid, {0, 1})
        time.sleep(seconds / 2)
    finally:
        balancing.write_text("1")
        for group in groups:
            group.rmdir()
    time.sleep(seconds / 4)
    end(pids)


def rename(name: str) -> None:
    """Call this thread `name` (at most 15 bytes)."""
    Path("/proc/self/comm").write_text(name)


def mixed(seconds: float) -> None:
    """Three busy threads `busy` pinned to CPU 0, and on each CPU c two `waker-c` that sleep 2 ms and run a little.

    CPU 1 idles beside waiting threads most of the time: idle while waiting is near `seconds`, and affinity excuses all.
    """

    def spin() -> None:
        os.sched_setaffinity(0, {0})
        rename("busy")

    def wake(cpu: int) -> Callable[[], None]:
        def loop() -> None:
            os.sched_setaffinity(0, {cpu})
            rename(f"waker-{cpu}")
            while True:
                time.sleep(0.002)
                until = time.monotonic() + 0.0002
                while time.monotonic() < until:
                    pass

        return loop

    pids = busy(3, spin) + busy(2, wake(0)) + busy(2, wake(1))
    time.sleep(seconds)
    end(pids)


WORKLOADS = {
    w.__name__: w for w in (pinned, released, released_often, throttled, unthrottled, flood, offline, split, mixed)
}

if __name__ == "__main__":
    WORKLOADS[sys.argv[1]](float(sys.argv[2]))

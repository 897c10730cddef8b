"""A SCHED_DEADLINE task that logs its own jobs: the child process of test_deadlines.py.

Argument: a JSON object with name, runtime_ns, deadline_ns, period_ns, work_ns (a list, cycled), jobs, start_ns
(CLOCK_MONOTONIC, the first release), and optionally cpus (affinity), reclaim (SCHED_FLAG_RECLAIM) and fifo (one job of
`fifo_every` starts a process by vfork, whose child opens this named pipe first: until someone opens its other end, the
task is blocked). Prints a JSON list with a row per job: release_ns, start_ns (it has read the clock for the first
time), end_ns (for the last time before it sleeps). After a job that ends late, releases that have passed are skipped.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import gc
import json
import os
import platform
import sys
import time

SCHED_DEADLINE = 6
SCHED_FLAG_RESET_ON_FORK = 1
SCHED_FLAG_RECLAIM = 2
PR_SET_NAME = 15
SYS_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
REFUSED = 3
"""Exit status where the kernel does not admit the task."""


class SchedAttr(ctypes.Structure):
    """struct sched_attr of include/uapi/linux/sched/types.h, its first version."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("sched_policy", ctypes.c_uint32),
        ("sched_flags", ctypes.c_uint64),
        ("sched_nice", ctypes.c_int32),
        ("sched_priority", ctypes.c_uint32),
        ("sched_runtime", ctypes.c_uint64),
        ("sched_deadline", ctypes.c_uint64),
        ("sched_period", ctypes.c_uint64),
    )


def set_deadline(runtime_ns: int, deadline_ns: int, period_ns: int, reclaim: bool) -> None:
    """Make the calling thread SCHED_DEADLINE; raises OSError where it is not admitted."""
    libc = ctypes.CDLL(None, use_errno=True)
    flags = SCHED_FLAG_RESET_ON_FORK | (SCHED_FLAG_RECLAIM if reclaim else 0)
    attr = SchedAttr(ctypes.sizeof(SchedAttr), SCHED_DEADLINE, flags, 0, 0, runtime_ns, deadline_ns, period_ns)
    if libc.syscall(SYS_SCHED_SETATTR[platform.machine()], 0, ctypes.byref(attr), 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"sched_setattr: {os.strerror(code)} ({errno.errorcode.get(code, '?')})")


def spin(work_ns: int) -> None:
    """Run for so long."""
    end = time.thread_time_ns() + work_ns
    while time.thread_time_ns() < end:
        pass


def main() -> int:
    """Be the task."""
    given = json.loads(sys.argv[1])
    ctypes.CDLL(None).prctl(PR_SET_NAME, given["name"].encode(), 0, 0, 0)
    if "cpus" in given:
        os.sched_setaffinity(0, given["cpus"])
    period_ns, work, fifo = given["period_ns"], given["work_ns"], given.get("fifo")
    opens = [(os.POSIX_SPAWN_OPEN, 3, fifo, os.O_RDONLY, 0)]
    children = []
    rows = []
    gc.disable()
    spin(1_000_000)
    try:
        set_deadline(given["runtime_ns"], given["deadline_ns"], period_ns, given.get("reclaim", False))
    except OSError as e:
        sys.stderr.write(f"{e}\n")
        return REFUSED
    release_ns, job = given["start_ns"], 0
    while job < given["jobs"]:
        time.sleep(max(release_ns - time.monotonic_ns(), 0) / 1e9)
        start_ns = time.monotonic_ns()
        if start_ns < release_ns:
            continue
        spin(work[job % len(work)])
        if fifo and job % given["fifo_every"] == given["fifo_every"] - 1:
            children.append(os.posix_spawn("/bin/true", ["true"], {}, file_actions=opens))
        end_ns = time.monotonic_ns()
        rows.append({"release_ns": release_ns, "start_ns": start_ns, "end_ns": end_ns})
        job += 1
        release_ns += period_ns
        while release_ns <= time.monotonic_ns():
            release_ns += period_ns
    # A sleep ends the last job; what follows is not one.
    time.sleep(max(release_ns - time.monotonic_ns(), 0) / 1e9)
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    for child in children:
        os.waitpid(child, 0)
    json.dump(rows, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())

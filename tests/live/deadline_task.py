"""A SCHED_DEADLINE task that logs its own jobs: the child process of test_deadlines.py.

Argument: a JSON object with name, runtime_ns, deadline_ns, period_ns, work_ns (a list, cycled), jobs, start_ns
(CLOCK_MONOTONIC, the first release), and optionally cpus (affinity) and sync (a file: one job of `sync_every` writes
and syncs `sync_bytes`). Prints a JSON list with a row per job: release_ns, end_ns. After a job that ends late, releases
that have passed are skipped.
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


def set_deadline(runtime_ns: int, deadline_ns: int, period_ns: int) -> None:
    """Make the calling thread SCHED_DEADLINE; raises OSError where it is not admitted."""
    libc = ctypes.CDLL(None, use_errno=True)
    attr = SchedAttr(ctypes.sizeof(SchedAttr), SCHED_DEADLINE, 0, 0, 0, runtime_ns, deadline_ns, period_ns)
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
    period_ns, work, sync = given["period_ns"], given["work_ns"], given.get("sync")
    file = os.open(sync, os.O_WRONLY | os.O_CREAT) if sync else -1
    block = b"x" * given.get("sync_bytes", 0)
    rows = []
    gc.disable()
    spin(1_000_000)
    try:
        set_deadline(given["runtime_ns"], given["deadline_ns"], period_ns)
    except OSError as e:
        sys.stderr.write(f"{e}\n")
        return REFUSED
    release_ns, job = given["start_ns"], 0
    while job < given["jobs"]:
        time.sleep(max(release_ns - time.monotonic_ns(), 0) / 1e9)
        if time.monotonic_ns() < release_ns:
            continue
        spin(work[job % len(work)])
        if sync and job % given["sync_every"] == given["sync_every"] - 1:
            os.pwrite(file, block, 0)
            os.fsync(file)
        end_ns = time.monotonic_ns()
        rows.append({"release_ns": release_ns, "end_ns": end_ns})
        job += 1
        release_ns += period_ns
        while release_ns <= time.monotonic_ns():
            release_ns += period_ns
    # A sleep ends the last job; what follows is not one.
    time.sleep(max(release_ns - time.monotonic_ns(), 0) / 1e9)
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    json.dump(rows, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Two processes of one class that wake each other: `python -m bench.ping_pong fair|fifo|deadline ROUND_TRIPS`.

Exit status 3 where the kernel does not permit the class.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

SCHED_DEADLINE, SCHED_FLAG_RESET_ON_FORK = 6, 1
SYS_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
RUNTIME_NS, PERIOD_NS = 40_000_000, 100_000_000
"""Of each of the two; neither runs for as long, since it waits for the other most of the time."""
REFUSED = 3


def take_class(name: str) -> None:
    """Make this process one of the class. Raises OSError where that is not permitted."""
    if name == "fifo":
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    elif name == "deadline":
        # struct sched_attr of include/uapi/linux/sched/types.h, its first version
        times = (RUNTIME_NS, PERIOD_NS, PERIOD_NS)
        attributes = struct.pack("=IIQiIQQQ", 48, SCHED_DEADLINE, SCHED_FLAG_RESET_ON_FORK, 0, 0, *times)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syscall(SYS_SCHED_SETATTR[platform.machine()], 0, attributes, 0) != 0:
            raise OSError(ctypes.get_errno(), f"sched_setattr: {os.strerror(ctypes.get_errno())}")


def main(name: str, round_trips: int) -> int:
    """Play; the exit status."""
    here, there = os.pipe(), os.pipe()
    child = os.fork()
    try:
        take_class(name)
    except OSError as e:
        sys.stderr.write(f"{e}\n")
        os._exit(REFUSED)
    if child == 0:
        for _ in range(round_trips):
            os.read(here[0], 1)
            os.write(there[1], b"x")
        os._exit(0)
    os.close(there[1])
    for _ in range(round_trips):
        os.write(here[1], b"x")
        if not os.read(there[0], 1):
            return REFUSED
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))

"""Busy threads in cgroups of their own, each pinned to CPUs: `cgroup_workload.py SECONDS SPEC`.

SPEC is JSON, a list of {"folders": [cgroup folders], "cpus": [...], "duty_ms": [busy, asleep] or null, "fifo": bool,
"sends": bool}; one that sends makes this machine busy with the packets that it receives.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

PORT = 47_113


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


RECEIVERS = 400
"""Sockets that each packet is delivered to, within one softirq."""


def send(seconds: float) -> None:
    """Send packets to all processes of this machine: many get each."""
    receivers = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(RECEIVERS)]
    for receiver in receivers:
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        receiver.bind(("127.255.255.255", PORT))
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sender.sendto(b"", ("127.255.255.255", PORT))
        spin(0.001)


def run(seconds: float, spec: dict[str, Any]) -> None:
    """The life of one process."""
    for folder in spec["folders"]:
        Path(folder, "cgroup.procs").write_text(str(os.getpid()))
    os.sched_setaffinity(0, spec["cpus"])
    if spec["fifo"]:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    busy, asleep = spec["duty_ms"] or (seconds * 1000, 0)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        (send if spec["sends"] else spin)(busy / 1000)
        time.sleep(asleep / 1000)


def main() -> None:
    seconds, specs = float(sys.argv[1]), json.loads(sys.argv[2])
    children = []
    for spec in specs:
        child = os.fork()
        if child == 0:
            run(seconds, spec)
            os._exit(0)
        children.append(child)
    if any(os.waitpid(child, 0)[1] for child in children):
        sys.exit("a process could not do its part")


if __name__ == "__main__":
    main()

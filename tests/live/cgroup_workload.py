"""Busy threads in cgroups of their own, each pinned to CPUs: `cgroup_workload.py SECONDS SPEC`.

SPEC is JSON, a list of {"folders": [cgroup folders], "cpus": [...], "duty_ms": [busy, asleep] or null, "fifo": bool}.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


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
        spin(busy / 1000)
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

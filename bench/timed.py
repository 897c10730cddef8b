"""Run a command and write what it took to a file: `python -m bench.timed OUT.json -- CMD...`.

Stands between a recorder and the workload it records, so that only the workload is timed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def run(command: list[str]) -> dict[str, float]:
    """Wall-clock and CPU seconds of `command` and its children, and the peak memory of the largest, in bytes."""
    began = time.monotonic_ns()
    pid = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(pid, 0)
    wall = (time.monotonic_ns() - began) / 1e9
    if status != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return {"wall_s": wall, "cpu_s": usage.ru_utime + usage.ru_stime, "peak_bytes": usage.ru_maxrss * 1024}


if __name__ == "__main__":
    out, dashes, *rest = sys.argv[1:]
    assert dashes == "--", "usage: python -m bench.timed OUT.json -- CMD..."
    Path(out).write_text(json.dumps(run(rest)))

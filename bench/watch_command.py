"""Watch while a command runs: `python -m bench.watch_command OPTIONS REPORT -- CMD...`.

OPTIONS is the JSON of `wastenot._native.collector.Watcher`; REPORT receives its figures when the command has ended,
those of a box saved then (where there is one), the CPU time of this process, its memory with the rings, and, with
`BENCH_BPF_STATS=1`, the cost per program.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from wastenot import _native

from bench import bpf_stats
from bench.record_part import cpu_s


def resident_bytes() -> int:
    """Memory of this process that is in use, mapped rings included as far as they were touched."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def watch(options: str, command: list[str]) -> dict[str, Any]:
    """Watch while `command` runs; the figures of REPORT."""
    with_stats = os.environ.get("BENCH_BPF_STATS") == "1"
    others = {p.id for p in bpf_stats.programs()} if with_stats else set()
    with bpf_stats.statistics() if with_stats else nullcontext(), tempfile.TemporaryDirectory() as folder:
        watcher = _native.collector.Watcher(options)
        started = json.loads(watcher.start())
        before, cpu_before, began = json.loads(watcher.status()), cpu_s(), time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        cpu, lasted = cpu_s() - cpu_before, time.monotonic() - began
        status = json.loads(watcher.status())
        programs = [vars(p) for p in bpf_stats.programs() if p.id not in others] if with_stats else []
        memory = resident_bytes()
        saved = json.loads(watcher.save(Path(folder) / "box.part", 0, "bench")) if status["black_box"] else None
        watcher.stop()
    return {
        "started": started,
        "before": before,
        "status": status,
        "saved": saved,
        "cpu_s": cpu,
        "lasted_s": lasted,
        "resident_bytes": memory,
        "programs": programs,
    }


if __name__ == "__main__":
    options, report, dashes, *rest = sys.argv[1:]
    assert dashes == "--", "usage: python -m bench.watch_command OPTIONS REPORT -- CMD..."
    Path(report).write_text(json.dumps(watch(options, rest)))

"""Record a command into a part folder and nothing else: `python -m bench.record_part PART OPTIONS REPORT -- CMD...`.

What `wastenot record` does before it imports and checks. OPTIONS is the recorder's JSON; REPORT receives the CPU time
of this process while the command ran, the recorder's own figures, and, with `BENCH_BPF_STATS=1`, the cost per program.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from wastenot import _native

from bench import bpf_stats


def cpu_s() -> float:
    """CPU seconds of all threads of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def record(part: Path, options: str, command: list[str]) -> dict[str, Any]:
    """Record `command`; the figures of REPORT."""
    with_stats = os.environ.get("BENCH_BPF_STATS") == "1"
    others = {p.id for p in bpf_stats.programs()} if with_stats else set()
    with bpf_stats.statistics() if with_stats else nullcontext():
        recorder = _native.collector.Recorder(str(part), options)
        started = json.loads(recorder.start())
        before = cpu_s()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        consumed = cpu_s() - before
        programs = [vars(p) for p in bpf_stats.programs() if p.id not in others] if with_stats else []
        stats = json.loads(recorder.stats())
        stopped = json.loads(recorder.stop("command"))
    return {
        "consumer_cpu_s": consumed,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "programs": programs,
        "started": started,
        "stats": stats,
        "stopped": stopped,
    }


if __name__ == "__main__":
    part, options, report, dashes, *rest = sys.argv[1:]
    assert dashes == "--", "usage: python -m bench.record_part PART OPTIONS REPORT -- CMD..."
    Path(report).write_text(json.dumps(record(Path(part), options, rest)))

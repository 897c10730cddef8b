"""Run a command and write what each BPF program took meanwhile: `python -m bench.watch.program_times OUT -- CMD...`.

`kernel.bpf_stats_enabled` must be on (`bench/bpf_stats.py`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench import bpf_stats


def run(command: list[str]) -> list[dict[str, object]]:
    """Programs with the runs and the time since before the command."""
    before = {p.id: p for p in bpf_stats.programs()}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    found = []
    for p in bpf_stats.programs():
        was = before.get(p.id)
        runs, ns = (p.runs - was.runs, p.ns - was.ns) if was else (p.runs, p.ns)
        found.append({"id": p.id, "name": p.name, "runs": runs, "ns": ns})
    return found


if __name__ == "__main__":
    out, dashes, *rest = sys.argv[1:]
    assert dashes == "--", "usage: python -m bench.watch.program_times OUT -- CMD..."
    Path(out).write_text(json.dumps(run(rest)))

"""What the kept recordings of the rig hold: the table of docs/rig.md.

    python -m bench.rig_recorded             prints it
    python -m bench.rig_recorded --write     and writes it to docs/rig.md

Recordings of faults, of deadlines, of advice that is followed and of sched_ext schedulers have tables of their own
there.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from wastenot.analyzer import Trace
from wastenot.schemas.generated.enums import EXCUSE_WORDS

from bench.attribution.recordings import checked
from bench.attribution.rig import order, recordings
from bench.pages import fill_blocks

PAGE = Path(__file__).parents[1] / "docs/rig.md"
BLOCK = "rig-recorded"
SCENARIOS = (
    "no-common-domain", "scx-lazy", "hobbled-interval", "released", "pinned", "isolcpus", "partition-root", "all-hot",
    "cache-aware", "dice", "none-overloaded", "wakeup-pending", "partition", "throttled", "hotplug", "autogroup",
    "fork-bomb", "rt-hog", "sched-idle", "placements", "ordinary",
)  # fmt: skip
"""In this order."""
SHOWN_S = 0.1
"""Excuses of less are left out."""
HEAD = """| scenario | kernel | CPUs | idle while waiting | wasted | users | excused |
| --- | --- | ---: | ---: | ---: | ---: | --- |
"""


def cells(trace: Trace) -> list[str]:
    """The figures of a recording, core-seconds."""
    wasted = trace.verdict().to_json()["wasted"]
    users = trace.sql(
        "SELECT coalesce(sum(avoidable_wait_ns), 0) / 1e9 AS s FROM thread WHERE is_kernel IS NOT TRUE"
    ).one()["s"]
    took = sorted(wasted["excused_core_s"].items(), key=lambda excuse: -excuse[1])
    excused = ", ".join(f"{EXCUSE_WORDS[name]} {s:.2f}" for name, s in took if s >= SHOWN_S)
    return [f"{wasted['idle_while_waiting_core_s']:.2f}", f"{wasted['core_s']:.2f}", f"{users:.2f}", excused]


def _read(part: Path) -> list[str]:
    with checked(part) as trace:
        return cells(trace)


def main() -> int:
    """Reads the recordings and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/rig.md")
    options = parser.parse_args()
    todo = [of for of in recordings(None) if of[0] in SCENARIOS]
    todo.sort(key=lambda of: (SCENARIOS.index(of[0]), order(of[1]), int(of[2])))
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(_read, [of[3] for of in todo]))
    lines = [
        f"| {scenario} | {kernel.replace('-faults', ', faults')} | {cpus} | {' | '.join(of)} |"
        for (scenario, kernel, cpus, _), of in zip(todo, found, strict=True)
    ]
    table = HEAD + "\n".join(lines) + "\n"
    print(table)
    if options.write:
        PAGE.write_text(fill_blocks(PAGE.read_text(), {BLOCK: table}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

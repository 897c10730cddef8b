"""`make bench`: every measurement in one run, printed and kept in `bench/results/`, each section when it is finished.

`python -m bench.run [--only SECTION]... [--rounds N] [--quick]`; sections: start, overhead, evidence, calls,
checking, causes, online, end_to_end, imports, simulation, synthetic, bubbles, web, frames.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench import (
    bubbles,
    calls,
    causes,
    checking,
    end_to_end,
    evidence,
    imports,
    online,
    overhead,
    report,
    simulation,
    start,
    synthetic,
    web,
)
from bench.recorders import BenchError

MILLION = 1_000_000
SIZES = (MILLION, 20 * MILLION, 100 * MILLION)
"""Events of the traces that the browser opens."""
SECTIONS: dict[str, Callable[[Path, argparse.Namespace], list[report.Section]]] = {
    "start": lambda folder, o: start.measure(folder, 3 if o.quick else max(o.rounds, 7)),
    "overhead": lambda folder, o: overhead.measure(folder, o.rounds * 5, 20_000 if o.quick else 60_000),
    "evidence": lambda folder, o: evidence.measure(folder, o.rounds, 200 if o.quick else 1000),
    "calls": lambda folder, o: calls.measure(folder, o.rounds, 10_000 if o.quick else 100_000),
    "checking": lambda folder, o: checking.measure(folder, o.rounds, MILLION // 10 if o.quick else 4 * MILLION),
    "causes": lambda folder, o: causes.measure(folder, o.rounds, MILLION // 10 if o.quick else 4 * MILLION),
    "online": lambda folder, o: online.measure(folder, o.rounds, 200 if o.quick else 2000),
    "end_to_end": lambda folder, o: end_to_end.measure(
        folder, o.rounds, (MILLION // 10, MILLION // 5) if o.quick else (MILLION, 10 * MILLION)
    ),
    "imports": lambda folder, o: imports.measure(
        folder,
        o.rounds,
        MILLION // 10 if o.quick else 4 * MILLION,
        (MILLION // 10, MILLION // 5) if o.quick else (MILLION, 10 * MILLION),
    ),
    "simulation": lambda _, o: simulation.measure(o.quick),
    "synthetic": lambda _, o: synthetic.measure(MILLION // 5 if o.quick else 2 * MILLION),
    "web": lambda folder, o: list(web.measure(folder, (MILLION // 10,) if o.quick else SIZES)),
    "frames": lambda folder, o: [web.measure_frames(folder, (MILLION // 10,) if o.quick else SIZES)],
    "bubbles": lambda folder, o: bubbles.measure(folder, 1 if o.quick else o.rounds),
}


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=SECTIONS, help="measure only this section (repeatable)")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default 5)")
    parser.add_argument("--quick", action="store_true", help="small workloads, to try the harness; nothing is kept")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("bench: recording needs root: run it with sudo", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        for name in options.only or SECTIONS:
            try:
                measured = SECTIONS[name](Path(folder), options)
            except BenchError as e:
                print(f"bench: {name}: {e}", file=sys.stderr)
                return 2
            for section in measured:
                print(section.markdown(), flush=True)
            if not options.quick:
                command = f"python -m bench.run --only {name} --rounds {options.rounds}"
                path = report.keep(measured, command, "web.md" if name in ("web", "frames") else None)
                print(f"bench: kept in {path}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""`make watch-promises`: what `wastenot watch` promises, measured on this machine.

`python -m bench.watch [PART]... [--seconds N] [--times N] [--rounds N] [--quick]`; without a PART, all of them. Each
prints its tables and keeps them in `bench/results/watch.md`, with `--quick` it keeps nothing. The exit status is 1
where a promise is broken, 2 where a part could not run. Needs root.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench import report
from bench.recorders import BenchError
from bench.watch import box, caught, cgroups, cost, false_alarms, kill, soak
from bench.watch.part import Findings, Request

PARTS: dict[str, Callable[[Request], Findings]] = {
    "caught": caught.measure,
    "false_alarms": false_alarms.measure,
    "box": box.measure,
    "cost": cost.measure,
    "soak": soak.measure,
    "kill": kill.measure,
    "cgroups": cgroups.measure,
}
FILE = "watch.md"


def parse(words: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.watch", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=float, help="how long caught (at most), false_alarms and soak go on")
    parser.add_argument("--times", type=int, help="violations (caught), boxes per rate (box), kills (kill), cgroups")
    parser.add_argument("--rounds", type=int, help="interleaved rounds of cost")
    parser.add_argument("--quick", action="store_true", help="short, to try the harness; nothing is kept")
    return parser.parse_args(words)


def run(name: str, options: argparse.Namespace) -> int:
    """One part; returns its exit status."""
    with tempfile.TemporaryDirectory(prefix="wastenot-watch-") as folder:
        request = Request(Path(folder), options.seconds, options.times, options.rounds, options.quick)
        try:
            found = PARTS[name](request)
        except BenchError as e:
            print(f"bench: {name}: {e}", file=sys.stderr)
            return 2
    found.sections.append(found.promises(name))
    for section in found.sections:
        print(section.markdown(), flush=True)
    for promise in found.broken:
        print(f"BROKEN {name}: {promise}", flush=True)
    if not options.quick:
        print(f"bench: kept in {report.keep(found.sections, _command(name, options), FILE)}", flush=True)
    return 1 if found.broken else 0


def _command(name: str, options: argparse.Namespace) -> str:
    """The command of one part, with the options that were given."""
    given = {key: getattr(options, key) for key in ("seconds", "times", "rounds")}
    words = [f"--{key} {value:g}" for key, value in given.items() if value is not None]
    return " ".join(["python -m bench.watch", name, *words])


def main() -> int:
    """Command line; returns the exit status."""
    options = parse()
    if os.geteuid() != 0:
        print("bench: watching needs root: run it with sudo", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was set up is taken down
    return max(run(name, options) for name in options.parts or PARTS)


if __name__ == "__main__":
    raise SystemExit(main())

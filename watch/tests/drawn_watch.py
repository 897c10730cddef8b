"""A watch over drawn figures as a process of its own: `python drawn_watch.py FOLDER MODE [CONDITION]`.

It serves metrics at a free port, which its first line of JSON says. In the mode `exact` two causes on two nodes, two
excuses and two cgroups have figures.
"""

from __future__ import annotations

import sys
from pathlib import Path

from drawn import MS, DrawnExact, DrawnSentinel, S, rising
from wastenot.watch.conditions import parse_watch_condition
from wastenot.watch.http.address import Address
from wastenot.watch.model.status import ExactCounters, Wait
from wastenot.watch.options import WatchOptions
from wastenot.watch.rate_limit import RateLimit
from wastenot.watch.report.surface import Lines
from wastenot.watch.report.systemd import Notifier
from wastenot.watch.running import run_watch


def counters(ns: int) -> ExactCounters:
    """Half a core wasted, and half a core excused, of two."""
    return ExactCounters(
        time_ns=ns,
        online_ns=2 * ns,
        wasted_ns=ns // 2,
        certain_ns=ns // 2,
        idle_while_waiting_ns=ns,
        wasted_by={("no_common_domain", 0): ns // 4, ("cache_hot", 1): ns // 4},
        excused_ns={"affinity": ns // 4, "throttled": ns // 4},
        episodes={"lasting": (ns // S, ns // 2)},
        ended_ns=(30 * MS,),
        new_waits=(Wait("/a", "neighbour", S), Wait("/a", "avoidable", S // 2), Wait("/b", "own_quota", S // 3)),
    )


def main(folder: Path, mode: str, condition: str) -> None:
    exact = mode == "exact"
    options = WatchOptions(
        out=folder / "boxes",
        run_dir=folder / "run",
        conditions=(parse_watch_condition(condition, 10 * S),),
        after_ns=0,
        exact=exact,
        metrics=Address("127.0.0.1", 0),
        rate_limit=RateLimit.parse("30/min"),
        alarm=("true",),
    )
    sentinel = DrawnSentinel(rising(0.3, 30 * MS))
    run_watch(options, sentinel, DrawnExact(counters) if exact else None, Lines(as_json=True), Notifier(None))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "wasted>=100ms")

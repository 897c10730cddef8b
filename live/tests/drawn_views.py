"""Views of a watch on a machine of any size, and a watch that serves them at the socket of a run folder."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from prometheus_client import CollectorRegistry
from wastenot.watch.http.address import Address
from wastenot.watch.http.server import HttpInterface, Reply, Routes
from wastenot.watch.model.boxes import CONFIRMED, UNCONFIRMED, Box, BoxVerdict, Trigger
from wastenot.watch.model.status import CpuStatus, ExactCounters, Hit, Status, Wait
from wastenot.watch.model.view import Facts, View
from wastenot.watch.run_folder import SOCKET, own_folder

S, MS = 1_000_000_000, 1_000_000
FACTS = Facts("sentinel", ("lasting>0",), 10 * S, 2 * S, "/var/lib/wastenot", "0.1.0", "6.12.9", ("cookies",))


def drawn_view(second: int, cpus: int = 8, *, exact: bool = False, cgroups: int = 50, box: str = "") -> View:
    """The view `second` seconds after the start: two cores wasted from second 2 on, CPU 0 overloaded."""
    time_ns = 1_000 * S + second * S
    wasted = max(0, second - 1) * 2 * S
    is_wasted = second >= 2
    statuses = tuple(
        CpuStatus(c, (c * 37 + second * 11) % 100 / 100, 5 if c == 0 else 0 if c % 3 == 1 else (c + second) % 4 + 1)
        for c in range(cpus)
    )
    hits = [Hit(time_ns - 3 * S, 4, 0, 17, "old", MS, 1)]
    hits += [
        Hit(time_ns - age * MS, 1, 0, 103 - age // 10, f"worker-{3 - age // 10}", age * MS, 5 - age // 10)
        for age in (30, 20, 10)
        if is_wasted
    ]
    status = Status(time_ns, second * 1000, 0, second, wasted, 30 * MS * is_wasted, statuses, tuple(hits), 4, 10 * S)
    waits = tuple(
        Wait(f"/system.slice/unit-{c}.service", reason, second * S // (c + part + 2))
        for c in range(cgroups)
        for part, reason in enumerate(("neighbour", "avoidable", "own_quota"))
    )
    counters = ExactCounters(
        time_ns, cpus * second * S, wasted, wasted, wasted * 2,
        wasted_by={
            ("newidle_cut_off", 0): wasted // 2, ("newidle_cut_off", 1): wasted // 4,
            ("unknown", 0): wasted // 4,
        },
        episodes={"lasting": (second, wasted)}, new_waits=waits,
    )  # fmt: skip
    confirmed = Box(
        box or "/var/lib/wastenot/a.duckdb",
        Trigger("lasting>0", "lasting", time_ns - 30 * S, "lasting>0"),
        CONFIRMED,
        "2026-11-24T05:50:01Z",
        BoxVerdict(3 * S, 0.1, "2 of 8 cores wasted for 1.5 s", "not moved because no idle CPU was kicked", 0, (MS,)),
    )
    unconfirmed = Box("/x", Trigger("lasting>0", "lasting", time_ns), UNCONFIRMED, "2026-11-24T05:51:01Z", kept=False)
    return View(
        facts=replace(FACTS, mode="exact") if exact else FACTS,
        time_ns=time_ns,
        started_ns=1_000 * S,
        status=status,
        exact=counters if exact else None,
        boxes=(confirmed, unconfirmed),
        episode_lengths={0.1: 3},
        episode_seconds=0.2,
        waits=waits if exact else (),
    )


class DrawnWatch:
    """Serves drawn views: the one of the second that has come, by its clock or as set."""

    def __init__(self, cpus: int = 8, *, exact: bool = False, box: str = "") -> None:
        self._cpus, self._exact, self._box = cpus, exact, box
        self._start = time.monotonic()
        self.second: int | None = None
        self.triggers: list[str] = []

    def view(self) -> View:
        second = int(time.monotonic() - self._start) if self.second is None else self.second
        return drawn_view(second, self._cpus, exact=self._exact, box=self._box)

    def trigger(self, reason: str) -> Reply:
        self.triggers.append(reason)
        return Reply(True, "saving /var/lib/wastenot/b.duckdb", "/var/lib/wastenot/b.duckdb")

    @contextmanager
    def at(self, folder: Path) -> Iterator[Path]:
        """Answer at the socket of a run folder."""
        own_folder(folder)
        routes = Routes(CollectorRegistry(), self.trigger, self.view)
        server = HttpInterface.open(Address(path=folder / SOCKET), routes, private=True)
        try:
            yield folder
        finally:
            server.close()


if __name__ == "__main__":
    import sys

    with DrawnWatch(int(sys.argv[2]), exact=len(sys.argv) > 3).at(Path(sys.argv[1])):
        threading.Event().wait()

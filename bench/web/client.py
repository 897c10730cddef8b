"""A server in a process of its own, and a client that asks over its socket as a browser does."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

CONNECTIONS = 6
"""That a browser opens to one server."""
SCREEN_BELOW = 5
"""Levels below the highest whose bins fill a screen: about 2,048 over the trace."""


@dataclass
class Client:
    """One connection that is kept, as a browser keeps its."""

    port: int
    pid: int
    received: int = 0
    """Bytes of all bodies so far."""
    _connection: HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        self._connection = HTTPConnection("127.0.0.1", self.port, timeout=600)

    def get(self, path: str) -> bytes:
        """The body as it is sent; it must come with status 200, once tables that it needs are made (202 until then)."""
        while True:
            self._connection.request("GET", path, headers={"Accept-Encoding": "gzip, zstd"})
            response = self._connection.getresponse()
            body = response.read()
            if response.status != 202:
                break
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {body[:200]!r}")
        self.received += len(body)
        return body

    def json(self, path: str) -> Any:
        """A body as JSON."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())

    def timed(self, path: str) -> float:
        """Milliseconds until the whole answer is here."""
        began = time.perf_counter()
        self.get(path)
        return (time.perf_counter() - began) * 1e3

    def settle(self) -> None:
        """Wait until the server does nothing by itself any more: it learns where rows lie after the first picture."""
        idle = 0
        while idle < 4:
            before = self.cpu_ms()
            time.sleep(0.5)
            idle = idle + 1 if self.cpu_ms() - before < 20 else 0

    def cpu_ms(self) -> float:
        """CPU time of the server's threads so far."""
        tasks = Path(f"/proc/{self.pid}/task")
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e6

    def memory_mb(self, what: str = "VmRSS") -> float:
        """Resident memory of the server; VmHWM is the most so far."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(next(x for x in status.splitlines() if x.startswith(what)).split()[1]) / 1e3


@contextmanager
def served(traces: list[Path]) -> Iterator[Client]:
    """`wastenot serve` over some traces; it answers when this begins."""
    command = [sys.executable, "-m", "wastenot.cli", "serve", *map(str, traces), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = ""
        while "serving at" not in line:
            line = process.stderr.readline()
            if not line:
                raise RuntimeError("the server does not start")
        client = Client(int(line.rstrip().rstrip("/").rsplit(":", 1)[1]), process.pid)
        client.get("/api/health")  # the socket listens: it waits until the server does
        yield client
    finally:
        process.terminate()
        process.wait()


@dataclass(frozen=True)
class Picture:
    """What a first picture took."""

    ms: float
    cpu_ms: float
    bytes: int


_Lot = Callable[[list[str]], None]

FINDINGS = ("verdict", "machine", "threads", "episodes?limit=1000", "episodes?grade=all&limit=2000")
"""What the verdict's page asks, but for the curve."""


def findings(client: Client, trace: str, connections: int = CONNECTIONS) -> Picture:
    """List; then verdict, machine, threads and episodes, side by side: all that needs no tables on demand."""
    base = f"/api/traces/{trace}"
    with _side_by_side(client, connections) as (lot, taken):
        lot(["/api/traces"])
        lot([f"{base}/{p}" for p in FINDINGS])
        return taken()


def first_picture(client: Client, trace: str, connections: int = CONNECTIONS) -> Picture:
    """List; then verdict, machine, threads, curve and grid; then one screen of tiles; each lot side by side."""
    base = f"/api/traces/{trace}"
    with _side_by_side(client, connections) as (lot, taken):
        lot(["/api/traces"])
        lot([f"{base}/{p}" for p in ("verdict", "machine", "threads", "curve?bins=1000", "tiles/meta")])
        grid = client.json(f"{base}/tiles/meta")
        level = max(0, grid["levels"] - SCREEN_BELOW)
        width = grid["columns"] * (grid["base_ns"] << level)
        tiles = -(-(grid["end_ns"] - grid["start_ns"]) // width)
        lot([f"{base}/tiles/{level}/{x}/0" for x in range(tiles)])
        return taken()


@contextmanager
def _side_by_side(client: Client, connections: int) -> Iterator[tuple[_Lot, Callable[[], Picture]]]:
    """Gets a lot of addresses over some connections; and what all lots took."""
    began, cpu = time.perf_counter(), client.cpu_ms()
    clients = [Client(client.port, client.pid) for _ in range(connections)]
    with ThreadPoolExecutor(connections) as pool:

        def lot(paths: list[str]) -> None:
            waiting = iter(paths)
            list(pool.map(lambda own: [own.get(p) for p in waiting], clients))

        def taken() -> Picture:
            ms = (time.perf_counter() - began) * 1e3
            return Picture(ms, client.cpu_ms() - cpu, sum(own.received for own in clients))

        yield lot, taken


def tile_paths(client: Client, trace: str, count: int, seed: int) -> Iterator[str]:
    """Addresses of tiles, each once: all levels alike, places at random."""
    grid = client.json(f"/api/traces/{trace}/tiles/meta")
    chosen, seen = random.Random(seed), set()
    for _ in range(count * 3):
        level = chosen.randrange(grid["levels"])
        bins = max(1, (grid["end_ns"] - grid["start_ns"]) // (grid["base_ns"] << level))
        path = f"/api/traces/{trace}/tiles/{level}/{chosen.randrange(bins) // 64}/0"
        if path not in seen:
            seen.add(path)
            yield path
        if len(seen) == count:
            return


def percentile(values: list[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

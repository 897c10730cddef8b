"""The browser's server: how fast it answers, what it sends and how much memory it takes.

A server in a process of its own, asked over its socket as a browser asks: tiles at random levels and places, each for
the first time (no cache of ours helps) and once more.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from bench.report import Section

SCENARIO = """
about = "64 database workers in step beside short-lived other threads, for long."
expect = "a trace of many events"
machine = "opteron"
release = "4.1"
faults = ["overload-on-wakeup"]
evidence = "L1"

[workload]
limit = "3600s"
objects.stage = { barrier = { parties = 64 } }
programs.worker = [{ repeat = { times = STEPS, body = [
  { run = { uniform = ["2500us", "3500us"] } }, { barrier = "stage" }, { mark = "stage" }] } }]
programs.transient = [{ repeat = { body = [{ sleep = { exponential = "30ms" } }, { run = { exponential = "1ms" } }] } }]
threads = [
  { program = "worker", count = 64, threads = true, session = "database" },
  { program = "transient", count = 8, background = true, session = "others" },
]
"""
"""`database-wakeups` with as many steps as it takes for so many events."""
EVENTS_PER_STEP = 385

READY_S = 60.0
ASKED = 400
"""Tiles asked for per trace."""


@dataclass
class Client:
    """One connection that is kept, as a browser keeps its."""

    port: int
    pid: int

    def __post_init__(self) -> None:
        self._connection = HTTPConnection("127.0.0.1", self.port, timeout=120)

    def get(self, path: str) -> bytes:
        """The body, which must come with status 200."""
        self._connection.request("GET", path, headers={"Accept-Encoding": "gzip, zstd"})
        response = self._connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {body[:200]!r}")
        return body

    def timed(self, path: str) -> tuple[float, int]:
        """Milliseconds and bytes."""
        began = time.perf_counter()
        body = self.get(path)
        return (time.perf_counter() - began) * 1e3, len(body)

    def memory_mb(self) -> float:
        """Resident memory of the server and its children."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(next(x for x in status.splitlines() if x.startswith("VmRSS")).split()[1]) / 1e3


@contextmanager
def served(traces: list[Path]) -> Iterator[Client]:
    """`wastenot serve` over some traces."""
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
        until = time.monotonic() + READY_S
        while time.monotonic() < until:
            try:
                client.get("/api/health")
                break
            except OSError:
                time.sleep(0.05)
        yield client
    finally:
        process.terminate()
        process.wait()


def tile_paths(client: Client, trace: str, count: int, seed: int) -> Iterator[str]:
    """Addresses of tiles, each once: all levels alike, places at random."""
    grid = json.loads(client.get(f"/api/traces/{trace}/tiles/meta"))
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


def build(folder: Path, events: int) -> Path:
    """A simulated trace of about so many events, imported and checked."""
    name = f"{events / 1e6:g}M"
    scenario, trace = folder / f"{name}.toml", folder / f"{name}.duckdb"
    if not trace.exists():
        scenario.write_text(SCENARIO.replace("STEPS", str(events // EVENTS_PER_STEP)))
        command = [sys.executable, "-m", "wastenot.cli", "simulate", str(scenario), "-o", str(trace), "--quiet"]
        subprocess.run(command, check=True)
    return trace


def measure(folder: Path, events: tuple[int, ...]) -> list[Section]:
    """A row per trace of so many events, and one for ten copies of the first, all asked for."""
    traces = [build(folder, n) for n in events]
    ten = [folder / f"copy-{i}.duckdb" for i in range(10)]
    for copy in ten:
        copy.unlink(missing_ok=True)
        copy.hardlink_to(traces[0])
    section = Section(
        "The browser's server",
        f"`python -m bench.web FOLDER EVENTS…`: simulated, 64 CPUs, 72 threads. Up to {ASKED} tiles per trace over one "
        "connection, in random order, packed by "
        'gzip or zstd; "first picture" is list, verdict, machine, threads, curve and one screen of tiles, by a server '
        "that has opened nothing yet.",
        [
            "trace",
            "events, M",
            "file, MB",
            "first picture, ms",
            "tile p50, ms",
            "p95",
            "again p50",
            "p95",
            "tile, kB",
            "memory, MB",
        ],
    )
    for path in traces:
        with served([path]) as client:
            section.add(*_figures(client, path, json.loads(client.get("/api/traces"))[0]["id"]))
    with served(ten) as client:
        for row in json.loads(client.get("/api/traces")):
            for p in tile_paths(client, row["id"], 40, 2):
                client.get(p)
        section.add(f"ten of {traces[0].stem}", "", "", "", "", "", "", "", "", f"{client.memory_mb():.0f}")
    return [section]


def _figures(client: Client, path: Path, id: str) -> list[str]:
    base = f"/api/traces/{id}"
    began = time.perf_counter()
    events = json.loads(client.get("/api/traces"))[0]["events"]
    for part in ("verdict", "machine", "threads", "curve?bins=1000", "tiles/meta"):
        client.get(f"{base}/{part}")
    grid = json.loads(client.get(f"{base}/tiles/meta"))
    level = max(0, grid["levels"] - 5)  # 2,048 bins over the trace: one screen
    width = grid["base_ns"] << level
    for x in range(-(-(grid["end_ns"] - grid["start_ns"]) // (64 * width))):
        client.get(f"{base}/tiles/{level}/{x}/0")
    picture = (time.perf_counter() - began) * 1e3
    paths = list(tile_paths(client, id, ASKED, 1))
    first = [client.timed(p) for p in paths]
    again = [client.timed(p)[0] for p in paths]
    ms = [t for t, _ in first]
    kilobytes = statistics.mean(size for _, size in first) / 1e3
    return [
        path.stem,
        f"{events / 1e6:.2f}",
        f"{path.stat().st_size / 1e6:.0f}",
        f"{picture:.0f}",
        f"{percentile(ms, 0.5):.1f}",
        f"{percentile(ms, 0.95):.1f}",
        f"{percentile(again, 0.5):.1f}",
        f"{percentile(again, 0.95):.1f}",
        f"{kilobytes:.1f}",
        f"{client.memory_mb():.0f}",
    ]


def main(arguments: list[str]) -> int:
    """Print the table: `python -m bench.web FOLDER EVENTS…`; traces in the folder are used again."""
    for section in measure(Path(arguments[0]), tuple(int(a) for a in arguments[1:])):
        print(section.markdown())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

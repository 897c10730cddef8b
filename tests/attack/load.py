"""Fifty clients for a minute, and queries that are abandoned: what the server needs, how late it answers, what stays.

    .venv/bin/python -m tests.attack.load [--clients 50] [--seconds 60] [--abandoned 100] [--events 1000000]

Makes a trace of about so many events, serves it on a port of the loopback interface by `wastenot serve`, and prints
latencies by kind of request, errors, the most memory of the server and of its processes, and the processes and files
that stay.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from http.client import HTTPConnection
from pathlib import Path

T = "/api/traces/T"
HEAVY = (
    "SELECT levenshtein(repeat('ab', 60000), repeat('ba', 60000))",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
    "SELECT max(a) FROM (SELECT list(repeat('x', 5000) || range) AS a FROM range(1000000))",
    "SELECT * FROM range(300000000) ORDER BY hash(range)",
)
"""Queries that clients send and do not wait for."""


def trace_of(events: int, folder: Path) -> Path:
    """A checked trace of about so many events."""
    sys.path.append(str(Path(__file__).parents[2] / "fixtures" / "drawing"))
    from drawing import build_drawn
    from wastenot.analyzer import CheckOptions

    lines = ["cpus 0-7", "llc 0-3 4-7", "node 0-3 4-7", f"window 0us {events // 2 * 10 + 100}us"]
    lines += [f"0us cpu {cpu} idle" for cpu in range(8)]
    lines += [f"0us thread {100 + i} worker-{i} on {i % 8} asleep mask 0-7" for i in range(32)]
    for i in range(events // 3):
        at, cpu, tid = 10 + i * 15, i % 8, 100 + i % 32
        lines += [f"{at}us wakeup {tid} on {cpu}", f"{at + 3}us switch {cpu}: 0 R -> {tid}"]
        lines.append(f"{at + 12}us switch {cpu}: {tid} S -> 0")
    path = folder / "T.duckdb"
    build_drawn("\n".join(lines), path, CheckOptions())
    return path


class Client(threading.Thread):
    """Asks for what the page asks for, one request after another."""

    def __init__(self, port: int, until: float, seed: int, end_ns: int) -> None:
        super().__init__()
        self.port, self.until, self.random, self.end_ns = port, until, random.Random(seed), end_ns
        self.took: dict[str, list[float]] = defaultdict(list)
        self.statuses: dict[int, int] = defaultdict(int)

    def address(self) -> tuple[str, str, bytes | None]:
        """The kind of the next request, its path and body."""
        start = self.random.randrange(max(1, self.end_ns - 2_000_000))
        window = f"start={start}&end={start + 2_000_000}"
        return self.random.choice(
            [
                ("tile", f"{T}/tiles/{self.random.randrange(4)}/{self.random.randrange(8)}/0", None),
                ("slices", f"{T}/slices?{window}&cpus=0-7", None),
                ("state", f"{T}/replay/state?at={start}", None),
                ("curve", f"{T}/curve?{window}&bins=500", None),
                ("verdict", f"{T}/verdict", None),
                ("sql", f"{T}/sql", b'{"sql": "SELECT count(*) FROM sched_switch"}'),
            ]
        )

    def run(self) -> None:
        while time.monotonic() < self.until:
            kind, path, body = self.address()
            began = time.monotonic()
            connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
            try:
                headers = {"Content-Type": "application/json"} if body else {}
                connection.request("POST" if body else "GET", path, body, headers)
                response = connection.getresponse()
                response.read()
                self.statuses[response.status] += 1
                self.took[kind].append(time.monotonic() - began)
            except OSError:
                self.statuses[0] += 1
            finally:
                connection.close()


def abandon(port: int, number: int, seconds: float) -> None:
    """Send queries and go."""
    for i in range(number):
        body = json.dumps({"sql": HEAVY[i % len(HEAVY)]}).encode()
        head = f"POST {T}/sql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.sendall(head.encode() + body)
            time.sleep(seconds / number)


def rss_mb(pid: int) -> int:
    """Resident memory."""
    try:
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) >> 10 if found else 0


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("clients", 50), ("seconds", 60), ("abandoned", 100), ("events", 1_000_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = trace_of(asked.events, folder)
        print(f"trace: {path.stat().st_size / 1e6:.1f} MB", flush=True)
        temporary = folder / "tmp"
        temporary.mkdir()
        command = [sys.executable, "-m", "wastenot.cli", "serve", str(path), "--port", "0"]
        environment = {**os.environ, "TMPDIR": str(temporary)}
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        ) as server:
            serve_and_print(asked, server, temporary)
        print(f"left in the folder: {sorted(p.name for p in folder.iterdir())}")
        print(f"left in the folder for temporary files: {sorted(p.name for p in temporary.iterdir())}")


def serve_and_print(asked: argparse.Namespace, server: subprocess.Popen[str], temporary: Path) -> None:
    """All clients against one server."""
    sys.path.append(str(Path(__file__).parents[1]))
    from mutations.processes import descendants

    assert server.stdout is not None
    found = None
    while found is None:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", server.stdout.readline())
    port = int(found[1])
    until = time.monotonic() + asked.seconds
    clients = [Client(port, until, seed, asked.events * 5_000) for seed in range(asked.clients)]
    leaving = threading.Thread(target=abandon, args=(port, asked.abandoned, asked.seconds * 0.9))
    for thread in (*clients, leaving):
        thread.start()
    peak: dict[str, int] = defaultdict(int)
    while any(thread.is_alive() for thread in (*clients, leaving)):
        sizes = {pid: rss_mb(pid) for pid in (server.pid, *descendants(server.pid))}
        peak["server"] = max(peak["server"], sizes.pop(server.pid, 0))
        peak["largest query process"] = max(peak["largest query process"], *sizes.values(), 0)
        peak["query processes"] = max(peak["query processes"], len(sizes))
        peak["all"] = max(peak["all"], sum(sizes.values()) + rss_mb(server.pid))
        time.sleep(0.25)
    statuses: dict[int, int] = defaultdict(int)
    took: dict[str, list[float]] = defaultdict(list)
    for client in clients:
        for status, count in client.statuses.items():
            statuses[status] += count
        for kind, times in client.took.items():
            took[kind] += times
    print(f"answers by status: {dict(statuses)} (0: none)")
    for kind, times in sorted(took.items()):
        times.sort()
        at = [times[min(len(times) - 1, int(len(times) * share))] for share in (0.5, 0.95)]
        middle, late, worst = (f"{seconds * 1e3:.0f} ms" for seconds in (*at, times[-1]))
        print(f"{kind:8} {len(times):6} answers, median {middle}, 95 % {late}, worst {worst}")
    print("peak memory, MB: " + ", ".join(f"{name} {value}" for name, value in peak.items()))
    time.sleep(5)
    print(f"processes after 5 s of rest: {len((server.pid, *descendants(server.pid))) - 1} beside the server")
    server.send_signal(signal.SIGINT)
    server.wait(30)


if __name__ == "__main__":
    main()

"""The browser: how fast its server answers, what it sends, the memory it takes, and the time of the page's frames.

The server is a process of its own, asked over its socket as a browser asks. CPU time is what the server's threads took:
where it is far below the time on the clock, the machine was busy with other things.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.captures import WASTENOT, run_quietly
from bench.recorders import BenchError
from bench.report import Section
from bench.web.client import Client, first_picture, percentile, served, tile_paths
from bench.web.scale import grow, opening, sizes
from bench.web.traces import build, build_whole, named
from bench.web.windows import windows

ROOT = Path(__file__).parents[2]
ASKED = 400
"""Tiles asked for per trace."""
TEN, OF_EACH = 10, 40
"""Traces that are open at once, and tiles asked of each."""
MOST_IN_PAGE = 20_000_000
"""Events of the largest trace that is exported to Perfetto."""
RECORDING = ROOT / "fixtures/traces/rig/no-common-domain-6.1-256.part"
"""A real recording of 256 CPUs whose frames are measured."""
INSTANTS = 60
"""Questions at random instants, of each kind."""
MS = 1_000_000
TILES = ["tile p50, ms", "p95", "CPU p50", "p95", "again p50", "p95", "tile, kB", "memory, MB", "most"]


def measure(folder: Path, events: tuple[int, ...]) -> Iterator[Section]:
    """All sections, each when it is measured, over traces of so many events (each about); ten others of the first size.

    Perfetto's trace processor gets those up to `MOST_IN_PAGE` only.
    """
    bare = [build(folder, n) for n in events]
    traces = [named(folder, n) for n in events]
    grown = [grow(*pair) for pair in zip(bare, traces, strict=True)]
    ten = [build_whole(folder, events[0], seed) for seed in range(2, TEN + 2)]
    some = [trace for trace, n in zip(traces, events, strict=True) if n <= MOST_IN_PAGE]
    yield sizes(grown)
    yield opening(list(zip(bare, traces, strict=True)))
    yield windows(bare)
    yield _serving(traces)
    yield _ten(ten)
    yield _instants(traces)
    yield frames([*traces, recording(folder)])
    yield _perfetto(folder, some)


def _serving(traces: list[Path]) -> Section:
    section = Section(
        "The browser's server",
        "`python -m bench.web FOLDER EVENTS…`: simulated, 64 CPUs, 72 threads. First picture: list; then verdict, "
        "machine, threads, curve and grid; then one screen of tiles (six connections, each lot side by side; by a "
        f"server that has opened nothing yet), and the same over one connection. Then up to {ASKED} tiles over one "
        "connection, in random order, and the same once more; zstd.",
        ["trace", "events, M", "file, MB", "first picture, ms", "CPU", "one after another", "sent, kB", *TILES],
    )
    for path in traces:
        with served([path]) as client:
            alone = first_picture(client, path.stem, connections=1)
        with served([path]) as client:
            picture = first_picture(client, path.stem)
            events = client.json("/api/traces")[0]["events"]
            paths = list(tile_paths(client, path.stem, ASKED, 1))
            sent = client.received
            ms, cpu = _request_times(client, paths)
            size = (client.received - sent) / len(paths)
            again, _ = _request_times(client, paths)
            section.add(
                path.stem,
                f"{events / 1e6:.2f}",
                f"{path.stat().st_size / 1e6:.0f}",
                f"{picture.ms:.0f}",
                f"{picture.cpu_ms:.0f}",
                f"{alone.ms:.0f}",
                f"{picture.bytes / 1e3:.0f}",
                *_spread(ms),
                *_spread(cpu),
                *_spread(again),
                f"{size / 1e3:.1f}",
                f"{client.memory_mb():.0f}",
                f"{client.memory_mb('VmHWM'):.0f}",
            )
    return section


def _request_times(client: Client, paths: list[str]) -> tuple[list[float], list[float]]:
    """Milliseconds of each, on the clock and of the server's CPU."""
    ms, cpu = [], []
    for path in paths:
        before = client.cpu_ms()
        ms.append(client.timed(path))
        cpu.append(client.cpu_ms() - before)
    return ms, cpu


def _spread(values: list[float]) -> tuple[str, str]:
    return f"{percentile(values, 0.5):.1f}", f"{percentile(values, 0.95):.1f}"


def _ten(traces: list[Path]) -> Section:
    section = Section(
        "Ten traces at once",
        "Ten different ones (seeds), in one server: the first picture of each in turn (the first makes the list, "
        f"which opens all), then {OF_EACH} tiles of each, a tile of every trace in turn.",
        ["traces", "first picture of the first, ms", "of the others p50", "most", *TILES[:4], "memory, MB", "most"],
    )
    with served(traces) as client:
        first, *others = [first_picture(client, path.stem).ms for path in traces]
        of_each = [list(tile_paths(client, path.stem, OF_EACH, 2)) for path in traces]
        ms, cpu = _request_times(client, [paths[i] for i in range(OF_EACH) for paths in of_each if i < len(paths)])
        section.add(
            f"ten of {traces[0].stem.split('-')[0]}",
            f"{first:.0f}",
            f"{statistics.median(others):.0f}",
            f"{max(others):.0f}",
            *_spread(ms),
            *_spread(cpu),
            f"{client.memory_mb():.0f}",
            f"{client.memory_mb('VmHWM'):.0f}",
        )
    return section


def _instants(traces: list[Path]) -> Section:
    section = Section(
        "At random instants",
        f"{INSTANTS} questions of each kind at random instants, over one connection, a server that knows its way: "
        "milliseconds on the clock, and of the server's CPU.",
        ["trace", "question", "p50, ms", "p95", "CPU p50", "p95"],
    )
    for path in traces:
        with served([path]) as client:
            base, chosen = f"/api/traces/{path.stem}", random.Random(3)
            row = client.json("/api/traces")[0]
            episodes = [e["episode_id"] for e in client.json(f"{base}/episodes?grade=all&limit=10000")]
            first_picture(client, path.stem)

            def window(length: int, row: dict[str, int] = row, chosen: random.Random = chosen) -> str:
                at = chosen.randrange(row["start_ns"], row["end_ns"] - length)
                return f"start={at}&end={at + length}"

            kinds: dict[str, Callable[[], str]] = {
                "replay/state": lambda: f"replay/state?{window(1).replace('start', 'at', 1)}",
                "replay/moves of 20 ms": lambda: f"replay/moves?{window(20 * MS)}",
                "slices of 100 ms": lambda: f"slices?{window(100 * MS)}",
                "waits of 100 ms": lambda: f"waits?{window(100 * MS)}",
                "selection of 100 ms": lambda: f"selection?{window(100 * MS)}",
                "curve of 1 s": lambda: f"curve?bins=500&{window(1000 * MS)}",
                "episodes/{n}": lambda: f"episodes/{chosen.choice(episodes)}",  # noqa: B023
            }
            client.settle()
            for kind, ask in kinds.items():
                if kind == "episodes/{n}" and not episodes:
                    continue
                ms, cpu = _request_times(client, [f"{base}/{ask()}" for _ in range(INSTANTS)])
                section.add(path.stem, kind, *_spread(ms), *_spread(cpu))
    return section


def measure_frames(folder: Path, events: tuple[int, ...]) -> Section:
    """The frames alone, over traces of so many events and a recording of 256 CPUs."""
    return frames([*(build_whole(folder, n, 1) for n in events), recording(folder)])


def recording(folder: Path) -> Path:
    """The shipped recording of 256 CPUs, checked, with all tables."""
    trace = folder / "256-cpus.duckdb"
    if not trace.exists():
        shutil.copytree(RECORDING, trace.with_name(f"{trace.name}.part"))
        subprocess.run([WASTENOT, "check", "-q", "--tables", "all", str(trace)], check=True)
    return trace


def frames(traces: list[Path]) -> Section:
    """Main-thread time of the page's frames over each trace, with the load of the machine."""
    section = Section(
        "The page's frames",
        "`bench/web/frames.mjs`: main-thread time per frame, all tasks, by Chromium's tracing, in eight seconds; "
        "without a screen or GPU, 1280 × 800. Goal: p95 below 8 ms. A machine with two processors also runs the "
        "server, the browser's other processes and the script. Memory: of all of Chromium's processes (PSS).",
        ["trace", "what", "frames per s", "p50, ms", "p95", "CPU p50", "p95", "memory, MB", "load"],
    )
    if shutil.which("node") is None or shutil.which("chromium") is None:
        print("SKIPPED bench: frames: node and chromium are not installed", file=sys.stderr)
        return section
    script = str(Path(__file__).with_name("frames.mjs"))
    for path in traces:
        with served([path]) as client:
            for how in ("pan", "zoom", "replay"):
                command = ["node", script, f"http://127.0.0.1:{client.port}/", path.stem, how]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    raise BenchError(f"{script} {how}: {done.stderr[-400:]}")
                reported = json.loads(done.stdout)
                cells = (f"{reported[clock][at]:.1f}" for clock in ("wall", "cpu") for at in ("p50", "p95"))
                load = f"{os.getloadavg()[0]:.1f}"
                rate = f"{reported['frames'] / reported['seconds']:.0f}"
                section.add(path.stem, how, rate, *cells, reported["memory"], load)
    return section


def _perfetto(folder: Path, traces: list[Path]) -> Section:
    section = Section(
        "Beside Perfetto's trace processor",
        "From the command to the first answer, with all that starts before: `wastenot serve` and its first "
        "picture, and Perfetto's trace processor (WebAssembly under Node, as ui.perfetto.dev runs it; "
        "`tests/perfetto/query.mjs`) that loads `wastenot export --to perfetto` of the same trace and counts the "
        "slices. Ours was checked when it was made (see Import for what that takes); Perfetto's file has more in "
        "it than its own would, the findings.",
        ["trace", "program", "file, MB", "to the first answer, s", "peak memory, MB"],
    )
    if shutil.which("node") is None:
        print("SKIPPED bench: Perfetto's trace processor: node is not installed", file=sys.stderr)
        return section
    for path in traces:
        section.add(path.stem, "wastenot serve", f"{path.stat().st_size / 1e6:.0f}", *_our_start(path))
        exported = path.with_suffix(".pftrace")
        if not exported.exists():
            run_quietly([WASTENOT, "export", "-q", str(path), "--to", "perfetto", "-o", str(exported)], folder / "log")
        command = ["node", str(ROOT / "tests/perfetto/query.mjs"), str(exported), "SELECT count(*) FROM sched_slice"]
        cells = [path.stem, "trace processor", f"{exported.stat().st_size / 1e6:.0f}"]
        try:
            took = run_quietly(command, folder / "log")
            section.add(*cells, f"{took['wall_s']:.1f}", f"{took['peak_bytes'] / 1e6:.0f}")
        except BenchError as e:
            why = str(e).strip().splitlines()[-1][-80:]
            section.add(*cells, f"gives up: {why}", "")
    return section


def _our_start(path: Path) -> tuple[str, str]:
    began = time.perf_counter()
    with served([path]) as client:
        first_picture(client, path.stem)
        return f"{time.perf_counter() - began:.1f}", f"{client.memory_mb('VmHWM'):.0f}"

"""What reporting bubbles costs an application: without a recorder, with LTTng-UST, with Perfetto.

`collector/bubbles/examples/cost.c` times its calls; every round runs it once under each condition.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from contextlib import ExitStack
from pathlib import Path

from wastenot._native import collector
from wastenot.collector.bubbles import library_folder

from bench.recorders import BenchError
from bench.report import Section

ROOT = Path(__file__).parents[1]
BUBBLES = '{"source": "bubbles"}'
CONDITIONS = {
    "book-keeping alone": {"WASTENOT_BUBBLE_RECORDERS": ""},
    "LTTng-UST, off": {"WASTENOT_BUBBLE_RECORDERS": "ust"},
    "LTTng-UST, on": {"WASTENOT_BUBBLE_RECORDERS": "ust"},
    "Perfetto, off": {"WASTENOT_BUBBLE_RECORDERS": "perfetto"},
    "Perfetto, on": {"WASTENOT_BUBBLE_RECORDERS": "perfetto"},
}


def measure(folder: Path, rounds: int) -> list[Section]:
    """Nanoseconds per call under each condition, medians over the rounds."""
    library, program = library_folder(), folder / "cost"
    source, include = ROOT / "collector/bubbles/examples/cost.c", ROOT / "collector/bubbles/include"
    linked = [f"-L{library}", "-lwastenot-bubble", f"-Wl,-rpath,{library}", "-lpthread"]
    subprocess.run(
        ["cc", "-std=c11", "-O2", "-Werror", f"-I{include}", str(source), "-o", str(program), *linked], check=True
    )
    conditions = dict(CONDITIONS)
    if not (library / "libwastenot-bubble-perfetto.so.0").is_file():
        conditions = {name: env for name, env in conditions.items() if "Perfetto" not in name}
    if (obstacle := collector.Recorder(folder / "none", BUBBLES).obstacle()) is not None:
        raise BenchError(obstacle)
    taken: dict[str, dict[str, list[float]]] = {}
    for number in range(rounds):
        for condition, environment in conditions.items():
            for what, ns in _once(program, folder / f"{number}", condition, environment).items():
                taken.setdefault(what, {}).setdefault(condition, []).append(ns)
    how = (
        f"Medians of {rounds} rounds, ns for all the calls named. On: recorded; off: the recorder is there and nothing"
        " listens. The documents (BubbleSched, 2007): a bubble with a thread 3.7 us, a thread 3.3 us, at user level."
    )
    if "Perfetto, on" not in conditions:
        how += " SKIPPED Perfetto: its recorder is not built (make -C collector/bubbles perfetto)."
    section = Section("Bubbles: what an application pays", how, ["calls", *conditions])
    for what, by_condition in taken.items():
        section.add(what, *(f"{statistics.median(by_condition[condition]):.0f}" for condition in conditions))
    return [section]


def _once(program: Path, folder: Path, condition: str, environment: dict[str, str]) -> dict[str, float]:
    """One run: nanoseconds by what was called."""
    with ExitStack() as stack:
        if condition == "LTTng-UST, on":
            session = collector.Recorder(folder.with_suffix(".ctf"), BUBBLES)
            session.start()
            stack.callback(session.stop, "interrupt")
        env = {**os.environ, **environment}
        if condition == "Perfetto, on":
            env["WASTENOT_BUBBLE_PERFETTO"] = str(folder.with_suffix(".pftrace"))
        ran = subprocess.run([program], env=env, capture_output=True, text=True, check=True)
    return {reported["what"]: reported["ns"] for reported in map(json.loads, ran.stdout.splitlines())}

"""Runs saved as a JSON file, so that a later comparison needs their figures and not the traces."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from wastenot._native import version
from wastenot.analyzer.comparison.runs import Run, RunFacts
from wastenot.analyzer.errors import AnalyzerError, DiskFull, MissingSource, NoAccess

BASELINE_SCHEMA = 1
"""Version of the file."""
MOST_BYTES = 256 << 20
KIND = "wastenot baseline"


class BadBaseline(AnalyzerError):
    """A file that is not a baseline, or not one that this version reads."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: not a baseline ({why}); `wastenot compare --save-baseline {path} TRACES` makes one")


def baseline_text(runs: Sequence[Run]) -> str:
    """The file that holds these runs."""
    value = {"kind": KIND, "schema": BASELINE_SCHEMA, "wastenot": version(), "runs": [_run_json(run) for run in runs]}
    return json.dumps(value, indent=1) + "\n"


def seems_baseline(path: Path) -> bool:
    """Whether a file begins as baselines do; `read_baseline` says whether it is one."""
    try:
        with path.open("rb") as file:
            return re.match(rb'\s*{\s*"kind"\s*:\s*"' + KIND.encode() + b'"', file.read(200)) is not None
    except OSError:
        return False


def save_baseline(path: Path, runs: Sequence[Run]) -> None:
    """Write the runs; raises NoAccess or DiskFull."""
    try:
        path.write_text(baseline_text(runs), encoding="utf-8")
    except OSError as e:
        if e.errno == 28:
            raise DiskFull(path) from None
        raise NoAccess(f"{path}: cannot write ({e.strerror}); choose another name") from None


def _run_json(run: Run) -> dict[str, Any]:
    return {**asdict(run.facts), "window_ns": run.window_ns, "online_ns": run.online_ns, "sums": run.sums}


def read_baseline(path: Path) -> list[Run]:
    """The runs of a file; raises BadBaseline for anything else, MissingSource and NoAccess."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadBaseline(path, f"larger than {MOST_BYTES >> 20} MiB")
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingSource(path) from None
    except OSError as e:
        raise NoAccess(f"{path}: cannot read ({e.strerror})") from None
    except (ValueError, RecursionError):
        raise BadBaseline(path, "no JSON") from None
    if not isinstance(value, dict) or value.get("kind") != KIND:
        raise BadBaseline(path, f"it has no kind {KIND!r}")
    if value.get("schema") != BASELINE_SCHEMA:
        raise BadBaseline(path, f"schema {value.get('schema')!r}, this version reads {BASELINE_SCHEMA}")
    runs = value.get("runs")
    if not isinstance(runs, list) or not runs:
        raise BadBaseline(path, "no runs")
    return [_run_of(path, run) for run in runs]


KINDS: dict[str, type | tuple[type, ...]] = {
    "name": str, "source": str, "kernel": (str, type(None)), "model": (str, type(None)), "shape": dict,
    "evidence": dict, "complete": bool, "end_reason": str, "lost_events": int, "unobserved_share": (int, float),
    "lower_bound": bool, "suspect": list, "unverified": list, "thresholds_ns": dict, "checker": str,
    "start_ns": (int, type(None)),
}  # fmt: skip
"""By fact, what JSON must have for it."""


def _run_of(path: Path, raw: object) -> Run:
    if not isinstance(raw, dict):
        raise BadBaseline(path, "a run is not an object")
    facts: dict[str, Any] = {}
    for field in fields(RunFacts):
        facts[field.name] = raw.get(field.name)
        if not isinstance(facts[field.name], KINDS[field.name]):
            raise BadBaseline(path, f"{field.name} of a run is {facts[field.name]!r}")
    sums = raw.get("sums")
    if not isinstance(sums, dict):
        raise BadBaseline(path, "a run without sums")
    numbers = {**sums, **facts["shape"], **facts["thresholds_ns"]}
    numbers |= {name: raw.get(name) for name in ("window_ns", "online_ns")}
    for name, value in numbers.items():
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            raise BadBaseline(path, f"{name} of a run is {value!r}")
    for name in ("evidence", "suspect", "unverified"):
        values = facts[name].values() if isinstance(facts[name], dict) else facts[name]
        if not all(isinstance(value, str) for value in values):
            raise BadBaseline(path, f"{name} of a run is not text")
    return Run(RunFacts(**facts), raw["window_ns"], raw["online_ns"], sums)

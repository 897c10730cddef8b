"""Recordings of the rig, checked anew, and the headers of the scenarios by which they were made."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wastenot.analyzer import CheckOptions, Trace, build, open_trace

from bench.attribution.labels import Label


@contextmanager
def checked(part: Path) -> Iterator[Trace]:
    """The trace that a copy of a recording (T.duckdb.part) becomes: finishing one consumes its folder."""
    with tempfile.TemporaryDirectory(prefix="wastenot-rig-") as folder:
        copy = Path(folder) / "T.duckdb.part"
        shutil.copytree(part, copy)
        build(copy, Path(folder) / "T.duckdb", CheckOptions())
        with open_trace(Path(folder) / "T.duckdb") as trace:
            yield trace


def header(scenario: Path, name: str) -> str | None:
    """A line of the header of a scenario: `# NAME: TEXT`."""
    found = re.search(rf"^# {name}: (.*)$", scenario.read_text(encoding="utf-8"), flags=re.M)
    return found[1] if found else None


def label_of(scenario: Path, kernel: str | None = None) -> Label | None:
    """The right answers by its `Question` (*not_moved_because* without one) and `Answer`; None where it has none.

    `Answer on KERNEL` stands for `Answer` there.
    """
    answers = header(scenario, f"Answer on {kernel}") or header(scenario, "Answer")
    if answers is None:
        return None
    return Label(header(scenario, "Question") or "not_moved_because", tuple(a.strip() for a in answers.split("|")))

"""How long a command takes from the shell to its end: its start, and the smallest work."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from bench.captures import WASTENOT
from bench.compare import TEXT, took
from bench.report import Section
from bench.rounds import Spread, interleaved


def measure(folder: Path, rounds: int) -> list[Section]:
    """Each command after one run that is not counted."""
    source, checked, target = folder / "five.txt", folder / "checked.duckdb", folder / "imported.duckdb"
    source.write_text(TEXT, encoding="utf-8")
    jobs: dict[str, tuple[list[str], int]] = {
        "`--help`": (["--help"], 0),
        "`doctor`": (["doctor"], 0),
        "`check` of a file that does not exist": (["check", str(folder / "absent.duckdb")], 2),
        "`import` of a trace of five lines, with its check": (
            ["import", str(source), "-o", str(target), "--force", "--quiet"],
            0,
        ),
        "`check` of a checked file": (["check", str(checked)], 0),
    }
    took(Path(WASTENOT), ["import", str(source), "-o", str(checked), "--force", "--quiet"], 0)
    runs = {name: partial(took, Path(WASTENOT), *job) for name, job in jobs.items()}
    for run in runs.values():
        run()
    section = Section(
        "Start",
        f"`wastenot` from the shell to its end, {rounds} interleaved rounds after one that is not counted.",
        ["command", "seconds", "range", "CPU, s", "peak memory, MB"],
    )
    for name, times in interleaved(runs, rounds, "start").items():
        wall = Spread.of([t["wall_s"] for t in times])
        section.add(
            name,
            f"{wall.median:.2f}",
            f"{wall.low:.2f} … {wall.high:.2f}",
            f"{Spread.of([t['cpu_s'] for t in times]).median:.2f}",
            f"{Spread.of([t['peak_bytes'] / 1e6 for t in times]).median:.0f}",
        )
    return [section]

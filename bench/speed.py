"""The figures of "How fast" in README.md, from the results that are kept in `bench/results/`.

python -m bench.speed            prints them
python -m bench.speed --write    and writes them to the page
"""

from __future__ import annotations

import argparse
import re

from bench.demo import README
from bench.pages import fill_blocks
from bench.report import RESULTS

SPEED = "speed"
KEPT = RESULTS / "amd-epyc-2cpus.md"
"""The machine whose figures the page shows."""

Row = dict[str, str]


def rows_of(results: str, title: str) -> list[Row]:
    """The rows of a section of kept results, by column; a column that comes twice has a 2 behind it."""
    section = next(part for part in re.split(r"^## ", results, flags=re.M) if part.splitlines()[0] == title)
    table = [line for line in section.splitlines() if line.startswith("|")]
    head, _, *lines = ([cell.strip() for cell in line.strip("|").split("|")] for line in table)
    names = [name if name not in head[:at] else f"{name} 2" for at, name in enumerate(head)]
    return [dict(zip(names, cells, strict=True)) for cells in lines]


def block(results: str) -> str:
    """The tables of the page."""
    return "\n".join([_recording(results), _verdict(results), _check(results), _imports(results)])


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _recording(results: str) -> str:
    rows = []
    for row in rows_of(results, "Recording overhead")[1:]:
        rows.append([row["recorder"], row["added per switch, ns"], row["95 %"], row["bytes per event"], row["lost"]])
    return _table(["recording", "CPU time added per switch, ns", "95 %", "bytes per event", "lost"], rows)


def _verdict(results: str) -> str:
    rows = [
        [row["command"], f"{row['seconds']} s", f"{row['peak memory, MB']} MB"] for row in rows_of(results, "Start")
    ]
    for row in rows_of(results, "Record to verdict"):
        rows.append(
            [f"end of a recording to its verdict, {row['events']} events", f"{row['to the verdict, s']} s",
             f"{row['peak memory, MB']} MB"]
        )  # fmt: skip
    return _table(["until the command has ended", "median", "peak memory"], rows)


def _check(results: str) -> str:
    rows = [
        [row["what"], row["M events/s"], row["M events per CPU second"]]
        for row in rows_of(results, "Check")
        if row["what"].startswith("check, streamed")
    ]
    return _table(["check", "M events/s", "per CPU second"], rows)


def _imports(results: str) -> str:
    by_format: dict[str, dict[str, Row]] = {}
    for row in rows_of(results, "Import"):
        name, program = row["format, program"].split(": ")
        by_format.setdefault(name, {})[program] = row
    rows = []
    for name, programs in by_format.items():
        own = programs.pop("wastenot import")
        others = [f"{other} {row['M events/s']}" for other, row in programs.items()]
        rows.append([f"{name}, {own['events']} events", own["M events/s"], "; ".join(others), own["peak memory, MB"]])
    return _table(["import to a verdict", "M events/s", "reading alone, M events/s", "peak memory, MB"], rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write them to the page")
    options = parser.parse_args()
    printed = block(KEPT.read_text())
    print(printed)
    if options.write:
        README.write_text(fill_blocks(README.read_text(), {SPEED: printed}))


if __name__ == "__main__":
    main()

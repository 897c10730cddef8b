"""Mutate and import: a line per format, status 1 when any import broke the rule. Broken ones are kept."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import wastenot.cli.main  # noqa: F401 - so that forked processes have it already

from .samples import NAMES, ROOT, Exports, maker
from .watched import Ended, Limits, imported, in_child

KEPT = ROOT / ".tools/mutations"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("--count", type=int, default=400, help="files per format (400)")
    parser.add_argument("--first", type=int, default=0, help="number of the first one (0)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", action="append", choices=NAMES, help="only this one; repeatable")
    parser.add_argument("--memory-mb", type=int, default=Limits.memory_mb)
    parser.add_argument("--seconds", type=float, default=Limits.seconds, help="per file, on a CPU or asleep (20)")
    reported = parser.parse_args()
    limits, broken = Limits(reported.seconds, reported.memory_mb), 0
    with tempfile.TemporaryDirectory(prefix="wastenot-mutations-") as place:
        exports = Exports(Path(place) / "exports")
        exports.folder.mkdir()
        in_child(exports.make)
        for format in reported.format or NAMES:
            numbers = range(reported.first, reported.first + reported.count)
            statuses: Counter[str] = Counter()
            slowest, largest, found = 0.0, 0, 0
            for n, ended in mutations(format, reported.seed, numbers, exports, Path(place), limits):
                statuses["signal" if ended.status is None else str(ended.status)] += 1
                slowest, largest = max(slowest, ended.seconds), max(largest, ended.memory_mb)
                if ended.why:
                    found += 1
                    sys.stdout.write(f"mutations: {format} {n}: {ended.why}: {ended.errors.strip()[-300:]}\n")
                    sys.stdout.flush()
            ended_with = ", ".join(f"{k}: {n}" for k, n in sorted(statuses.items()))
            sys.stdout.write(
                f"mutations: {format:<9} {reported.count} files, {found} broken; by exit status {ended_with}; "
                f"at most {slowest:.1f} s, {largest} MB\n"
            )
            sys.stdout.flush()
            broken += found
    return 1 if broken else 0


def mutations(
    format: str, seed: int, numbers: range, exports: Exports, place: Path, limits: Limits
) -> Iterator[tuple[int, Ended]]:
    """Import the mutations of a format with these numbers; broken ones are kept in KEPT."""
    make = maker(format, exports)
    for n in numbers:
        folder = place / f"{format}-{n}"
        folder.mkdir()
        source = make(random.Random(f"{seed}/{format}/{n}"), folder)
        ended = imported(source, folder, limits)
        if ended.why:
            kept = KEPT / f"{format}-{seed}-{n}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept)
            (kept / "errors.txt").write_text(f"{ended.why}\n{ended.errors}")
        shutil.rmtree(folder)
        yield n, ended


if __name__ == "__main__":
    sys.exit(main())

"""Live OpenMP and Open MPI programs: what `wastenot balance` and `advise` say beside what the programs measure.

    python -m bench.parallel [PART]... [--repetitions N] [--keep]
    python -m bench.parallel --write
    python -m bench.parallel --record OUT.part

Parts: `utilization` (3 repetitions), `daemon` (5), `advice` (5); all without a PART. Needs root, eBPF, two CPUs and a
C compiler; programs whose compiler or library is missing are left out, with a line. Nothing else should run on the
machine. `--keep` writes results/parallel.md, `--write` the tables of docs/guide/balance.md from it. `--record` makes
the recording that the guide shows (Open MPI). What a recorded call costs: `python -m bench.run --only calls`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.pages import fill_blocks
from bench.parallel import advice, daemon, recording, utilization
from bench.parallel.programs import BUILDS, CPUS, NotInstalled, build
from bench.report import RESULTS, Section, keep, provenance

PARTS: dict[str, tuple[Callable[[dict[str, Path], Path, int], Section], int]] = {
    "utilization": (utilization.measure, 3),
    "daemon": (daemon.measure, 5),
    "advice": (advice.measure, 5),
}
"""What measures each, and how often by default."""
KEPT = RESULTS / "parallel.md"
GUIDE = Path(__file__).parents[2] / "docs/guide/balance.md"


def programs(folder: Path) -> dict[str, Path]:
    """The programs that can be built here, by runtime; a line on stderr for each other."""
    built = {}
    for runtime in BUILDS:
        own = folder / runtime.replace(" ", "-").lower()
        own.mkdir()
        try:
            built[runtime] = build(runtime, own)
        except NotInstalled as e:
            print(f"SKIPPED bench: {e}", file=sys.stderr)
    return built


def page_blocks(kept: str) -> dict[str, str]:
    """The tables of the guide by the names of their blocks, from a kept result."""
    titles = {
        utilization.section({}, 0).title: "utilization",
        daemon.section({}, 0).title: "daemon",
        advice.section({}, 0).title: "advice",
    }
    found = {}
    for part in kept.split("\n## ")[1:]:
        title, _, text = part.partition("\n")
        if title in titles:
            table = [line for line in text.splitlines() if line.startswith("|")]
            found[titles[title]] = "\n".join(table) + "\n"
    return found


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.parallel", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--repetitions", type=int, help="of each part")
    parser.add_argument("--keep", action="store_true", help="write bench/results/parallel.md")
    parser.add_argument("--write", action="store_true", help="write the kept tables to docs/guide/balance.md; alone")
    parser.add_argument(
        "--record", type=Path, metavar="OUT.part", help="make the recording that the guide shows; alone"
    )
    given = parser.parse_args()
    if given.write:
        GUIDE.write_text(fill_blocks(GUIDE.read_text(), page_blocks(KEPT.read_text())))
        return 0
    if len(CPUS) < 2:
        print("bench: ranks need two CPUs", file=sys.stderr)
        return 2
    command = " ".join(["python -m bench.parallel", *sys.argv[1:]])
    with tempfile.TemporaryDirectory(prefix="wastenot-parallel-") as folder:
        if given.record:
            recording.record_part(build("Open MPI", Path(folder), "mpi-ranks"), given.record.absolute())
            return 0
        built = programs(Path(folder))
        for name in given.parts or PARTS:
            measure, repetitions = PARTS[name]
            section = measure(built, Path(folder), given.repetitions or repetitions)
            print(section.markdown(provenance(command)), flush=True)
            if given.keep:
                print(f"kept in {keep([section], command, KEPT.name)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Output that pages show, from shipped recordings: the demo in README.md, docs/guide/verdict.md, docs/guide/cgroups.md,
docs/guide/deadlines.md, docs/guide/balance.md.

python -m bench.demo            prints them
python -m bench.demo --write    and writes them to the pages
python -m bench.demo --check    and fails when a page shows something else
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.pages import differences, fill_blocks

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
GUIDE = ROOT / "docs/guide/verdict.md"
SHIPPED = ROOT / "fixtures/traces/rig/hobbled-interval-6.12-8.part"
"""The recording that `scripts/demo` shows where it may not record."""
THROTTLED = ROOT / "fixtures/traces/rig/throttled-7.2-8.part"
"""The recording of docs/guide/cgroups.md."""
CGROUPS_GUIDE = ROOT / "docs/guide/cgroups.md"
DEADLINES_RECORDING = ROOT / "fixtures/traces/deadlines.part"
"""The recording of docs/guide/deadlines.md."""
DEADLINES_GUIDE = ROOT / "docs/guide/deadlines.md"
BALANCE_RECORDING = ROOT / "fixtures/traces/mpi.part"
"""The recording of docs/guide/balance.md."""
BALANCE_GUIDE = ROOT / "docs/guide/balance.md"
BALANCE_COMMANDS = ("check", "balance", "advise")
"""What that page shows of it: the blocks have the commands' names."""
DEMO = "demo"
VERDICT = "verdict"
CGROUPS = "cgroups"
DEADLINES = "deadlines"


def demo_output() -> str:
    """What `make demo` prints where it may not record: the verdict, and the line about the report."""
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        verdict = _imported(folder, "out/demo.duckdb")
        return verdict + _run(folder, "report", "out/demo.duckdb", "-o", "out/demo.html").stderr


def verdict_output() -> str:
    """The verdict of the recording as `T.duckdb`."""
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        return _imported(folder, "T.duckdb")


def cgroups_output() -> str:
    """The cgroups of the other recording as `T.duckdb`."""
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        _imported(folder, "T.duckdb", THROTTLED)
        return _run(folder, "top", "T.duckdb", "--by", "cgroup", "-n", "6").stdout


def deadlines_output() -> str:
    """The deadlines of a third recording as `T.duckdb`."""
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        _imported(folder, "T.duckdb", DEADLINES_RECORDING)
        return _run(folder, "deadlines", "T.duckdb").stdout


def balance_outputs() -> dict[str, str]:
    """What these commands print of the recording of Open MPI as `T.duckdb`."""
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        _imported(folder, "T.duckdb", BALANCE_RECORDING)
        return {command: _run(folder, command, "T.duckdb").stdout for command in BALANCE_COMMANDS}


def _imported(folder: str, target: str, recording: Path = SHIPPED) -> str:
    """What the import of a recording prints; `target` is in the folder."""
    # Building a trace removes the recording, so that it is of a copy.
    shutil.copytree(recording, Path(folder) / recording.name)
    (Path(folder) / target).parent.mkdir(exist_ok=True)
    return _run(folder, "import", recording.name, "-o", target).stdout


def _run(folder: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wastenot.cli", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=600)


def page_blocks() -> dict[Path, dict[str, str]]:
    """By page, the block that it has: the output as code."""
    return {
        README: {DEMO: f"```\n{demo_output()}```\n"},
        GUIDE: {VERDICT: f"```\n{verdict_output()}```\n"},
        CGROUPS_GUIDE: {CGROUPS: f"```\n{cgroups_output()}```\n"},
        DEADLINES_GUIDE: {DEADLINES: f"```\n{deadlines_output()}```\n"},
        BALANCE_GUIDE: {command: f"```\n{output}```\n" for command, output in balance_outputs().items()},
    }


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="write them to the pages")
    mode.add_argument("--check", action="store_true", help="compare with the pages")
    options = parser.parse_args()
    wrong = []
    for page, bodies in page_blocks().items():
        print(*bodies.values())
        if options.write:
            page.write_text(fill_blocks(page.read_text(), bodies))
        wrong += differences(page.read_text(), bodies, page.name) if options.check else []
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())

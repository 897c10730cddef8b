"""The output of the demo in README.md, from the recording that is shipped.

python -m bench.demo            prints it
python -m bench.demo --write    and writes it to README.md
python -m bench.demo --check    and fails when README.md shows something else
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.pages import differences, filled

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "README.md"
SHIPPED = ROOT / "fixtures/traces/two-cpus.part"
NAME = "demo"


def printed() -> str:
    """What `make demo` prints where it may not record: the verdict, and the line about the report."""
    with tempfile.TemporaryDirectory(prefix="wastenot-bench-") as folder:
        # Building a trace removes the recording, so that it is of a copy.
        shutil.copytree(SHIPPED, Path(folder) / SHIPPED.name)
        (Path(folder) / "out").mkdir()
        verdict = _run(folder, "import", SHIPPED.name, "-o", "out/demo.duckdb").stdout
        return verdict + _run(folder, "report", "out/demo.duckdb", "-o", "out/demo.html").stderr


def _run(folder: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wastenot.cli", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=600)


def block() -> str:
    """The output as the page has it: a block of code."""
    return f"```\n{printed()}```\n"


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="write it to README.md")
    mode.add_argument("--check", action="store_true", help="compare with README.md")
    options = parser.parse_args()
    body = block()
    print(body)
    if options.write:
        PAGE.write_text(filled(PAGE.read_text(), {NAME: body}))
    wrong = differences(PAGE.read_text(), {NAME: body}, PAGE.name) if options.check else []
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())

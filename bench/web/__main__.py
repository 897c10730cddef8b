"""`python -m bench.web FOLDER EVENTS…`: the tables, printed and kept in `results/web.md`.

Traces in the folder are used again.
"""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path

from bench import report, web


def main(arguments: list[str]) -> int:
    """Command line; returns the exit status."""
    sections = web.measure(Path(arguments[0]), tuple(int(a) for a in arguments[1:]))
    for section in sections:
        print(section.markdown())
    revision = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    command = "python -m bench.web FOLDER " + " ".join(arguments[1:])
    report.keep(sections, command, revision or "unknown", f"{datetime.date.today():%Y-%m-%d}", "web.md")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""`python -m bench.web FOLDER EVENTS…`: the tables, printed and kept in `results/web.md`.

`python -m bench.web FOLDER frames EVENTS…` measures the page's frames alone, `windows` instead of `frames` windows of
traces without tables.

Traces in the folder are used again.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench import report, web
from bench.web.traces import build, named
from bench.web.windows import windows


def main(arguments: list[str]) -> int:
    """Command line; returns the exit status."""
    if arguments[1] in ("frames", "windows"):
        folder, events = Path(arguments[0]), [int(a) for a in arguments[2:]]
        if arguments[1] == "frames":
            section = web.frames([named(folder, n) for n in events])
        else:
            section = windows([build(folder, n) for n in events])
        print(section.markdown())
        report.keep([section], "python -m bench.web FOLDER " + " ".join(arguments[1:]), "web.md")
        return 0
    command = "python -m bench.web FOLDER " + " ".join(arguments[1:])
    for section in web.measure(Path(arguments[0]), tuple(int(a) for a in arguments[1:])):
        print(section.markdown(), flush=True)
        report.keep([section], command, "web.md")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

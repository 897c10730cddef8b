"""Write the interface as OpenAPI: `python -m wastenot.web.openapi FILE`; `--check FILE` says whether it is current.

The user interface's types are generated from that file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from wastenot.web.app import openapi


def text() -> str:
    """The document, keys sorted."""
    return json.dumps(openapi(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Command line; returns the exit status."""
    check = arguments[:1] == ["--check"]
    file = Path(arguments[-1]) if arguments and arguments[-1] != "--check" else Path("web/server/openapi.json")
    if not check:
        file.write_text(text(), encoding="utf-8")
        return 0
    if file.is_file() and file.read_text(encoding="utf-8") == text():
        return 0
    print(f"{file}: stale; run `make generate`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

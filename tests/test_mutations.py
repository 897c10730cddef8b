"""Damaged traces of every format: an import ends with status 0 or with 2 and one line, in bounds, and leaves nothing.

Five of each format, `make matrix` takes 200; `make mutations` imports 400.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from samples import ALL

ROOT = Path(__file__).resolve().parents[1]
FORMATS = ("text", "trace.dat", "perf", "perfetto", "ctf", "parquet")
COUNT = "200" if ALL else "5"


@pytest.mark.parametrize("format", FORMATS)
def test_an_import_of_a_damaged_trace_ends_well(format: str) -> None:
    command = [sys.executable, "-m", "tests.mutations", "--count", COUNT, "--seed", "7", "--format", format]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"mutations: {format:<9} {COUNT} files, 0 broken" in done.stdout


def test_the_harness_notices_what_it_is_for(tmp_path: Path) -> None:
    script = """
import os, sys, time
import wastenot.cli.main as cli
from pathlib import Path
from tests.mutations.watched import Limits, imported

def memory(_): x = bytearray(300 << 20); x[::4096] = b"x" * len(x[::4096]); time.sleep(1); return 0
def hang(_):
    while True: pass
def left(_): Path("out.duckdb").write_text(""); Path(".out.tmp").write_text(""); return 0
def raised(_): sys.stderr.write("Traceback (most recent call last):\\n"); return 2
def status(_): return 3
def killed(_): os.abort()
def nothing(_): return 0
def words(_): sys.stderr.write("wastenot: one\\nwastenot: two\\n"); sys.stderr.flush(); return 2

for n, main in enumerate((memory, hang, left, raised, status, killed, nothing, words)):
    cli.main = main
    folder = Path(sys.argv[1]) / str(n)
    folder.mkdir()
    print(imported(folder, folder, Limits(seconds=2, memory_mb=200)).why)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    memory, hang, left, raised, status, killed, nothing, words = done.stdout.splitlines()
    assert memory.endswith("MB of memory")
    assert hang in ("2 s", "3 s")
    assert left == "left .out.tmp, out.duckdb"
    assert (raised, status, killed) == ("Traceback on standard error", "exit status 3", "ended by SIGABRT")
    assert (nothing, words) == ("left no trace", "2 lines on standard error")

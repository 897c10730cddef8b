"""The script of docs/guide/gate.md, as it stands there: it makes a baseline, and then compares with it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from wastenot._native import collector

PAGE = Path(__file__).parents[2] / "docs/guide/gate.md"
pytestmark = pytest.mark.skipif(
    json.loads(collector.doctor())["source"] == "none", reason="`wastenot doctor`: no recording here"
)


def test_the_script_of_the_guide_makes_a_baseline_and_compares_with_it(tmp_path: Path) -> None:
    block = re.search(r"^```sh\n(#!/bin/sh\n.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert block is not None, "the page has a script"
    script = tmp_path / "gate.sh"
    script.write_text(block[1])
    script.chmod(0o755)
    bin_folder = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}

    def gate() -> subprocess.CompletedProcess[str]:
        command = [str(script), "base.json", "4", "wastenot", "provoke", "busy", "--seconds", "0.2", "-q"]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    first = gate()
    assert (first.returncode, first.stderr) == (0, "wrote base.json (4 runs)\n"), first
    second = gate()
    assert second.returncode in (0, 1), second
    assert "4 + 4 runs" in second.stdout
    assert (second.returncode == 1) == second.stderr.startswith("wastenot: failed: ")
    assert [p.name for p in tmp_path.iterdir() if p.is_dir()] == [], "the traces are removed"

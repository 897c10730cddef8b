"""A test that cannot run is listed, and fails where skips are forbidden."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CANNOT_RUN = """
import pytest

def test_by_hand():
    pytest.skip("no moon")

@pytest.mark.skipif(True, reason="no sun")
def test_by_mark():
    pass

def test_that_runs():
    pass
"""


@pytest.mark.parametrize(("require_live", "status"), [("0", 0), ("1", 1)])
def test_a_skip_is_listed_and_fails_where_skips_are_forbidden(tmp_path: Path, require_live: str, status: int) -> None:
    (tmp_path / "test_it.py").write_text(CANNOT_RUN)
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    listed = tmp_path / "skips"
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)],
        env={**os.environ, "WASTENOT_SKIPS": str(listed), "WASTENOT_REQUIRE_LIVE": require_live},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == status, ran.stdout
    lines = listed.read_text().splitlines()
    assert [line.rsplit(": ", 1)[1] for line in lines] == ["no moon", "no sun"]
    assert all(line.startswith("SKIPPED [1] ") for line in lines)
    assert ("1 failed, 1 passed, 1 error" if require_live == "1" else "1 passed, 2 skipped") in ran.stdout


def test_the_list_is_what_the_test_target_prints() -> None:
    script = (ROOT / "scripts/test").read_text()
    assert 'export WASTENOT_SKIPS="$PWD/$logs/skips"' in script
    assert 'cat "$WASTENOT_SKIPS"' in script


def test_no_rust_test_prints_its_skip_where_cargo_swallows_it() -> None:
    folders = ("checker", "collector", "online", "provoke", "replay", "schemas", "topology")
    of_rust = [p for folder in folders for p in (ROOT / folder).rglob("*.rs")]
    assert len(of_rust) > 100
    assert [str(p.relative_to(ROOT)) for p in of_rust if 'println!("SKIPPED' in p.read_text()] == []

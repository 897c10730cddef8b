"""tests/slow.txt names tests that exist: a line of a test that was renamed would leave nothing out."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_line_names_a_test() -> None:
    lines = (ROOT / "tests/slow.txt").read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines)) and lines
    for line in lines:
        file, _, test = line.partition("::")
        function = test.partition("[")[0].rpartition("::")[2]
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), line

"""The interface as it is written down."""

from __future__ import annotations

from pathlib import Path

from wastenot.web.openapi import main, text

FILE = Path(__file__).resolve().parents[1] / "openapi.json"


def test_the_checked_in_interface_is_the_present_one() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "stale: run `make generate`"


def test_the_generator_writes_and_checks(tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    assert main(["--check", str(file)]) == 1
    assert main([str(file)]) == 0
    assert main(["--check", str(file)]) == 0

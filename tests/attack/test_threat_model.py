"""Every line of the threat model names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/threat-model.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| ([FSQRW]\d+)\. .*\| (.*) \|$", PAGE, re.MULTILINE)


def test_the_lines_of_each_section_are_numbered_without_a_gap() -> None:
    for section in "FSQRW":
        numbers = [int(name[1:]) for name, _ in LINES if name[0] == section]
        assert numbers == list(range(1, len(numbers) + 1)) and numbers, section
    assert len(LINES) == len(re.findall(r"^\| [A-Z]\d+\.", PAGE, re.MULTILINE))


def test_every_line_names_tests_that_exist() -> None:
    for name, cell in LINES:
        tests = re.findall(r"`([\w/]+\.py)::(\w+)`", cell)
        assert tests, f"{name} names no test"
        for file, function in tests:
            text = (ROOT / file).read_text(encoding="utf-8")
            assert re.search(rf"^def {function}\(", text, re.MULTILINE), f"{name}: {file}::{function} is gone"


def test_the_page_for_reports_leads_to_it() -> None:
    assert "docs/threat-model.md" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")

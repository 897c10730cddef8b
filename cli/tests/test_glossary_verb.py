"""`wastenot glossary`: the page of the documentation in the terminal, also where only the wheel is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot.cli.glossary import glossary, without_markup

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/glossary.md"

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_every_term_is_listed_under_its_group_without_markup(run: Run) -> None:
    lines = run("glossary").stdout.splitlines()
    assert len(glossary()) > 120
    assert [t.name for t in glossary() if not any(line.startswith(t.name[:18]) for line in lines)] == []
    assert {t.group for t in glossary()} <= set(lines)
    assert not [line for line in lines if "](" in line or "`" in line or len(line) > 80]


def test_a_term_is_found_by_a_part_of_its_name_however_it_is_spelled(run: Run) -> None:
    assert run("glossary", "idle while waiting").stdout == run("glossary", "idle_while_waiting").stdout
    text = " ".join(run("glossary", "idle_while").stdout.split())
    assert text.startswith("Waste idle_while_waiting The smaller of the number of idle CPUs")


def test_what_is_not_a_term_is_refused_in_one_line(fails: Callable[..., str]) -> None:
    assert fails("glossary", "nosuch") == "wastenot: nosuch: not a term; `wastenot glossary` lists all\n"


def test_links_become_their_texts_and_those_to_other_lists_are_left_out() -> None:
    assert without_markup("A `move`. [All paths](tables.md#path)") == "A move"
    assert without_markup("see [rules](causes/README.md), a\\|b") == "see rules, a|b"


def test_the_wheel_holds_the_page(tmp_path: Path) -> None:
    uv = shutil.which("uv", path=str(ROOT / ".tools/bin")) or shutil.which("uv")
    if uv is None:
        pytest.skip("uv, which builds wheels, is not installed")
    build = [uv, "build", "--quiet", "--wheel", "--package", "wastenot", "--python", sys.executable]
    subprocess.run([*build, "--out-dir", str(tmp_path)], cwd=ROOT, check=True, timeout=300)
    (wheel,) = tmp_path.glob("wastenot-*.whl")
    with zipfile.ZipFile(wheel) as files:
        assert files.read("wastenot/cli/glossary.md") == PAGE.read_bytes()

"""Bubbles as a user lists them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot.analyzer.building import build_drawn

from .conftest import OVERLOADED, one_line

Run = Callable[..., subprocess.CompletedProcess[str]]

DECLARED = (
    OVERLOADED
    + """
251ms bubble init b1 named team
251ms bubble insert_thread t100 to b1
251ms bubble insert_thread t101 to b1
251ms bubble priority b1 = 7
252ms bubble wake b1
253ms bubble burst b1
254ms bubble burst b1
"""
)


@pytest.fixture
def declared(tmp_path: Path) -> Path:
    """The trace with a bubble of two of its threads, which is told to burst twice."""
    path = tmp_path / "D.duckdb"
    build_drawn(DECLARED, path)
    return path


def test_a_declared_bubble_is_listed_with_its_threads(run: Run, declared: Path) -> None:
    lines = run("top", "D.duckdb", "--by", "bubble").stdout.splitlines()
    assert lines[0].split()[:5] == ["bubble", "pr", "%cpu", "s", "cpu"]
    assert lines[1].split()[:5] == ["team", "7", "32.7", "R", "×2"], "98 of 300 ms: since it was made"
    assert [line.split()[0] for line in lines[2:]] == ["burn", "burn"]
    assert lines[1].rstrip().endswith("machine, burst")


def test_without_declared_bubbles_the_natural_tree_is_listed(run: Run, trace: Path) -> None:
    lines = run("top", "T.duckdb", "--by", "bubble").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["machine", "burn", "burn", "pinned"]
    found = json.loads(run("top", "T.duckdb", "--by", "bubble", "--json", "-n", "1").stdout)
    assert [(b["name"], b["kind"], b["threads"]) for b in found] == [("machine", "machine", 3)]
    assert "nothing was declared" in run("top", "T.duckdb", "--by", "bubble", "--bubbles", "declared").stdout


def test_check_prints_the_tree_that_is_asked_for_below_the_verdict(run: Run, declared: Path) -> None:
    result = run("check", "D.duckdb", "--bubbles", "declared")
    assert "1 event of bubbles that cannot be so, repaired: burst_twice 1" in " ".join(result.stdout.split())
    assert "machine, burst" in result.stdout
    found = json.loads(run("check", "D.duckdb", "--bubbles", "creation", "--json").stdout)
    assert (found["bubbles"]["tree"], found["bubbles"]["rows"][0]["name"]) == ("creation", "machine")
    assert found["trust"]["bubbles"] == {"burst_twice": 1}
    assert "bubbles" not in json.loads(run("check", "D.duckdb", "--json").stdout)


def test_a_tree_that_is_none_is_refused_in_one_line(run: Run, declared: Path) -> None:
    assert "declared, natural, creation" in one_line(run("top", "D.duckdb", "--by", "bubble", "--bubbles", "family"))
    assert "declared, natural, creation" in one_line(run("check", "D.duckdb", "--bubbles", "family"))
    assert "--by bubble" in one_line(run("top", "D.duckdb", "--bubbles", "natural"))

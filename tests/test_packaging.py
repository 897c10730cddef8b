"""What packaging/ says agrees with the program and the unit.

What is made of it is checked by `make deb-check systemd-check chart-check`.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest
from wastenot.cli.main import app
from wastenot.watch.conditions import parse_watch_condition
from wastenot.watch.http.address import parse_address
from wastenot.watch.options import parse_bytes, parse_length
from wastenot.watch.rate_limit import RateLimit

ROOT = Path(__file__).parents[1]
SCRIPTS = [*sorted((ROOT / "scripts").glob("*-check")), *sorted((ROOT / "scripts").glob("deb*"))]
DEBIAN = ROOT / "packaging/debian"
UNIT = ROOT / "watch/systemd/wastenot-watch.service"
MANIFEST = ROOT / "packaging/kubernetes/daemonset.yaml"
VALUES = ROOT / "packaging/kubernetes/chart/values.yaml"


def watch_arguments() -> list[str]:
    """The arguments of the container, from the manifest."""
    block = re.search(r"^ +args:\n((?: +- .+\n)+)", MANIFEST.read_text(encoding="utf-8"), re.MULTILINE)
    assert block is not None
    return [shlex.split(line)[1] for line in block[1].splitlines()]


def capabilities_of_the_unit(key: str) -> set[str]:
    line = re.search(rf"^{key}=(.+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert line is not None
    return set(line[1].split())


@pytest.mark.parametrize("name", ["wastenot.postinst", "wastenot.prerm", "wastenot.postrm"])
def test_a_maintainer_script_is_valid_stops_at_errors_and_has_the_place_of_debhelper(name: str) -> None:
    subprocess.run(["sh", "-n", DEBIAN / name], check=True)
    lines = (DEBIAN / name).read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["#!/bin/sh", "set -e"] and "#DEBHELPER#" in lines


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_packaging_script_is_valid(path: Path) -> None:
    if path.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n"):
        subprocess.run(["bash", "-n", path], check=True)
    else:
        compile(path.read_text(encoding="utf-8"), path, "exec")


def test_the_control_file_has_the_fields_that_debian_requires() -> None:
    source, binary = (DEBIAN / "control").read_text(encoding="utf-8").split("\n\n")
    assert {"Source", "Maintainer", "Standards-Version"} <= set(re.findall(r"^(\S+):", source, re.MULTILINE))
    assert {"Package", "Architecture", "Description", "Depends"} <= set(re.findall(r"^(\S+):", binary, re.MULTILINE))


def test_the_unit_that_the_package_installs_runs_the_command_that_it_installs() -> None:
    script = (ROOT / "scripts/deb").read_text(encoding="utf-8")
    assert f"unit={UNIT.relative_to(ROOT)}\n" in script
    assert "ExecStart=/usr/bin/wastenot watch" in UNIT.read_text(encoding="utf-8")
    assert '>"$tree/usr/bin/wastenot"' in script


def test_the_removal_stops_the_unit_and_the_purge_deletes_its_folders() -> None:
    assert f"deb-systemd-invoke stop {UNIT.name}" in (DEBIAN / "wastenot.prerm").read_text(encoding="utf-8")
    state = re.search(r"^StateDirectory=(\S+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert state is not None
    purged = (DEBIAN / "wastenot.postrm").read_text(encoding="utf-8")
    assert f"rm -rf /var/lib/{state[1]} /var/lib/private/{state[1]}\n" in purged


def test_the_container_is_called_with_options_that_the_watch_has() -> None:
    given = app.commands["watch"].make_context("watch", watch_arguments()).params
    assert given["out"] == Path("/var/lib/wastenot")
    assert parse_length(given["keep"], "--keep") > 0 and parse_length(given["after"], "--after", 0) >= 0
    assert parse_bytes(given["max_disk"], "--max-disk") > 0
    assert [parse_watch_condition(text, 10**10) for text in given["on"]]
    assert RateLimit.parse(given["rate_limit"])


def test_metrics_that_other_machines_reach_require_a_token() -> None:
    given = app.commands["watch"].make_context("watch", watch_arguments()).params
    assert not parse_address(given["metrics"]).is_local
    assert given["metrics_token"] is not None


def test_the_container_has_the_capabilities_of_the_unit() -> None:
    listed = re.search(r"^  capabilities: \[(.+)\]$", VALUES.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed is not None
    assert {f"CAP_{name}" for name in listed[1].split(", ")} == capabilities_of_the_unit("CapabilityBoundingSet")
    assert capabilities_of_the_unit("AmbientCapabilities") == capabilities_of_the_unit("CapabilityBoundingSet")


def test_the_rendered_manifest_is_of_this_version() -> None:
    text = MANIFEST.read_text(encoding="utf-8")
    found = re.findall(r"wastenot-watch:(\S+)\"|app\.kubernetes\.io/version: \"(\S+)\"", text)
    assert found and {v for pair in found for v in pair if v} == {version("wastenot")}

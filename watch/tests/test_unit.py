"""The systemd unit: systemd accepts it, it is exposed as little as may be, and the watch runs with its capabilities."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from drawn import ROOT
from wastenot.cli.main import app

UNIT = ROOT / "watch/systemd/wastenot-watch.service"


def values(key: str) -> list[str]:
    return re.findall(rf"(?m)^{key}=(.*)$", UNIT.read_text())


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze") or pytest.skip("systemd-analyze is not installed (package systemd)")
    return subprocess.run([program, *words], capture_output=True, text=True)


def test_systemd_finds_no_error_in_the_unit(tmp_path: Path) -> None:
    """The command and its manual page belong to the package; here another program takes the command's place."""
    unit = tmp_path / UNIT.name
    text = re.sub(r"(?m)^Documentation=.*\n", "", UNIT.read_text())
    unit.write_text(text.replace("/usr/bin/wastenot", "/bin/true"))
    ran = analyze("verify", str(unit))
    assert (ran.returncode, ran.stderr) == (0, "")
    unit.write_text(text.replace("/usr/bin/wastenot", "/bin/true").replace("ProtectHome=yes", "ProtectHme=yes"))
    assert "ProtectHme" in analyze("verify", str(unit)).stderr, "an unknown setting is found"


def test_the_exposure_of_the_service_is_at_most_three() -> None:
    ran = analyze("security", "--offline=yes", "--threshold=30", str(UNIT))
    level = re.search(r"Overall exposure level for wastenot-watch.service: ([\d.]+)", ran.stdout)
    assert level and float(level[1]) <= 3.0 and ran.returncode == 0, ran.stdout


def test_the_command_of_the_unit_is_one_that_the_program_takes() -> None:
    (command,) = values("ExecStart")
    program, verb, *words = shlex.split(command)
    assert (program, verb) == ("/usr/bin/wastenot", "watch")
    app.commands["watch"].make_context("watch", words)


def test_the_service_has_three_capabilities() -> None:
    assert values("AmbientCapabilities") == values("CapabilityBoundingSet") == ["CAP_BPF CAP_PERFMON CAP_SYSLOG"]

"""What shells are offered to complete the command line, and where completion is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from wastenot.cli import completion
from wastenot.cli.main import main

TYPED = [
    ("che", {"plain,check"}),
    ("check --fa", {"plain,--fail-on"}),
    ("record --so", {"plain,--source"}),
    ("check T", {"file,T"}),
    ("simulate scen", {"file,scen"}),
]


@pytest.mark.parametrize(("typed", "offered"), TYPED)
def test_bash_is_offered_verbs_options_and_files(typed: str, offered: set[str]) -> None:
    words = f"wastenot {typed}"
    asked = {"_WASTENOT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    run = subprocess.run(
        [sys.executable, "-m", "wastenot.cli"], env=os.environ | asked, capture_output=True, text=True, check=True
    )
    assert set(run.stdout.split()) == offered


FILES = {
    "bash": {".bash_completions/wastenot.sh", ".bashrc"},
    "zsh": {".zfunc/_wastenot", ".zshrc"},
    "fish": {".config/fish/completions/wastenot.fish"},
}


@pytest.mark.parametrize("shell", FILES)
def test_completion_is_installed_once_and_nothing_else_is_changed(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(completion, "_shell", lambda: shell)
    rc = next((tmp_path / name for name in FILES[shell] if name.endswith("rc")), None)
    if rc is not None:
        rc.write_text("own line\n")
    assert main(["--show-completion"]) == 0
    shown = capfd.readouterr().out
    assert "_WASTENOT_COMPLETE" in shown
    assert main(["--install-completion"]) == 0
    assert f"{shell} completion installed in {tmp_path}" in capfd.readouterr().out
    written = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert written.keys() == FILES[shell]
    assert shown.strip() in {text.strip() for text in written.values()}
    assert rc is None or rc.read_text().startswith("own line\n\n")
    assert main(["--install-completion"]) == 0
    assert {name: (tmp_path / name).read_text() for name in written} == written


def test_a_shell_without_completion_is_refused(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(completion, "_shell", lambda: "tcsh")
    assert main(["--show-completion"]) == 1
    assert capfd.readouterr() == ("", "Shell tcsh not supported.\n")

"""One version: all packages have that of Cargo.toml, and `scripts/version` sets it in all of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

from wastenot import _native

ROOT = Path(__file__).parents[1]


def script(root: Path) -> ModuleType:
    """`scripts/version` of a repository as a module."""
    loader = SourceFileLoader("version_script", str(root / "scripts/version"))
    spec = spec_from_loader("version_script", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_all_packages_have_the_version_of_the_workspace() -> None:
    versions = script(ROOT).versions()
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    assert len(versions) >= 12
    assert set(versions.values()) == {manifest["workspace"]["package"]["version"]}, versions


def test_what_is_installed_has_that_version() -> None:
    expected = script(ROOT).versions()["Cargo.toml"]
    assert {version("wastenot"), version("wastenot-native"), _native.version()} == {expected}


def test_the_script_sets_the_version_of_all_packages(tmp_path: Path) -> None:
    for name in [*script(ROOT).versions(), "scripts/version"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    subprocess.run([sys.executable, tmp_path / "scripts/version", "7.8.9"], check=True)
    assert set(script(tmp_path).versions().values()) == {"7.8.9"}
    refused = subprocess.run([sys.executable, tmp_path / "scripts/version", "seven"], capture_output=True, check=False)
    assert refused.returncode == 2

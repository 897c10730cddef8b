"""Scenarios: those that are shipped, and files of users."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from wastenot import _native
from wastenot._native import WastenotError
from wastenot.replay.rt_app import scenario_of_rt_app

LARGEST = 4 << 20
"""Bytes of a scenario's file, at most."""


@dataclass(frozen=True)
class Scenario:
    """A scenario: `text` is its TOML, the other fields are read from it."""

    name: str
    text: str
    about: str
    expect: str
    machine: str
    release: str
    faults: tuple[str, ...]
    provokes: str | None


def folder() -> Path:
    """Where the shipped scenarios are: beside this module, or in the checkout."""
    packaged = Path(__file__).parent / "scenarios"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "scenarios"


def shipped() -> list[Scenario]:
    """The scenarios that are shipped, by name."""
    return [read(path) for path in sorted(folder().glob("*.toml"))]


def find(name: str) -> Scenario:
    """A shipped scenario by its name, or the one of a file (TOML, or JSON of rt-app). Raises WastenotError."""
    known = {path.stem: path for path in sorted(folder().glob("*.toml"))}
    if name in known:
        return read(known[name])
    path = Path(name)
    if path.suffix in (".toml", ".json") or "/" in name or path.is_file():
        return read(path)
    raise WastenotError(f"{name}: neither a scenario nor a file; scenarios: {' '.join(known)}")


def read(path: Path) -> Scenario:
    """The scenario of a file. Raises WastenotError that names the file and the line at fault."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as e:
        raise WastenotError(f"{path}: {e.strerror}") from None
    if len(content) > LARGEST:
        raise WastenotError(f"{path}: larger than {LARGEST >> 20} MiB: not a scenario")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as e:
        raise WastenotError(f"{path}: not a text (byte {e.start})") from None
    try:
        if path.suffix == ".json":
            text = scenario_of_rt_app(text, path.stem)
        return parse(text, path.stem)
    except WastenotError as e:
        raise WastenotError(f"{path}: {e}") from None


def parse(text: str, name: str) -> Scenario:
    """The scenario of a TOML text. Raises WastenotError that names the line at fault."""
    fields = json.loads(_native.replay.scenario(text))
    return Scenario(
        name, text, fields["about"], fields["expect"], fields["machine"], fields["release"], tuple(fields["faults"]),
        fields["provokes"],
    )  # fmt: skip

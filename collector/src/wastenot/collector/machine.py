"""Descriptions of machines, as JSON that `machine.json` and `wastenot import --machine` hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wastenot import _native


def machine_snapshot(root: str | Path = "/") -> dict[str, Any]:
    """The machine whose /sys and /proc lie under `root`: this one, or a dump. Raises WastenotError."""
    found: dict[str, Any] = json.loads(_native.collector.machine_snapshot(root))
    return found


def hwloc_to_machine(xml: str) -> dict[str, Any]:
    """The machine that the text of an hwloc XML file describes. Raises WastenotError."""
    found: dict[str, Any] = json.loads(_native.collector.hwloc_to_machine(xml))
    return found


def machine_to_hwloc(machine: dict[str, Any]) -> str:
    """A machine as the text of an hwloc XML file. Raises WastenotError."""
    return _native.collector.machine_to_hwloc(json.dumps(machine))

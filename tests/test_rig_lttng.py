"""The capture of the guest rig on 5.10 (fixtures/rig), by LTTng: eight busy processes pinned to CPUs 0 and 1 of eight.

LTTng records no masks: what the processes may use is not known until it is declared.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CAPTURE = Path(__file__).parents[1] / "fixtures/traces/rig/pinned-5.10-8.lttng"


def verdict(folder: Path, *options: str) -> tuple[dict[str, Any], str]:
    """The verdict of the capture as imported, and what the import printed."""
    trace = folder / "T.duckdb"
    run = [sys.executable, "-m", "wastenot.cli"]
    imported = subprocess.run(
        [*run, "import", str(CAPTURE), "-o", str(trace), *options], capture_output=True, text=True, check=True
    )
    checked = subprocess.run([*run, "check", str(trace), "--json"], capture_output=True, text=True, check=True)
    return json.loads(checked.stdout), imported.stdout


def test_without_masks_nothing_is_certain_and_the_processes_look_pinned(tmp_path: Path) -> None:
    found, printed = verdict(tmp_path)
    assert found["trace"]["kernel"].startswith("5.10.")
    assert found["wasted"]["core_s"] > 10
    assert found["wasted"]["certain_core_s"] == 0
    assert "none of it certain" in " ".join(printed.split())
    assert all(f"busy-{n} (1 thread) looks pinned" in " ".join(printed.split()) for n in range(4))


def test_declared_affinity_excuses_it(tmp_path: Path) -> None:
    found, _ = verdict(tmp_path, "--affinity", "busy-*=0-1")
    assert found["wasted"]["core_s"] < 1
    assert found["wasted"]["excused_core_s"]["affinity"] > 15

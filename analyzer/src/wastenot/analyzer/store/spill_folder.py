"""Where DuckDB puts what does not fit into its memory: a folder of this process, which ends with it."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from wastenot.analyzer.store.temporary_files import claimed_folder, sweep

_made: dict[int, Path] = {}
"""The folder by process: a forked child has its own."""


def spill_folder() -> Path:
    """The folder, made at the first call, for its owner only; those of processes that have ended are removed."""
    pid = os.getpid()
    if pid not in _made:
        parent = Path(tempfile.gettempdir())
        sweep(parent)
        _made[pid], _ = claimed_folder(parent, f"wastenot-{os.getuid()}-spill")
        atexit.register(_remove, pid)
    return _made[pid]


def _remove(pid: int) -> None:
    if os.getpid() == pid:
        shutil.rmtree(_made[pid], ignore_errors=True)

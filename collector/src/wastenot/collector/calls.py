"""The library that is preloaded into a command so that it reports its calls of MPI and OpenMP (`collector/calls`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from wastenot.collector.bubbles import library_folder

LIBRARY = "libwastenot-calls.so"
"""Looked for in WASTENOT_CALLS_LIBRARY (a file), then beside the native extension."""


def call_library() -> Path | None:
    """Where the library is in this installation; None: it was not built (it needs LTTng-UST)."""
    named = os.environ.get("WASTENOT_CALLS_LIBRARY")
    file = Path(named) if named else library_folder() / LIBRARY
    return file if file.is_file() else None


def preloading(library: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command into which the library is to be preloaded, ahead of what is preloaded already."""
    already = environment.get("LD_PRELOAD", "")
    return {**environment, "LD_PRELOAD": f"{library.resolve()}:{already}" if already else str(library.resolve())}

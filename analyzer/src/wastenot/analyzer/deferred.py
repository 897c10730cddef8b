"""Modules that are imported when one of their names is first used: help, errors and JSON do not wait for all of them.

from wastenot.analyzer.deferred import duckdb, pa
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any


class Deferred:
    """Stands for a module until it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import duckdb as duckdb
    import numpy as np
    import pyarrow as pa
else:
    duckdb = Deferred("duckdb")
    np = Deferred("numpy")
    pa = Deferred("pyarrow")

__all__ = ["Deferred", "duckdb", "np", "pa"]

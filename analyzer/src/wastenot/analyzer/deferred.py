"""Modules that are imported when one of their names is first used: importing pyarrow takes longer than a verdict.

if TYPE_CHECKING:
    import pyarrow as pa
else:
    pa = Deferred("pyarrow")
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Deferred:
    """Stands for a module until it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value

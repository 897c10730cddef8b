"""What tests of more than one component share."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def oracle() -> ModuleType:
    """`oracle/idle_while_waiting_sweep.py`, a script and no package."""
    spec = importlib.util.spec_from_file_location(
        "idle_while_waiting_sweep", HERE / "oracle/idle_while_waiting_sweep.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["idle_while_waiting_sweep"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def oracle_sql() -> str:
    """The same question in plain SQL."""
    return (HERE / "oracle/idle_while_waiting.sql").read_text()

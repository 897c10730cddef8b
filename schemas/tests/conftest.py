"""The declarations of this checkout, and its generated files."""

from __future__ import annotations

from pathlib import Path

import pytest
from wastenot.schemas.declarations import Vocabulary, read_declarations

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def vocabulary() -> Vocabulary:
    """Everything declared."""
    return read_declarations(ROOT / "schemas")

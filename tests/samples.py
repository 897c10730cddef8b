"""Which of many like cases tests take: all of them with RELEASES=all (`make matrix`), else a sample."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

ALL = os.environ.get("RELEASES") == "all"
"""All releases, machines and recordings, however long that takes."""


def sample(cases: Sequence[T], every: int) -> list[T]:
    """Each `every`th of the cases, the first included; all with RELEASES=all."""
    return list(cases if ALL else cases[::every])

"""Which of many like cases tests take: all of them with RELEASES=all (`make matrix`), else a sample."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

ALL = os.environ.get("RELEASES") == "all"
"""All releases, machines and recordings, however long that takes."""


def sample(cases: Sequence[T], every: int) -> list[T]:
    """Each `every`th of the cases, the first included; all with RELEASES=all."""
    return list(cases if ALL else cases[::every])


def sample_of_each(cases: Sequence[T], kind: Callable[[T], str]) -> list[T]:
    """One case of each kind (of the first kind its first, of the second its second ...); all with RELEASES=all."""
    if ALL:
        return list(cases)
    kinds: dict[str, list[T]] = {}
    for case in cases:
        kinds.setdefault(kind(case), []).append(case)
    return [of[n % len(of)] for n, of in enumerate(kinds.values())]

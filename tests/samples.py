"""Which of many like cases tests take: all of them with RELEASES=all (`make matrix`), else a sample."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

ALL = os.environ.get("RELEASES") == "all"
"""All releases, machines and recordings, however long that takes."""


def read_as_before(part: Path, target: Path) -> Path:
    """A copy of a recording whose end is read as earlier versions did: when its programs had been detached."""
    shutil.copytree(part, target)
    meta = json.loads((target / "meta.json").read_text())
    (target / "meta.json").write_text(json.dumps({**meta, "ends_at_stop": True}))
    return target


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

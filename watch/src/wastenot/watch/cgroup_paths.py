"""Paths of cgroups by their numbers: the inode numbers of their folders, which are what the kernel's programs see."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

EVERY_NS = 10_000_000_000
"""How often the folders are read anew at most: 10,000 of them take a tenth of a second."""


def cpu_hierarchy(mounts: str) -> Path | None:
    """Where the hierarchy is mounted that decides about CPU time: version 1 with the controller `cpu`, else version 2.

    `mounts` is the text of /proc/self/mounts. None where there is none.
    """
    rows = [line.split(" ") for line in mounts.splitlines() if line.count(" ") >= 3]
    first = [where for _, where, kind, options, *_ in rows if kind == "cgroup" and "cpu" in options.split(",")]
    second = [where for _, where, kind, *_ in rows if kind == "cgroup2"]
    found = [*first, *second]
    return Path(found[0].replace("\\040", " ")) if found else None


@dataclass
class CgroupPaths:
    """Paths of the hierarchy mounted at `root`, `/` its own."""

    root: Path | None
    _paths: dict[int, str] = field(default_factory=dict)
    """As they were read last, and the time before: waits of a cgroup that is gone may be reported late."""
    _last: dict[int, str] = field(default_factory=dict)
    _read_ns: int | None = None

    def names(self, numbers: set[int], now_ns: int) -> dict[int, str]:
        """The path of each number; `removed` for a cgroup that was gone before its folder was read.

        One that is missing in the folders read last is left out until they are read again: it may be new.
        """
        if numbers <= self._paths.keys():
            return {number: self._paths[number] for number in numbers}
        is_due = self._read_ns is None or now_ns - self._read_ns >= EVERY_NS
        if is_due and self.root is not None:
            self._read_ns = now_ns
            before, self._last = self._last, dict(_folders(self.root))
            self._paths = before | self._last
        if is_due or self.root is None:
            return {number: self._paths.get(number, "removed") for number in numbers}
        return {number: self._paths[number] for number in numbers if number in self._paths}


def _folders(root: Path) -> Iterator[tuple[int, str]]:
    """Inode numbers and paths of all folders. One that vanishes meanwhile is left out."""
    try:
        yield root.stat().st_ino, "/"
    except OSError:
        return
    for at, within, _ in os.walk(root):
        for name in within:
            path = os.path.join(at, name)  # noqa: PTH118, ten thousand Path objects take as long as the rest
            try:
                yield os.stat(path).st_ino, path[len(str(root)) :]  # noqa: PTH116
            except OSError:
                continue

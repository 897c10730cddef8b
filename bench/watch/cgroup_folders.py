"""Cgroups that are removed at the end."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wastenot.watch.cgroup_paths import cpu_hierarchy

from bench.recorders import BenchError


def hierarchy() -> Path:
    """Where the hierarchy is mounted that decides about CPU time. Raises BenchError."""
    found = cpu_hierarchy(Path("/proc/self/mounts").read_text(encoding="utf-8"))
    if found is None:
        raise BenchError("no hierarchy of cgroups with the controller cpu is mounted")
    return found


def join(folder: Path) -> None:
    """Move this process into a cgroup."""
    (folder / "cgroup.procs").write_text(str(os.getpid()))


def set_quota(folder: Path, quota_us: int, period_us: int = 100_000) -> None:
    """So much CPU time per period, in either version of the interface."""
    if (folder / "cpu.cfs_quota_us").exists():
        (folder / "cpu.cfs_period_us").write_text(str(period_us))
        (folder / "cpu.cfs_quota_us").write_text(str(quota_us))
        return
    (folder.parent / "cgroup.subtree_control").write_text("+cpu")
    (folder / "cpu.max").write_text(f"{quota_us} {period_us}")


def remove(folder: Path, timeout_s: float = 5) -> None:
    """Remove a cgroup and those below it; waits until the kernel has released the last process that has ended."""
    end = time.monotonic() + timeout_s
    inner = [Path(root) for root, _, _ in os.walk(folder, topdown=False)]
    for path in inner:
        while path.exists():
            try:
                path.rmdir()
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)


@contextmanager
def cgroup(name: str) -> Iterator[Path]:
    """A new cgroup below the root, without those that an earlier run left."""
    folder = hierarchy() / name
    if folder.exists():
        remove(folder)
    folder.mkdir()
    try:
        yield folder
    finally:
        with suppress(FileNotFoundError):
            remove(folder, 30)

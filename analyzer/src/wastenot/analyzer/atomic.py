"""Files that appear whole or not at all: built under a temporary name beside the target, renamed at the end."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from wastenot.analyzer.errors import DiskFull, NoAccess

ELSEWHERE = "choose another place with -o"


@contextlib.contextmanager
def temporary_beside(target: Path, advice: str = ELSEWHERE) -> Iterator[Path]:
    """A name in the target's folder that is removed again, with DuckDB's companions, unless `finish` renamed it.

    Raises NoAccess or DiskFull before anything is done; `advice` is what the message says to do.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        require_writable(target, advice)
        yield temporary
    finally:
        for path in (temporary, temporary.with_name(temporary.name + ".wal")):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        shutil.rmtree(temporary.with_name(temporary.name + ".tmp"), ignore_errors=True)  # what DuckDB spilled


def require_writable(target: Path, advice: str = ELSEWHERE) -> None:
    """Raise NoAccess, in the user's words, when `target` could not be made in its folder. Makes and removes a probe."""
    folder = target.parent
    if not folder.is_dir():
        raise NoAccess(f"{folder}: no such folder; make it, or {advice}")
    probe = target.with_name(f".{target.name}.{os.getpid()}.probe")
    try:
        with probe.open("wb") as f:
            f.write(b"\0" * 4096)
            f.flush()
            os.fsync(f.fileno())
    except OSError as e:
        if e.errno == errno.ENOSPC:
            raise DiskFull(target) from None
        if e.errno == errno.EROFS:
            raise NoAccess(f"{folder}: read-only file system; {advice}") from None
        if e.errno in (errno.EACCES, errno.EPERM):
            raise NoAccess(f"{folder}: permission denied; {advice}") from None
        raise NoAccess(f"{folder}: cannot write ({e.strerror}); {advice}") from None
    finally:
        with contextlib.suppress(OSError):
            probe.unlink(missing_ok=True)


def finish(temporary: Path, target: Path) -> None:
    """Put the finished file on the disk for good and give it its name."""
    with temporary.open("rb") as f:
        os.fsync(f.fileno())
    temporary.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)

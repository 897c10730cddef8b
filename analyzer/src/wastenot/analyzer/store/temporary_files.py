"""Files that appear whole or not at all: built in a temporary folder beside the target, renamed at the end.

The folder is locked for as long as its process lives, so that a later run can distinguish what a killed one
left behind from what another one is writing now. Numbers of processes would not do: they are used again, and differ
between containers.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from wastenot.analyzer.errors import DiskFull, NoAccess, PartFolderInUse

ELSEWHERE = "choose another place with -o"

SUFFIX = ".wastenot-tmp"
"""How the names of temporary folders end."""

MOST_TRIES = 1000
"""How often a folder is made that others remove before it is locked."""

_FIRST_EDITION = re.compile(r"\..+\.duckdb\.(\d+)\.(?:probe|tmp(?:\.wal|\.tmp)?)")
"""Names of the temporary files of earlier versions: `.NAME.duckdb.PID.tmp` and DuckDB's companions."""


@contextlib.contextmanager
def temporary_beside(target: Path, advice: str = ELSEWHERE) -> Iterator[Path]:
    """A name on the target's file system, removed again with DuckDB's companions unless `finish` renamed it.

    What killed runs left in the target's folder is removed first. Raises NoAccess or DiskFull before anything is done;
    `advice` is what the message says to do.
    """
    with temporary_folder(target, advice) as folder:
        yield folder / target.name


@contextlib.contextmanager
def temporary_folder(target: Path, advice: str = ELSEWHERE) -> Iterator[Path]:
    """A folder beside the target that is removed again; raises as `temporary_beside`."""
    sweep(target.parent)
    folder, lock = _probed(target, advice)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def require_writable(target: Path, advice: str = ELSEWHERE) -> None:
    """Raise NoAccess, in the user's words, when `target` could not be made in its folder. Makes and removes a probe."""
    folder, lock = _probed(target, advice)
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def _probed(target: Path, advice: str) -> tuple[Path, int]:
    """A temporary folder in which a file could be written, and its lock."""
    parent = target.parent
    if target.name in ("", ".."):
        raise NoAccess(f"{str(target)!r}: names a folder and no file in it; {advice}")
    if not parent.is_dir():
        raise NoAccess(f"{parent}: no such folder; make it, or {advice}")
    made: tuple[Path, int] | None = None
    try:
        made = claimed_folder(parent, target.name)
        probe = made[0] / "probe"
        with probe.open("wb") as f:
            f.write(b"\0" * 4096)
            f.flush()
            os.fsync(f.fileno())
        probe.unlink()
        return made
    except BaseException as e:  # an interrupt too: fsync may take long
        if made is not None:
            shutil.rmtree(made[0], ignore_errors=True)
            os.close(made[1])
        if not isinstance(e, OSError):
            raise
        if e.errno == errno.ENOSPC:
            raise DiskFull(target) from None
        if e.errno == errno.EROFS:
            raise NoAccess(f"{parent}: read-only file system; {advice}") from None
        if e.errno in (errno.EACCES, errno.EPERM):
            raise NoAccess(f"{parent}: permission denied; {advice}") from None
        raise NoAccess(f"{parent}: cannot write ({e.strerror}); {advice}") from None


def claimed_folder(parent: Path, name: str) -> tuple[Path, int]:
    """A new folder `.NAME.….wastenot-tmp` in `parent`, and a descriptor: until it is closed the folder is locked."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f".{name[:180]}.", suffix=SUFFIX, dir=parent))
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # swept before it was locked
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue  # being swept
        except OSError:
            pass  # a file system without locks: there `sweep` cannot lock, and removes nothing
        if folder.exists():
            return folder, lock
        os.close(lock)


_claimed: set[Path] = set()
"""The part folders that this process has claimed."""


@contextlib.contextmanager
def claimed_part(part: Path) -> Iterator[None]:
    """Keep other processes from recording into, finishing or removing a part folder. Nested claims count once.

    A claim is a locked folder beside it; when this process is killed, the next run removes it. Raises PartFolderInUse.
    Where none can be made or locked (a read-only folder, a file system without locks) nothing is kept.
    """
    path = part.resolve()
    if path in _claimed:
        yield
        return
    sign = path.with_name(f".{path.name[:200]}{SUFFIX}")
    lock = _lock_of(sign, part)
    _claimed.add(path)
    try:
        yield
    finally:
        _claimed.discard(path)
        if lock is not None:
            shutil.rmtree(sign, ignore_errors=True)
            os.close(lock)


def _lock_of(sign: Path, part: Path) -> int | None:
    """The locked descriptor of a folder that is made for it; None where that cannot be."""
    for _ in range(MOST_TRIES):
        try:
            with contextlib.suppress(FileExistsError):
                sign.mkdir(mode=0o700)
        except OSError:
            return None  # also where no folder can be made though its parent is one, as in /proc
        try:
            lock = os.open(sign, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # removed by the process that held it
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise PartFolderInUse(part) from None
        except OSError:
            os.close(lock)
            with contextlib.suppress(OSError):
                sign.rmdir()  # no later run could lock it, and so remove it
            return None
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(lock), sign.lstat()):
                return lock
        os.close(lock)  # removed between the two, and perhaps made anew
    return None


def discard(folder: Path) -> None:
    """Remove a folder as one: killed in the middle, what is left of it is removed by the next run."""
    condemned = folder.with_name(f".{folder.name[:180]}.{os.getpid()}{SUFFIX}")
    with contextlib.suppress(OSError):
        folder.rename(condemned)
        folder = condemned
    shutil.rmtree(folder, ignore_errors=True)


def sweep(parent: Path) -> None:
    """Remove what processes of this user that have ended left in a folder; what cannot be removed stays."""
    try:
        entries = list(os.scandir(parent))
    except OSError:
        return
    for entry in entries:
        with contextlib.suppress(OSError):
            if entry.name.startswith(".") and entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                if entry.name.endswith(SUFFIX):
                    _remove_unlocked(Path(entry.path))
                elif _is_abandoned(entry):
                    _remove(Path(entry.path))


def _remove_unlocked(folder: Path) -> None:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    """The temporary file of an earlier version whose process has ended, and which no process of this host locks."""
    named = _FIRST_EDITION.fullmatch(entry.name)
    if named is None:
        return False
    try:
        os.kill(int(named[1]), 0)
    except (ProcessLookupError, OverflowError):
        pass
    except PermissionError:
        return False
    else:
        return False
    if entry.is_file(follow_symlinks=False):
        fd = os.open(entry.path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the lock that DuckDB holds on an open database
        finally:
            os.close(fd)
    return True


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


Identity = tuple[int, int, int]


def identity_of(path: Path) -> Identity | None:
    """What distinguishes a file from one that replaced it: inode, size, time of change; None where there is no file."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def finish(temporary: Path, target: Path, may_replace: Callable[[], bool] = lambda: True) -> bool:
    """Put the finished file on the disk for good and give it its name, where `may_replace` allows it then."""
    with temporary.open("rb") as f:
        os.fsync(f.fileno())
    if not may_replace():
        return False
    temporary.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return True

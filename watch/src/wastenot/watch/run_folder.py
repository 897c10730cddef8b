"""The run folder: one watch per machine, and where other processes reach it.

`/run/wastenot` for root, `$RUNTIME_DIRECTORY` under systemd, `$XDG_RUNTIME_DIR/wastenot` for other users. It holds the
lock of the running watch and the socket on which it takes triggers; only the user of the watch can use them.
"""

from __future__ import annotations

import fcntl
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from wastenot.watch.errors import WatchError

LOCK, SOCKET = "watch.lock", "watch.sock"
FOLDER_MODE, FILE_MODE = 0o700, 0o600


def run_folder(given: Path | None) -> Path:
    """The run folder: what was given, else by the environment. Raises WatchError where there is none."""
    if given is not None:
        return given
    if folder := os.environ.get("RUNTIME_DIRECTORY"):
        return Path(folder.split(":")[0])
    if os.geteuid() == 0:
        return Path("/run/wastenot")
    if folder := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(folder) / "wastenot"
    raise WatchError("no run folder: $XDG_RUNTIME_DIR is not set; name one with --run-dir")


def own_folder(path: Path) -> None:
    """Make a folder that this user alone may enter, or make sure that it is one. Raises WatchError."""
    try:
        path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        found = path.stat()
        if found.st_uid not in (os.geteuid(), 0):
            raise WatchError(f"{path}: belongs to the user {found.st_uid}; choose another folder")
        if stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.geteuid():
            path.chmod(FOLDER_MODE)
    except OSError as e:
        raise WatchError(f"{path}: cannot be made or used ({e.strerror}); choose another folder") from None


@dataclass
class Locked(Exception):
    """Another process has the lock."""

    holder: str


def lock_file(path: Path) -> int:
    """Lock a file, which gets this process's PID; a descriptor that holds the lock. Raises Locked, OSError."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as e:
        holder = os.pread(fd, 32, 0).decode(errors="replace").strip()
        os.close(fd)
        if isinstance(e, BlockingIOError):
            raise Locked(holder) from None
        raise
    os.ftruncate(fd, 0)
    os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
    return fd


@dataclass
class RunLock:
    """The lock of a running watch; held until the process ends or `release` is called."""

    folder: Path
    _fd: int

    @classmethod
    def take(cls, folder: Path) -> RunLock:
        """Lock the run folder. Raises WatchError where another watch has it."""
        own_folder(folder)
        path = folder / LOCK
        try:
            return cls(folder, lock_file(path))
        except OSError as e:
            raise WatchError(f"{path}: cannot be opened ({e.strerror}); choose another folder with --run-dir") from None
        except Locked as e:
            raise WatchError(
                f"a watch runs already (PID {e.holder}, {path}); end it, or ask it to save with "
                "`wastenot watch trigger`"
            ) from None

    @property
    def socket_path(self) -> Path:
        """Where triggers are taken."""
        return self.folder / SOCKET

    def release(self) -> None:
        """Remove the socket and unlock."""
        self.socket_path.unlink(missing_ok=True)
        os.close(self._fd)

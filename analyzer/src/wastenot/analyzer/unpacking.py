"""Whatever a user has in hands as one file or folder: archives are unpacked, standard input is written to a file.

Recognised by content, never by name. What is unpacked lies beside the target, where the trace will need room too.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import lzma
import shutil
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from wastenot.analyzer.atomic import temporary_folder
from wastenot.analyzer.errors import DiskFull, ForeignFile, MissingSource, NoAccess

STDIN = Path("-")
"""The source that means standard input."""

LIVE = "net:/"
"""How the address of a live session of LTTng's relay daemon begins, as a path (which keeps one slash of two)."""

_GZIP, _XZ, _ZIP = b"\x1f\x8b", b"\xfd7zXZ\x00", b"PK\x03\x04"
_TAR, _TAR_AT = b"ustar", 257
_CHUNK = 1 << 20
_DEPTH = 4
"""Archives in archives (trace.tar.gz in a zip) are followed this far."""

MOST_RATIO = 200
"""Most bytes that a packed byte may become. Text of ftrace packs 10 to 20 times smaller, a run of zeros a thousand."""
LEAST_BYTES = 1 << 30
"""What any archive may unpack to, however small."""
MOST_MEMBERS = 100_000
"""Most files in an archive."""


@contextlib.contextmanager
def unpacked(source: Path, beside: Path) -> Iterator[Path]:
    """The file or folder that `source` stands for, unpacked where it has to be; gone again at the end.

    Raises MissingSource, ForeignFile (an empty or damaged archive), NoAccess or DiskFull.
    """
    if is_live(source):
        yield source
        return
    if source != STDIN and not source.exists():
        raise MissingSource(source)
    with contextlib.ExitStack() as at_end:

        def room() -> Path:
            return at_end.enter_context(temporary_folder(beside))

        try:
            found = _from_stdin(room()) if source == STDIN else source
            for _ in range(_DEPTH):
                inner = _open_archive(found, source, room)
                if inner is None:
                    break
                found = inner
        except PermissionError as e:
            raise NoAccess(f"{source}: permission denied ({e.filename})") from None
        except OSError as e:
            if e.errno == errno.ENOSPC:
                raise DiskFull(beside) from None
            raise NoAccess(f"{source}: cannot be unpacked ({e.strerror or e})") from None
        yield found


def is_live(source: Path) -> bool:
    """The source is the address of a live session: net://HOST/host/HOSTNAME/SESSION."""
    return str(source).startswith(LIVE)


def _from_stdin(folder: Path) -> Path:
    if sys.stdin.isatty():
        raise ForeignFile(STDIN, "standard input is the terminal; pipe a trace into it")
    path = folder / "stdin"
    with path.open("wb") as f:
        shutil.copyfileobj(sys.stdin.buffer, f, _CHUNK)
    return path


def _open_archive(path: Path, source: Path, room: Callable[[], Path]) -> Path | None:
    """What the archive at `path` holds; None when it is none."""
    if not path.is_file():
        return None
    with path.open("rb") as f:
        head = f.read(_TAR_AT + len(_TAR))
    allowed = Allowance(source, path.stat().st_size)
    try:
        if head.startswith((_GZIP, _XZ)):
            opener = gzip.open if head.startswith(_GZIP) else lzma.open
            out = room() / (path.name.removesuffix(".gz").removesuffix(".xz").removesuffix(".tgz") or "trace")
            with opener(path, "rb") as packed:
                _copy(packed, out, allowed)
            return out
        if head.startswith(_ZIP):
            folder = room()
            with zipfile.ZipFile(path) as archive:
                _unzip(archive, folder, allowed)
            return _only(folder)
        if head[_TAR_AT:] == _TAR:
            folder = room()
            with tarfile.open(path) as archive:
                for member in archive:
                    allowed.take(member.size)
                    archive.extract(member, folder, filter="data")
            return _only(folder)
    except NotImplementedError as e:
        raise ForeignFile(source, f"an archive that cannot be unpacked ({_short(e)}); unpack it yourself") from None
    except RuntimeError:
        raise ForeignFile(source, "an archive with a password; unpack it yourself") from None
    except DAMAGED as e:
        raise ForeignFile(source, f"a damaged or truncated archive ({_short(e)})") from None
    except OSError as e:
        if e.errno is not None:  # of the file system, not of what is read
            raise
        raise ForeignFile(source, f"a damaged or truncated archive ({_short(e)})") from None
    return None


DAMAGED = (
    EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError, struct.error, ValueError, OverflowError,
    KeyError, IndexError,
)  # fmt: skip
"""What Python's readers of archives raise on damaged ones (UnicodeDecodeError is a ValueError)."""


class Allowance:
    """How much an archive may unpack to: a small file must not fill the disk."""

    def __init__(self, source: Path, packed: int) -> None:
        self._source = source
        self._bytes, self._members = max(LEAST_BYTES, packed * MOST_RATIO), MOST_MEMBERS

    def take(self, size: int) -> None:
        """Account for a member with `size` bytes; ForeignFile when it is too much."""
        self._bytes -= size
        self._members -= 1
        self.check()

    def part(self, size: int) -> None:
        """Account for some more bytes of a member."""
        self._bytes -= size
        self.check()

    def check(self) -> None:
        """Raise ForeignFile when more was taken than is allowed."""
        if self._bytes < 0:
            why = f"an archive that unpacks to more than {MOST_RATIO} times its size; unpack it yourself"
            raise ForeignFile(self._source, why)
        if self._members < 0:
            raise ForeignFile(self._source, f"an archive of more than {MOST_MEMBERS:,} files; unpack it yourself")


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _copy(packed: _Readable, out: Path, allowed: Allowance) -> None:
    with out.open("wb") as f:
        while chunk := packed.read(_CHUNK):
            allowed.part(len(chunk))
            f.write(chunk)


def _unzip(archive: zipfile.ZipFile, folder: Path, allowed: Allowance) -> None:
    """Unpack all members: regular files and folders, at places below `folder`."""
    for member in archive.infolist():
        allowed.take(0)
        parts = [part for part in member.filename.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        if not parts:
            continue
        place = folder.joinpath(*parts)
        if member.is_dir():
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as packed:
            _copy(packed, place, allowed)


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__


def _only(folder: Path) -> Path:
    """The one entry of a folder, however deep; the folder itself when it holds several."""
    entries = list(folder.iterdir())
    while len(entries) == 1 and entries[0].is_dir():
        folder = entries[0]
        entries = list(folder.iterdir())
    return entries[0] if len(entries) == 1 else folder

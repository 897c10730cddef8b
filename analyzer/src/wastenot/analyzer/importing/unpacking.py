"""Sources as one file or folder: archives are unpacked, standard input is written to a file.

Recognised by content, never by name. The unpacked files are beside the target, where the trace will need space too.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import lzma
import os
import shutil
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from wastenot.analyzer.errors import DiskFull, ForeignFile, MissingSource, NoAccess
from wastenot.analyzer.store.temporary_files import temporary_folder

STDIN = Path("-")
"""The source that means standard input."""

LIVE = "net:/"
"""Start of the address of a live session of LTTng's relay daemon, as a path (which keeps one slash of two)."""

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
"""Most files in an archive, and in the archives in it."""
MOST_DESCRIBED = 64 << 10
"""Most bytes of a record with which a tar describes its next member (a long name, pax records)."""
MOST_IN_A_ROW = 8
"""Most such records before one member."""
MOST_LISTED = 16 << 20
"""Most bytes of a zip's list of its members."""
MOST_NAME, MOST_PATH, MOST_DEPTH = 255, 1023, 64
"""Most bytes of a member's name and of its path, and most folders above it."""


@contextlib.contextmanager
def unpacked(source: Path, beside: Path) -> Iterator[Path]:
    """The file or folder that `source` names, unpacked where it has to be; gone again at the end.

    Raises MissingSource, ForeignFile (an empty or damaged archive), NoAccess or DiskFull.
    """
    if is_live(source):
        yield source
        return
    if source != STDIN and not source.exists():
        raise MissingSource(source)
    with contextlib.ExitStack() as at_end:

        def new_folder() -> Path:
            return at_end.enter_context(temporary_folder(beside))

        try:
            found = _from_stdin(new_folder()) if source == STDIN else source
            allowed = Allowance(source, found.stat().st_size)
            for _ in range(_DEPTH):
                inner = _open_archive(found, source, new_folder, allowed)
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


def _open_archive(path: Path, source: Path, new_folder: Callable[[], Path], allowed: Allowance) -> Path | None:
    """What the archive at `path` holds; None when it is not an archive."""
    if not path.is_file():
        return None
    with path.open("rb") as f:
        head = f.read(_TAR_AT + len(_TAR))
    try:
        if head.startswith((_GZIP, _XZ)):
            opener = gzip.open if head.startswith(_GZIP) else lzma.open
            out = new_folder() / (path.name.removesuffix(".gz").removesuffix(".xz").removesuffix(".tgz") or "trace")
            with opener(path, "rb") as packed:
                _copy(packed, out, allowed)
            return out
        if head.startswith(_ZIP):
            folder = new_folder()
            with _ZipList(source, path) as listed, zipfile.ZipFile(listed) as archive:
                listed.is_listing = False
                _unzip(archive, folder, source, allowed)
            return _only(folder)
        if head[_TAR_AT:] == _TAR:
            folder = new_folder()
            with path.open("rb") as tar:
                _untar(tar, folder, source, allowed)
            return _only(folder)
    except NotImplementedError as e:  # zipfile's: a compression or a version of the format that it does not read
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
    """How much a file may unpack to, with all archives in it: a small one must not fill the disk."""

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
    with _created(out) as f:
        while chunk := packed.read(_CHUNK):
            allowed.part(len(chunk))
            f.write(chunk)


def _created(path: Path) -> BinaryIO:
    """A new file for writing, never what a link there points to."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666), "wb")


def _place(folder: Path, name: str, source: Path) -> Path | None:
    """Where a member goes, below `folder`, in a folder that is there; None for one without a name.

    ForeignFile for a name that is too long, and for one below a file.
    """
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    if not parts:
        return None
    sizes = [len(os.fsencode(part)) for part in parts]
    if "\0" in name or max(sizes) > MOST_NAME or sum(sizes) + len(sizes) - 1 > MOST_PATH or len(parts) > MOST_DEPTH:
        raise ForeignFile(source, f"an archive with a name that is too long or not one ({_named(name)})")
    place = folder.joinpath(*parts)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise _both(name, source) from None
    return place


def _make_folder(place: Path, name: str, source: Path) -> None:
    try:
        place.mkdir(exist_ok=True)
    except FileExistsError:
        raise _both(name, source) from None


def _make_free(place: Path, name: str, source: Path) -> None:
    """Remove the file of the same name: the last one counts."""
    if place.is_dir():
        raise _both(name, source)
    place.unlink(missing_ok=True)


def _both(name: str, source: Path) -> ForeignFile:
    return ForeignFile(source, f"an archive where {_named(name)} is a file and a folder; unpack it yourself")


def _named(name: str) -> str:
    return ascii(name if len(name) <= 40 else f"{name[:40]}...")


class _ZipList(io.FileIO):
    """A zip file that refuses to be read when its list of members is too long: `zipfile` reads it at once."""

    def __init__(self, source: Path, path: Path) -> None:
        super().__init__(path)
        self._source = source
        self.is_listing = True

    def read(self, size: int | None = -1, /) -> bytes:
        if self.is_listing and size is not None and size > MOST_LISTED:
            raise self._too_many()
        found = super().read(-1 if size is None else size) or b""
        if self.is_listing and found.count(b"PK\x01\x02") > MOST_MEMBERS:
            raise self._too_many()
        return found

    def _too_many(self) -> ForeignFile:
        return ForeignFile(self._source, f"an archive of more than {MOST_MEMBERS:,} files; unpack it yourself")


def _unzip(archive: zipfile.ZipFile, folder: Path, source: Path, allowed: Allowance) -> None:
    """Unpack all members: regular files and folders, at places below `folder`."""
    for member in archive.infolist():
        allowed.take(0)
        name = member.filename.replace("\\", "/")
        place = _place(folder, name, source)
        if place is None:
            continue
        if member.is_dir():
            _make_folder(place, name, source)
            continue
        _make_free(place, name, source)
        with archive.open(member) as packed:
            _copy(packed, place, allowed)


_KINDS = {
    tarfile.LNKTYPE: "a link", tarfile.SYMTYPE: "a symbolic link", tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device", tarfile.FIFOTYPE: "a FIFO", tarfile.GNUTYPE_SPARSE: "a file with holes",
}  # fmt: skip
"""Members of a tar that are not made, by their types."""


def _untar(tar: BinaryIO, folder: Path, source: Path, allowed: Allowance) -> None:
    """Unpack all members: regular files and folders, at places below `folder`.

    `tarfile` reads a header alone here. It makes links, reads what headers claim at once and leaves the folder
    (CVE-2025-4517).
    """
    long_name: str | None = None
    everywhere: dict[str, str] = {}
    here: dict[str, str] = {}
    in_a_row = 0
    while (block := tar.read(tarfile.BLOCKSIZE)) and block.count(0) < tarfile.BLOCKSIZE:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        described = everywhere | here
        size = int(described["size"]) if "size" in described and header.type not in _ABOUT else header.size
        if size < 0:
            raise ForeignFile(source, f"an archive with a member of negative size ({_named(header.name)})")
        if header.type in _ABOUT:
            in_a_row += 1
            if size > MOST_DESCRIBED or in_a_row > MOST_IN_A_ROW:
                raise ForeignFile(source, "an archive with too long a description of a member; unpack it yourself")
            about = _take(tar, size)
            if header.type == tarfile.GNUTYPE_LONGNAME:
                long_name = about.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
            elif header.type == tarfile.XGLTYPE:
                everywhere.update(_pax(about))
            elif header.type != tarfile.GNUTYPE_LONGLINK:
                here = _pax(about)
            continue
        name = described.get("path") or long_name or header.name
        is_folder = header.isdir() or (header.type == tarfile.AREGTYPE and name.endswith("/"))
        if any(key.startswith("GNU.sparse.") for key in described):
            raise _refused(_KINDS[tarfile.GNUTYPE_SPARSE], name, source)
        if not is_folder and header.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE):
            raise _refused(_KINDS.get(header.type, f"a member of unknown type {header.type!r}"), name, source)
        long_name, here, in_a_row = None, {}, 0
        if (place := _place(folder, name, source)) is None or is_folder:
            allowed.take(0)
            if place is not None:
                _make_folder(place, name, source)
            if not is_folder:
                raise ForeignFile(source, f"an archive with a file without a name ({_named(name)})")
            continue
        _make_free(place, name, source)
        allowed.take(size)
        with _created(place) as f:
            for at in range(0, size, _CHUNK):
                f.write(_exactly(tar, min(_CHUNK, size - at)))
        _exactly(tar, -size % tarfile.BLOCKSIZE)


_ABOUT = frozenset(
    {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.XGLTYPE}
)
"""Types of the records that say something about the next member, or all that follow."""


def _refused(kind: str, name: str, source: Path) -> ForeignFile:
    return ForeignFile(source, f"an archive with {kind} in it ({_named(name)}); unpack it yourself")


def _pax(records: bytes) -> dict[str, str]:
    """The content of pax records: each is `LENGTH KEY=VALUE` and a line feed. ValueError for damaged ones."""
    found: dict[str, str] = {}
    at = 0
    while at < len(records) and records[at]:
        length, _, _ = records[at : at + 8].partition(b" ")
        end = at + int(length)
        key, is_one, value = records[at + len(length) + 1 : end - 1].partition(b"=")
        if not is_one or end <= at + len(length) + 1 or end > len(records) or records[end - 1 : end] != b"\n":
            raise ValueError("bad pax records")
        found[key.decode("utf-8", "surrogateescape")] = value.decode("utf-8", "surrogateescape")
        at = end
    return found


def _take(tar: BinaryIO, size: int) -> bytes:
    """The next bytes of a tar, which is read on to the next block."""
    found = _exactly(tar, size)
    _exactly(tar, -size % tarfile.BLOCKSIZE)
    return found


def _exactly(tar: BinaryIO, size: int) -> bytes:
    found = tar.read(size)
    if len(found) < size:
        raise EOFError("it ends within a member")
    return found


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__


def _only(folder: Path) -> Path:
    """The one entry of a folder, however deep; the folder itself when it holds several."""
    entries = list(folder.iterdir())
    while len(entries) == 1 and entries[0].is_dir():
        folder = entries[0]
        entries = list(folder.iterdir())
    return entries[0] if len(entries) == 1 else folder

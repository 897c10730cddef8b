"""Whatever a user has in hands as one file or folder: archives are unpacked, standard input is written to a file.

Recognised by content, never by name. What is unpacked lies beside the target, where the trace will need room too.
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import shutil
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from wastenot.analyzer.errors import DiskFull, ForeignFile, MissingTrace, NoAccess

STDIN = Path("-")
"""The source that means standard input."""

LIVE = "net:/"
"""How the address of a live session of LTTng's relay daemon begins, as a path (which keeps one slash of two)."""

_GZIP, _XZ, _ZIP = b"\x1f\x8b", b"\xfd7zXZ\x00", b"PK\x03\x04"
_TAR, _TAR_AT = b"ustar", 257
_CHUNK = 1 << 20
_DEPTH = 4
"""Archives in archives (trace.tar.gz in a zip) are followed this far."""


@contextlib.contextmanager
def unpacked(source: Path, beside: Path) -> Iterator[Path]:
    """The file or folder that `source` stands for, unpacked where it has to be; gone again at the end.

    Raises MissingTrace, ForeignFile (an empty or damaged archive), NoAccess or DiskFull.
    """
    if is_live(source):
        yield source
        return
    if source != STDIN and not source.exists():
        raise MissingTrace(source)
    with contextlib.ExitStack() as at_end:

        def room() -> Path:
            folder = tempfile.mkdtemp(prefix=f".{beside.name}.", suffix=".tmp", dir=beside.parent)
            at_end.callback(shutil.rmtree, folder, ignore_errors=True)
            return Path(folder)

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
            if e.errno == 28:
                raise DiskFull(beside) from None
            raise
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
    try:
        if head.startswith((_GZIP, _XZ)):
            opener = gzip.open if head.startswith(_GZIP) else lzma.open
            folder = room()
            out = folder / (path.name.removesuffix(".gz").removesuffix(".xz").removesuffix(".tgz") or "trace")
            with opener(path, "rb") as packed, out.open("wb") as f:
                shutil.copyfileobj(packed, f, _CHUNK)
            return out
        if head.startswith(_ZIP):
            folder = room()
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder)  # drops `..` and leading slashes by itself
            return _only(folder)
        if head[_TAR_AT:] == _TAR:
            folder = room()
            with tarfile.open(path) as archive:
                archive.extractall(folder, filter="data")
            return _only(folder)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile, tarfile.TarError) as e:
        raise ForeignFile(source, f"a damaged or truncated archive ({' '.join(str(e).split())[:80]})") from None
    return None


def _only(folder: Path) -> Path:
    """The one entry of a folder, however deep; the folder itself when it holds several."""
    entries = list(folder.iterdir())
    while len(entries) == 1 and entries[0].is_dir():
        folder = entries[0]
        entries = list(folder.iterdir())
    return entries[0] if len(entries) == 1 else folder

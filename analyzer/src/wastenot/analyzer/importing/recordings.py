"""The recordings in a folder: each becomes a trace of its own.

A recording is a folder of CTF, a file of another format, an export, or a part folder. CTF folders are one recording
where LTTng's layout says that they are one session: `SESSION/kernel` and `SESSION/ust/…`, and the chunks of a rotation
(`SESSION/archives/CHUNK/kernel`), other files beside them are ignored.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from wastenot import collector
from wastenot.analyzer.errors import ForeignFile
from wastenot.analyzer.importing import exported_folders
from wastenot.analyzer.store.opening import is_trace

MOST_FILES = 100_000
"""Files of a folder that are searched, at most."""

SHOWN = 5
"""Recordings that an error names."""

_PACKET = (b"\x57\x1d\xd1\x75", b"\x75\xd1\x1d\x57")
_TEXTS = (b"/* CTF ", b"\x1e{")
"""First bytes of a file of CTF metadata: the magic number of its packets (TSDL 1.8, either byte order), or text."""


def recordings(folder: Path) -> list[Path]:
    """The recordings in `folder`, sorted; `[folder]` when it is one itself. Empty when there is none.

    Raises ForeignFile for a folder with more files than are searched.
    """
    if _is_one(folder):
        return [folder]
    found: dict[Path, Path] = {}
    for path in _candidates(folder):
        session = _session_of(path, folder)
        found.setdefault(session, session)
    return sorted(found)


def several(folder: Path, found: list[Path], *, unpacked: bool) -> tuple[str, str]:
    """That a folder (or what was `unpacked` from an archive) holds several recordings; and how to choose one."""
    names = [str(path.relative_to(folder)) for path in found]
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    if unpacked:
        return f"an archive with {len(found)} recordings in it ({shown})", "unpack it and import one of them"
    return (
        f"a folder with {len(found)} recordings in it ({shown})",
        "name one of them, or make a trace of each with `wastenot import --each`",
    )


def _is_one(folder: Path) -> bool:
    return (folder / "meta.json").is_file() or exported_folders.kind_of(folder) is not None or _holds_metadata(folder)


def _candidates(folder: Path) -> Iterator[Path]:
    """Folders and files that are recordings, or parts of one; the inside of one is not searched."""
    looked = 0
    for at, folders, files in os.walk(folder):
        here = Path(at)
        if here != folder and _is_one(here):
            folders.clear()
            yield here
            continue
        folders.sort()
        looked += len(files)
        if looked > MOST_FILES:
            raise ForeignFile(folder, f"a folder of more than {MOST_FILES:,} files", "name the recording in it")
        for name in files:
            path = here / name
            if path.is_file() and path.stat().st_size and not is_trace(path) and collector.recognise(path):
                yield path


def _holds_metadata(folder: Path) -> bool:
    try:
        with (folder / "metadata").open("rb") as f:
            head = f.read(8)
    except OSError:
        return False
    return head.startswith((*_PACKET, *_TEXTS))


def _session_of(path: Path, folder: Path) -> Path:
    """The folder of LTTng's session that a CTF folder belongs to (`folder` where that is above), else the path."""
    if not path.is_dir() or not _holds_metadata(path):
        return path
    session = path.absolute()
    if session.name == "kernel":
        session = session.parent
    elif (
        ust := next((p for p in session.parents if p.name == "ust"), None)
    ) is not None:  # ust/uid/N/64-bit, ust/pid/NAME
        session = ust.parent
    else:
        return path
    if session.parent.name == "archives":
        session = session.parent.parent
    if session.name == "bubbles":  # where `record --with-bubbles` has LTTng write
        session = session.parent
    top = folder.absolute()
    return folder / session.relative_to(top) if session.is_relative_to(top) else folder

"""Folders in which root may write: those in which no other user can create links."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from wastenot.cli.errors import CommandError

MOST_LINKS = 40
"""Symbolic links that a path may go through, as in the kernel."""


def require_own_folder(folder: Path) -> None:
    """Raise CommandError when this process is root's and another user may rename things on the way to `folder`.

    Such a user could replace a file that root has just created by a link, and root would write to its target. The user
    who called sudo counts as root, a folder that all may write to with the sticky bit (/tmp) as root's.
    """
    if os.geteuid() != 0:
        return
    users = {0, _number("SUDO_UID")}
    groups = {0, _number("SUDO_GID")}
    try:
        for path in _folders_to(folder):
            found = path.stat()
            if found.st_uid not in users:
                raise CommandError(_refusal(path, f"belongs to the user {found.st_uid}"))
            open_to = found.st_mode & (stat.S_IWOTH | (0 if found.st_gid in groups else stat.S_IWGRP))
            if open_to and not found.st_mode & stat.S_ISVTX:
                raise CommandError(_refusal(path, "may be written to by others"))
    except OSError:
        return  # writing there reports the error


def _refusal(path: Path, why: str) -> str:
    return f"{path}: {why}; root records only where no other user can create links; choose a folder of root with -o"


def _number(variable: str) -> int:
    text = os.environ.get(variable, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _folders_to(folder: Path) -> Iterator[Path]:
    """Each folder in which a name of the path is looked up, those of its links as well, and the folder itself."""
    here, links = Path("/"), 0
    yield here
    names = list(reversed((Path.cwd() / folder).parts[1:]))
    while names:
        name = names.pop()
        path = here.parent if name == ".." else here / name
        if path.is_symlink():
            links += 1
            if links > MOST_LINKS:
                return
            target = path.readlink()
            if target.is_absolute():
                here = Path("/")
            names.extend(reversed(target.parts[1:] if target.is_absolute() else target.parts))
            continue
        here = path
        yield here

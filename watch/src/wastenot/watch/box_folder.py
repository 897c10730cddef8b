"""The folder of saved boxes: names, the list of what was saved there, and the limit of its size.

`boxes.json` lists the boxes that a watch saved. Only files that it lists are ever deleted.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from wastenot.analyzer.store.building import remove_recorded
from wastenot.analyzer.store.opening import part_folder
from wastenot.watch.errors import WatchError
from wastenot.watch.model.boxes import Box, Trigger
from wastenot.watch.run_folder import FILE_MODE, LOCK, Locked, lock_file, own_folder

MANIFEST = "boxes.json"
_NAME = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[a-z0-9.-]+(-[0-9]+)?\.duckdb")
"""Names that a watch gives; a list with another one was not written by a watch."""


@dataclass
class BoxFolder:
    """The boxes in `path`, oldest first, which together may take `most_bytes`."""

    path: Path
    most_bytes: int
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path, most_bytes: int) -> BoxFolder:
        """Make the folder where it is missing, and read its list. Raises WatchError."""
        own_folder(path)
        return cls(path, most_bytes, _read_list(path / MANIFEST))

    def lock(self) -> Callable[[], None]:
        """Keep other watches out of the folder until the function returned is called. Raises WatchError."""
        path = self.path / LOCK
        try:
            fd = lock_file(path)
        except Locked as e:
            raise WatchError(
                f"{self.path}: another watch saves its boxes here (PID {e.holder}); choose another folder with --out"
            ) from None
        except OSError as e:
            raise WatchError(f"{path}: cannot be locked ({e.strerror}); choose another folder with --out") from None
        return lambda: os.close(fd)

    def new_target(self, trigger: Trigger, now: float | None = None) -> Path:
        """A name that is free: `20261124T061500.123Z-lasting-gt-0.duckdb` (UTC)."""
        now = time.time() if now is None else now
        stamp = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(now))}.{int(now % 1 * 1000):03}Z-{trigger.slug}"
        for suffix in ("", *(f"-{n}" for n in range(2, 1000))):
            target = self.path / f"{stamp}{suffix}.duckdb"
            if target.name not in self.entries and not os.path.lexists(target):
                return target
        raise WatchError(f"{self.path}: no name is free; move boxes away")

    def add(self, target: Path, trigger: Trigger) -> None:
        """List a box that is about to be written, so that it can be found again whatever happens."""
        self.entries[target.name] = {"reason": trigger.reason, "condition": trigger.condition, "outcome": "unfinished"}
        self._write()

    def finish(self, box: Box) -> None:
        """List what became of a box; one without a file is no longer listed."""
        name = Path(box.path).name
        if not box.kept:
            self.entries.pop(name, None)
        else:
            self.entries[name] = {
                "reason": box.trigger.reason,
                "condition": box.trigger.condition,
                "outcome": box.outcome,
                "verdict": None if box.verdict is None else asdict(box.verdict),
            }
        self._write()

    def delete(self, name: str) -> None:
        """Remove a listed box: its file, and what a recorder wrote to its part folder."""
        target = self.path / name
        target.unlink(missing_ok=True)
        if part_folder(target).is_dir():
            remove_recorded(part_folder(target))
        self.entries.pop(name, None)
        self._write()

    def unfinished(self) -> Iterator[str]:
        """Listed boxes whose part folder is there and that have no file: a watch was killed while it saved them."""
        for name in list(self.entries):
            target = self.path / name
            if not target.exists() and part_folder(target).is_dir():
                yield name

    def bytes(self) -> int:
        """What the listed boxes take on the disk now. One that was deleted by another program is no longer listed."""
        sizes = {name: self._size(name) for name in self.entries}
        gone = [name for name, size in sizes.items() if size is None]
        for name in gone:
            del self.entries[name]
        return sum(size for size in sizes.values() if size)

    def prune(self, keep: str = "") -> list[str]:
        """Delete the oldest boxes until the others fit, never `keep`; returns the names of those deleted."""
        deleted = []
        while self.bytes() > self.most_bytes:
            oldest = next((name for name in sorted(self.entries) if name != keep), None)
            if oldest is None:
                break
            self.delete(oldest)
            deleted.append(oldest)
        return deleted

    def free_bytes(self) -> int:
        """What the file system has left. Makes the folder anew where it was removed."""
        own_folder(self.path)
        return shutil.disk_usage(self.path).free

    def _size(self, name: str) -> int | None:
        """Bytes of a box or of its part folder; None where neither is there."""
        target = self.path / name
        part = part_folder(target)
        files = [target, *(p for p in part.rglob("*") if p.is_file())] if part.is_dir() else [target]
        sizes = [p.stat().st_blocks * 512 for p in files if p.exists()]
        return sum(sizes) if sizes or part.is_dir() else None

    def _write(self) -> None:
        temporary = self.path / f".{MANIFEST}.tmp"
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE), "w") as f:
            json.dump({"format": 1, "boxes": self.entries}, f, indent=1)
        temporary.replace(self.path / MANIFEST)


def _read_list(path: Path) -> dict[str, dict[str, Any]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        boxes = {str(name): dict(entry) for name, entry in found["boxes"].items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise WatchError(f"{path}: not a list of boxes; move it away, or choose another folder with --out") from None
    if wrong := [name for name in boxes if not _NAME.fullmatch(name)]:
        raise WatchError(f"{path}: lists {ascii(wrong[0])[:60]}, which is not the name of a box; move it away")
    return boxes

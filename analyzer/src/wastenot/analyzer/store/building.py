"""From the recorder's part folder (or a drawing) to a finished trace."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wastenot._native import collector
from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.errors import (
    AnalyzerError,
    BadQuery,
    EmptyRecording,
    ForeignFile,
    NoSchedulerEvents,
    RecordingNotStarted,
)
from wastenot.analyzer.queries import query
from wastenot.analyzer.store.checking import CheckOptions, Progress, run_check, writing_error
from wastenot.analyzer.store.opening import open_for_writing
from wastenot.analyzer.store.tables import new_trace_sql
from wastenot.analyzer.store.temporary_files import claimed_part, discard, finish, temporary_beside
from wastenot.analyzer.store.writing import BatchWriter


def build(part: Path, target: Path, options: CheckOptions, progress: Progress | None = None) -> dict[str, Any]:
    """Decode the recording in `part`, check it, and leave the trace at `target`; the part folder stays as it is.

    Works as well on the folder of a recorder that was killed: what its last whole segment holds is kept, and the
    trace says where it ends. An existing `target` is replaced. Returns what the decoder reports. Raises the errors of
    `errors`, or `wastenot._native.WastenotError` when the folder holds no recording.
    """
    if never_begun(part):
        raise RecordingNotStarted(part)
    require_own_files(part)
    if not (part / "meta.json").is_file():
        raise ForeignFile(part, "a folder without meta.json, not an interrupted recording")
    report: dict[str, Any] = {}

    def fill(con: duckdb.DuckDBPyConnection) -> None:
        with BatchWriter(con) as writer:
            report.update(json.loads(collector.decode(part, writer.emit)))

    with claimed_part(part):
        try:
            make(target, fill, options, progress, source=part)
        except NoSchedulerEvents as e:
            if e.has:
                raise
            raise EmptyRecording(part) from None
    return report


def finish_recording(part: Path, target: Path, options: CheckOptions, progress: Progress | None = None) -> None:
    """As `build`; then what the recorder wrote is removed (see `remove_recorded`)."""
    with claimed_part(part):
        build(part, target, options, progress)
        remove_recorded(part)


_RECORDED = re.compile(
    r"(meta|machine)\.json(\.tmp)?|\.reserve(\.tmp)?|segments/[^/]+\.seg"
    r"|(bubbles|kernel|ust)/(.+/)?(metadata|(sched|stacks|balance|bubbles)_[0-9_]+(\.idx)?)",
    re.DOTALL,
)
"""Files that a recorder writes, LTTng as well, by their place in the part folder."""

_RECORDED_FOLDERS = re.compile(r"segments|(bubbles|kernel|ust)(/.*)?", re.DOTALL)


def remove_recorded(part: Path) -> bool:
    """Remove a part folder's files of a recorder, and the folder when nothing else is in it; True when it is gone.

    Files that a recorder did not write stay, and so does what a link in place of the folder leads to.
    """
    if part.is_symlink():
        return False
    files: list[Path] = []
    folders: list[Path] = []
    others = 0
    for at, within, names in os.walk(part):
        here = Path(at)
        for name, known, found in (
            *((name, _RECORDED_FOLDERS, folders) for name in within),
            *((name, _RECORDED, files) for name in names),
        ):
            path = here / name
            if known.fullmatch(str(path.relative_to(part))) and not path.is_symlink():
                found.append(path)
            else:
                others += 1
    if not others:
        discard(part)
        return not os.path.lexists(part)
    # Without `meta.json` it is not a recording any more, should this end in the middle.
    for path in sorted(files, key=lambda path: path != part / "meta.json"):
        with contextlib.suppress(OSError):
            path.unlink()
    for path in reversed(folders):
        with contextlib.suppress(OSError):
            path.rmdir()
    return False


BEGINNINGS = frozenset(
    {"segments", "machine.json", "machine.json.tmp", "meta.json.tmp", ".reserve", ".reserve.tmp", "bubbles"}
)
"""What the recorder writes before `meta.json`, which says what the rest is."""


def never_begun(part: Path) -> bool:
    """The part folder of a recorder that was killed before it wrote `meta.json`: nothing can be made of it."""
    try:
        return {path.name for path in part.iterdir()} <= BEGINNINGS
    except OSError:
        return False


def require_regular_files(folder: Path) -> None:
    """Raise ForeignFile for a folder with a FIFO, a device or a socket, which a reader would wait for.

    So does a symbolic link in it to one of them.
    """
    for path in folder.rglob("*"):
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ForeignFile(folder, f"{ascii(path.name)[:60]} in it is not a regular file")


MOST_BYTES = {"meta.json": 1 << 20, "machine.json": 64 << 20}
"""Most bytes of the texts of a recording, which are read whole: a machine of 8,192 CPUs takes 10 MB."""


def require_own_files(part: Path) -> None:
    """Raise ForeignFile for a recording with a link in it, which could lead to another's files, or too large a text.

    As well for what `require_regular_files` refuses. `part` itself may be a link: it is what the user named.
    """
    for path in part.rglob("*"):
        if path.is_symlink():
            raise ForeignFile(part, f"{ascii(path.name)[:60]} in it is a link; a recorder makes none")
    require_regular_files(part)
    for name, most in MOST_BYTES.items():
        path = part / name
        if path.exists() and path.stat().st_size > most:
            raise ForeignFile(part, f"its {name} is larger than {most >> 20} MiB; a recorder writes less")


def make(
    target: Path,
    fill: Callable[[duckdb.DuckDBPyConnection], None],
    options: CheckOptions,
    progress: Progress | None = None,
    reading: Path | None = None,
    source: Path | str | None = None,
) -> None:
    """Make a trace under a temporary name: raw tables by `fill`, then the check; rename it at the end.

    `fill` may read files of the folder `reading` by SQL, and no others. Whatever it or the check raises leaves no file
    behind, and an existing `target` as it was. Raises NoSchedulerEvents for a `source` without any: a verdict on it
    would be one on nothing.
    """
    with temporary_beside(target) as temporary:
        has_tables = _copy_empty_trace(temporary)
        con = open_for_writing(temporary, new=True, reading=reading)
        try:
            if not has_tables:
                _make_tables(con)
            fill(con)
            if source is not None:
                _require_events(con, source)
            run_check(con, options, progress)
            _require_verdict(con, target)
            con.execute("CHECKPOINT")
        except duckdb.Error as e:
            raise writing_error(target, e) from None
        finally:
            con.close()
        finish(temporary, target)


_lock = threading.Lock()
_traces_begun = 0
_empty_trace: bytes | None = None


def _copy_empty_trace(path: Path) -> bool:
    """Make a trace without rows at `path` by copying one; False, and no file, for the first trace of a process.

    The thousand statements of the schema take a third of a second, most of them comments: a process that makes several
    traces (an experiment, a sweep) runs them for the first one, and once more for a file that the others begin as.
    Where that file cannot be made or copied, what is wrong is met, and said, when the schema is run.
    """
    global _traces_begun, _empty_trace
    with _lock:
        _traces_begun += 1
        if _traces_begun == 1:
            return False
        try:
            if _empty_trace is None:
                _empty_trace = _made_empty(path.with_name("empty.duckdb"))
            path.write_bytes(_empty_trace)
        except (OSError, duckdb.Error, AnalyzerError):
            path.unlink(missing_ok=True)
            return False
        return True


def _make_tables(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"BEGIN; {new_trace_sql()} COMMIT")


def _made_empty(path: Path) -> bytes:
    with contextlib.closing(open_for_writing(path, new=True)) as con:
        _make_tables(con)
        con.execute("CHECKPOINT")
    content = path.read_bytes()
    path.unlink()
    return content


def _require_events(con: duckdb.DuckDBPyConnection, source: Path | str) -> None:
    """Raise NoSchedulerEvents where neither a switch nor a snapshot says what ran; bubbles alone are enough."""
    known = [
        con.execute(f"SELECT 1 FROM {t} LIMIT 1").fetchone() for t in ("sched_switch", "cpu_snapshot", "bubble_event")
    ]
    if any(known):
        return
    row = con.execute("SELECT events, options FROM trace").fetchone()
    try:
        counts = dict(json.loads(row[1])) if row else {}
        read = {str(name): int(n) for name, n in dict(counts.get("read") or {}).items()}
        garbled, ignored = int(counts.get("garbled") or 0), int(counts.get("ignored") or 0)
    except (ValueError, TypeError):
        read, garbled, ignored = {}, 0, 0
    has = [f"{name} {n:,}" for name, n in sorted(read.items(), key=lambda kind: -kind[1])[:4]]
    has += [f"{n:,} {what}" for n, what in ((garbled, "garbled"), (ignored, "of other kinds")) if n]
    raise NoSchedulerEvents(source, ", ".join(has))


def _require_verdict(con: duckdb.DuckDBPyConnection, target: Path) -> None:
    """Raise BadQuery when the figures of the verdict cannot be read: such a file must not get its name."""
    for name in ("trace", "verdict", "grades", "excuse_ledger"):
        try:
            con.execute(query(name).sql).fetchall()
        except duckdb.Error as e:
            why = " ".join(str(e).split())[:120]
            raise BadQuery(f"{target}: not written, its {name} cannot be read ({why})") from None

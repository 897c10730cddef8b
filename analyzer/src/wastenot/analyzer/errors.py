"""What can be wrong with a trace file, as types. Every message is one line: what, where, what to do."""

from __future__ import annotations

import re
from pathlib import Path

from wastenot.schemas.generated.enums import BALANCE_TABLES

MOST_TEXT = 500
"""Characters of a message of DuckDB that an error repeats."""


class AnalyzerError(Exception):
    """Base of the errors of this component; the message is fit for a user."""


class MissingTrace(AnalyzerError):
    """The file does not exist."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path}: no such file; record one with `wastenot record -o {path}`, or make one of another tool's "
            "recording with `wastenot import`"
        )


class MissingSource(AnalyzerError):
    """A file to be read does not exist: a recording to import, the description of a machine."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: no such file or folder; check the path")


class LeftoverOnly(AnalyzerError):
    """The file is not there, but the part folder of an interrupted recording is."""

    def __init__(self, path: Path, part: Path) -> None:
        super().__init__(f"{path}: not finished; `wastenot check {path}` finishes the recording left in {part}")


class PartFolderInUse(AnalyzerError):
    """Another process records into a part folder, or finishes it."""

    def __init__(self, part: Path) -> None:
        super().__init__(f"{part}: another process records into it or finishes it; wait until it is done")


class RecordingNotStarted(AnalyzerError):
    """A part folder whose recorder ended before its first record."""

    def __init__(self, part: Path) -> None:
        super().__init__(f"{part}: its recorder was killed before it had started; record again, which removes it")


class EmptyRecording(AnalyzerError):
    """A part folder whose recorder ended before it wrote an event."""

    def __init__(self, part: Path) -> None:
        super().__init__(f"{part}: its recorder was ended before it had written any event; nothing can be made of it")


class ForeignFile(AnalyzerError):
    """A file that is not a trace: not a DuckDB file, or one with other tables."""

    def __init__(self, path: Path, why: str, do: str = "") -> None:
        super().__init__(f"{path}: {why}; {do or 'give a file made by `wastenot record` or `wastenot import`'}")


class NoSchedulerEvents(AnalyzerError):
    """A source that can be read and holds no scheduler events. `has`: what it holds instead; empty where nothing."""

    def __init__(self, source: Path | str, has: str) -> None:
        needed = "sched_switch (and sched_wakeup, sched_wakeup_new, sched_migrate_task to see who waits)"
        super().__init__(f"no scheduler events in {source}: it has {has or 'no events at all'}; record {needed}")
        self.has = has


class DamagedTrace(AnalyzerError):
    """A DuckDB file that is cut short or whose checksums do not fit."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: truncated or damaged ({why}); restore it from a copy or record again")


class NewerSchema(AnalyzerError):
    """The trace was written by a later version."""

    def __init__(self, path: Path, found: int, known: int) -> None:
        super().__init__(f"{path}: schema version {found}, this wastenot knows up to {known}; upgrade wastenot")


class OlderSchema(AnalyzerError):
    """The trace was written by an earlier version, and can be upgraded."""

    def __init__(self, path: Path, found: int, known: int) -> None:
        super().__init__(f"{path}: schema version {found}, needed is {known}; `wastenot check {path}` upgrades it")


class NoUpgrade(AnalyzerError):
    """No way leads from the file's schema version to this one."""


class LockedTrace(AnalyzerError):
    """Another process has the file open for writing."""

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(f"{path}: being written by {holder}; wait until it is done")


class NoAccess(AnalyzerError):
    """The file or its folder may not be read or written."""


class NotChecked(AnalyzerError):
    """The trace holds events but no verdict yet."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: not checked yet; run `wastenot check {path}`")


class TableMissing(AnalyzerError):
    """A table was asked for that came after the file was checked."""

    def __init__(self, path: Path, table: str) -> None:
        super().__init__(f"{path}: from before table {table} came; `wastenot check {path}` adds it")
        self.table = table


class TablesNotMade(AnalyzerError):
    """A table that is made on demand was asked for, and the file does not have it yet."""

    def __init__(self, path: Path, table: str) -> None:
        how = f"sql {path} 'FROM {table}'" if table in BALANCE_TABLES else f"check --tables all {path}"
        super().__init__(f"{path}: table {table} has not been made; `wastenot {how}` makes it")
        self.table = table

    def refusal_of_window(self) -> BadQuery:
        """The error where only a window is shown, and the query asks for more than that."""
        return BadQuery(
            f"query refused: {self.table} is not one of the tables of a window, or not under the name that the query "
            "gives it; name it without a database, or leave out --window"
        )

    def refusal(self) -> BadQuery:
        """The error where it was made and the query still does not find it."""
        return BadQuery(f"query refused: {self.table} is not there under the name that the query gives it")


class WindowTooLarge(AnalyzerError):
    """A window holds more rows, or a walk to them more events, than are kept in memory."""

    def __init__(self, path: Path, limit: str) -> None:
        super().__init__(
            f"{path}: the window needs more than {limit}; choose a shorter one, "
            f"or `wastenot check --tables all {path}` makes the tables of the whole trace"
        )


class ReplacedMeanwhile(AnalyzerError):
    """The file is another one than when the work on its copy began: what was made belongs to the former one."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: replaced or removed while it was checked; nothing was written, run it again")


class OpenOtherwise(AnalyzerError):
    """This process has the file, or the one that it replaced, open already."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: this process has it open, or the file that it replaced; close that first")


class OtherVersion(AnalyzerError):
    """Findings of another version: tables that are made now would not belong to them."""

    def __init__(self, path: Path, version: str) -> None:
        super().__init__(f"{path}: checked by wastenot {version}; `wastenot check {path}` checks it again")


class StaleFindings(AnalyzerError):
    """The trace was checked by a version that did not find all that this one shows."""

    def __init__(self, path: Path, lacks: str) -> None:
        super().__init__(f"{path}: its findings lack `{lacks}`; `wastenot check {path}` makes them anew")


class OutputExists(AnalyzerError):
    """The output is there already."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: exists already; choose another name with -o or replace it with --force")


class DiskFull(AnalyzerError):
    """No space is left where the trace is written."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: no space left on the disk; free some, or choose another place")


class BadQuery(AnalyzerError):
    """A query that DuckDB refuses; `drawing` is where in the statement: its line, and a caret below the place."""

    drawing = ""

    @classmethod
    def of(cls, error: Exception) -> BadQuery:
        """DuckDB's refusal."""
        text, drawing = first_lines(error), drawing_of(error)
        out = cls(f"query refused: {text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + ' ...'}")
        out.drawing = drawing if len(drawing) <= 2 * MOST_TEXT else ""
        return out


class BadArgument(AnalyzerError):
    """A parameter out of its range: an unknown grade, column, unit ..."""


class NoSuchGroup(BadArgument):
    """A thread, process or cgroup that the trace does not have."""

    def __init__(self, by: str, which: str) -> None:
        super().__init__(f"latency of {which}: no such {by} in this trace; `wastenot latency --by {by}` lists them")
        self.by, self.which = by, which


class QueryLimit(BadQuery):
    """A query that took more memory or time than it may."""


def first_lines(error: Exception) -> str:
    """DuckDB's message in a line: what is wrong and the names that DuckDB suggests, without its drawing."""
    first, *others = str(error).split("\n\n")
    parts = [first, *(part for part in others if part.startswith("Candidate"))]
    kept = [line.strip() for part in parts for line in part.splitlines()]
    return " ".join(line for line in kept if line)


_DRAWING = re.compile(r"^LINE \d+:.*\n *\^+", re.MULTILINE)


def drawing_of(error: Exception) -> str:
    """DuckDB's drawing of the statement, `LINE 1: …` and a caret below the place; empty when there is none."""
    found = _DRAWING.search(str(error))
    return found[0] if found else ""

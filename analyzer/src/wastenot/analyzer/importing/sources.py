"""Traces that other tools took, and archives of ours, as traces of this store."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wastenot import collector
from wastenot._native import collector as native
from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.errors import BadArgument, ForeignFile, MissingSource, NoAccess
from wastenot.analyzer.importing import exported_folders
from wastenot.analyzer.importing.declared_masks import require_matching
from wastenot.analyzer.importing.recordings import recordings, several
from wastenot.analyzer.importing.unpacking import LIVE, STDIN, is_live, unpacked
from wastenot.analyzer.store.building import build, make, require_regular_files
from wastenot.analyzer.store.checking import CheckOptions, Progress
from wastenot.analyzer.store.opening import is_trace
from wastenot.analyzer.store.writing import BatchWriter

TEXT_BYTES = 64 << 20
"""Largest text that describes a machine; that of 8,192 CPUs takes 10 MB."""

DESCRIBED = "give the description of a machine: JSON of `wastenot record`, or hwloc XML (--topology)"
"""What to do about a file that does not describe one."""

Reading = Callable[[int, float], object]
"""Called repeatedly while a trace is read, with the rows so far and the share of the input that was read."""


@dataclass(frozen=True)
class ImportOptions:
    """What the user declares about a trace that does not record it.

    `affinity` holds texts `NAME=CPULIST`; `machine` a file of machine JSON, `topology` one of hwloc XML (at most one of
    both); `kallsyms` the symbols of its kernel, which the reader looks for beside the trace when not given; `formats`
    those of its events, for perf.data that has lost them (tracefs, or another perf.data of that kernel). With
    `keep_strays` few events far away in time from all others are not set aside. `no_host` leaves out the name
    of the machine.
    """

    affinity: tuple[str, ...] = ()
    machine: Path | None = None
    topology: Path | None = None
    kallsyms: Path | None = None
    command: str | None = None
    keep_strays: bool = False
    formats: Path | None = None
    no_host: bool = False

    def declared(self) -> collector.Declared:
        """As the reader takes it."""
        if self.machine and self.topology:
            raise BadArgument("--machine and --topology: give one of them; both describe the machine")
        machine = None
        if self.machine:
            machine = _machine_json(_text(self.machine))
        elif self.topology:
            machine = native.hwloc_to_machine(_text(self.topology))
        return collector.Declared(
            self.affinity, machine, self.kallsyms, self.command, self.keep_strays, self.formats, self.no_host
        )


def import_source(
    source: Path,
    target: Path,
    options: ImportOptions,
    check: CheckOptions,
    progress: Progress | None = None,
    reading: Reading | None = None,
) -> collector.Imported | None:
    """Make the trace `target` of whatever `source` is: see `docs/formats.md` for what is recognised.

    Returns what was read, None for archives and part folders of ours. An existing `target` is replaced when all is
    well, never before. Raises the errors of `errors` and `wastenot._native.WastenotError`.
    """
    if source != STDIN and source.is_dir() and not os.access(source, os.R_OK | os.X_OK):
        raise NoAccess(f"{source}: permission denied; run as its owner or change its mode")
    if source != STDIN and (source / "meta.json").is_file():
        _refuse_declarations(source, options, "the recording of wastenot carries that itself")
        build(source, target, check, progress)
        return None
    name = "standard input" if source == STDIN else str(source)
    with unpacked(source, target) as found:
        if not is_live(found):
            if found.is_dir():
                require_regular_files(found)
            found = _trace_in(found, source)
        if is_trace(found):
            raise BadArgument(f"{source}: a trace of wastenot already; `wastenot check {source}` gives its verdict")
        if (found / "meta.json").is_file():
            _refuse_declarations(source, options, "the recording of wastenot carries that itself")
            build(found, target, check, progress)
            return None
        if (kind := exported_folders.kind_of(found)) is not None:
            _refuse_declarations(source, options, "an export carries that itself; declare it at the first import")
            try:
                make(
                    target,
                    lambda con: exported_folders.read_into(con, found, kind, reading),
                    check,
                    progress,
                    found,
                    source=name,
                )
            except collector.WastenotError as e:
                raise _renamed(e, found, source, read=True) from None
            return None
        imported: list[collector.Imported] = []

        def fill(con: duckdb.DuckDBPyConnection) -> None:
            with BatchWriter(con) as writer:
                place = f"net://{str(found)[len(LIVE) :]}" if is_live(found) else found
                imported.append(collector.import_trace(place, writer.emit, options.declared(), reading))
            require_matching(con, options.affinity)

        try:
            make(target, fill, check, progress, source=name)
        except collector.WastenotError as e:
            raise _renamed(e, found, source, read=bool(imported)) from None
        return imported[0]


def _renamed(error: Exception, found: Path, source: Path, *, read: bool) -> Exception:
    """The error with the name that the user gave instead of where it was unpacked; the check, of what was `read`, knows
    no name."""
    name = "standard input" if source == STDIN else str(source)
    return type(error)(f"{name}: {error}" if read else str(error).replace(str(found), name))


def _refuse_declarations(source: Path, options: ImportOptions, why: str) -> None:
    if options.affinity or options.machine or options.topology or options.formats:
        raise BadArgument(f"{source}: --affinity, --machine, --topology and --formats do not apply: {why}")


def _trace_in(path: Path, source: Path) -> Path:
    """The one recording in a folder, the path itself where it is a recording; ForeignFile when there are several."""
    if not path.is_dir():
        return path
    found = recordings(path)
    if len(found) > 1:
        raise ForeignFile(source, *several(path, found, unpacked=path != source))
    # A folder of CTF is opened as it was given: symbols and the machine may be beside what it holds.
    return path if not found or collector.recognise(path) else found[0]


def _text(path: Path) -> str:
    try:
        with path.open("rb") as f:
            text = f.read(TEXT_BYTES + 1)
        if len(text) > TEXT_BYTES:
            raise ForeignFile(path, f"larger than {TEXT_BYTES >> 20} MiB", DESCRIBED)
        return text.decode("utf-8")
    except FileNotFoundError:
        raise MissingSource(path) from None
    except OSError as e:
        raise NoAccess(f"{path}: {e.strerror}") from None
    except UnicodeDecodeError:
        raise ForeignFile(path, "not a text", DESCRIBED) from None


def _machine_json(text: str) -> str:
    """A machine's JSON; a `machine.json` of a recording or an exported row is taken as well."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text  # the reader names what is wrong
    return str(found["snapshot"]) if isinstance(found, dict) and "snapshot" in found else text

"""From a trace that another tool took to Arrow tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wastenot import _native
from wastenot._native import ArrowStream


@dataclass(frozen=True)
class Declared:
    """What the user declares about a trace because it is not in the trace.

    `affinity` holds texts `NAME=CPULIST` (NAME a glob over thread names, later ones win); `machine` a machine's JSON;
    `kallsyms` the path of the symbols of its kernel; `formats` that of its events' formats, for perf.data that has
    lost them (tracefs, or another perf.data of that kernel); `command` the command line that is stored with the trace.
    `keep_strays`: few events far away in time from all others are not set aside. `no_host`: the name of the
    machine is left out.
    """

    affinity: Sequence[str] = ()
    machine: str | None = None
    kallsyms: Path | None = None
    command: str | None = None
    keep_strays: bool = False
    formats: Path | None = None
    no_host: bool = False

    def to_json(self) -> str:
        """As the native reader takes it."""
        kallsyms = None if self.kallsyms is None else str(self.kallsyms)
        declared = {
            "affinity": list(self.affinity),
            "machine": self.machine,
            "kallsyms": kallsyms,
            "formats": None if self.formats is None else str(self.formats),
            "command": self.command,
        }
        return json.dumps(declared | {"keep_strays": self.keep_strays, "no_host": self.no_host})


@dataclass(frozen=True)
class Imported:
    """What was read; times in ns on the trace's clock.

    `events` counts rows, `read` events of the trace by name. `duplicates` were recorded by two channels and are one
    row; `strays` were set aside, few and far away in time from all others, `wrong_stamps` left out, far ahead of
    those beside them; `out_of_order` are stamped before the one ahead of them; `garbled` could not be what they say,
    `ignored` mean nothing here;
    `undeclared` counts names of threads without a declared mask. `notes` tells what is missing
    or odd, `unverified` in which ways the trace goes past what the readers have been verified on.
    """

    source: str
    events: int
    start_ns: int
    end_ns: int
    complete: bool
    evidence_level: str
    notes: tuple[str, ...]
    unverified: tuple[str, ...]
    read: Mapping[str, int]
    strays: int
    wrong_stamps: int
    out_of_order: int
    duplicates: int
    garbled: int
    ignored: int
    undeclared: int


def recognise(path: str | Path) -> str | None:
    """The format of what lies at `path`: ctf, trace.dat, perf, perfetto or ftrace; None when it is none of those."""
    return _native.collector.recognise(path)


def import_trace(
    path: str | Path,
    emit: Callable[[str, ArrowStream], object],
    declared: Declared | None = None,
    progress: Callable[[int, float], object] | None = None,
) -> Imported:
    """Read the trace at `path` (file or folder, recognised by its content) in bounded memory.

    `emit(table, stream)` receives the batches of every event table in order of id, then the entity tables;
    `progress(rows, share)` the rows so far and the share of the input that was read. Raises WastenotError with one
    line; what the callbacks raise goes through.
    """
    summary = json.loads(_native.collector.import_trace(path, emit, (declared or Declared()).to_json(), progress))
    return Imported(**{**summary, "notes": tuple(summary["notes"]), "unverified": tuple(summary["unverified"])})

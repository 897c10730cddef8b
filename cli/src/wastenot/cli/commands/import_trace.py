"""`wastenot import`: traces that other tools took, exports, and what an interrupted recording left."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.analyzer.errors import MissingSource, OutputExists
from wastenot.analyzer.importing.recordings import recordings
from wastenot.analyzer.importing.unpacking import STDIN, is_live
from wastenot.analyzer.text.units import counted
from wastenot.cli.commands.check import print_made
from wastenot.cli.errors import CommandError
from wastenot.cli.options import force_option, json_option, quiet_option, strict_option
from wastenot.cli.output import note, progress_lines
from wastenot.cli.parameters import INPUT, PATH, TEXT, argument, command, flag, option
from wastenot.collector import Imported

ENDINGS = (
    ".part",
    ".gz",
    ".xz",
    ".zip",
    ".tgz",
    ".tar",
    ".data",
    ".dat",
    ".txt",
    ".html",
    ".pftrace",
    ".perfetto-trace",
    ".prv",
    ".otf2",
)
"""Endings that the name of the trace made of a source does not keep."""


@command("import")
@argument(
    "sources",
    type=INPUT,
    nargs=-1,
    required=True,
    metavar="SRC…",
    help="CTF folder, trace.dat, ftrace text, systrace HTML, perf.data, Perfetto, Paraver (.prv), OTF2, an export, "
    "T.duckdb.part; any of them in a tar, zip, gz or xz; - for standard input; net://HOST/host/NAME/SESSION for LTTng "
    "live.",
)
@option("--output", "-o", type=PATH, metavar="T.duckdb", help="Trace to make (SRC.duckdb in this folder).")
@option("--machine", type=PATH, metavar="M.json", help="The machine it was taken on, as JSON.")
@option("--topology", type=PATH, metavar="lstopo.xml", help="The same as hwloc XML.")
@option(
    "--affinity",
    type=TEXT,
    multiple=True,
    metavar="NAME=CPULIST",
    help="CPUs that threads of this name (a glob) may use, as in 'hog*=0-3'. Repeatable, later ones win.",
)
@option("--kallsyms", type=PATH, metavar="FILE", help="Symbols of its kernel; else kallsyms[.gz] beside it.")
@option("--formats", type=PATH, metavar="PATH", help="Formats of its events, for perf.data that has lost them.")
@flag("--no-host", help="Leave out the name of the machine, for a trace that is to be published.")
@flag("--keep-strays", help="Keep events that are few and far away in time from all others.")
@flag("--each", help="Of a folder with several recordings in it, make a trace of each.")
@strict_option
@json_option
@force_option
@quiet_option
def import_(
    sources: tuple[Path, ...],
    output: Path | None,
    machine: Path | None,
    topology: Path | None,
    affinity: tuple[str, ...],
    kallsyms: Path | None,
    formats: Path | None,
    no_host: bool,
    keep_strays: bool,
    each: bool,
    strict: bool,
    as_json: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Make a trace of what another tool recorded, check it and print the verdict.

    The format is recognised by content. Scheduler events do not carry the CPUs that a thread may use: give them with
    --affinity, and the machine with --machine or --topology, as far as you know them. Each SRC becomes a trace; a
    folder with several recordings in it is refused, with their names, unless --each is given. SRC is never changed.

    `perf record` writes the formats of its events last: where it was killed, or its disk was full, they are missing.
    --formats gives them from tracefs (/sys/kernel/tracing) of the same kernel, or from another perf.data of it.
    """
    for source in sources:
        if source != STDIN and not is_live(source) and not source.exists():
            raise MissingSource(source)
    named = _each(sources) if each else [(source, None) for source in sources]
    if output is not None and len(named) > 1:
        raise CommandError(f"-o {output}: names one trace, but there are {len(named)} sources")
    command = shlex.join(["wastenot", *sys.argv[1:]])
    options = ImportOptions(affinity, machine, topology, kallsyms, command, keep_strays, formats, no_host)
    for source, name in named:
        target = output or name or _beside(source)
        if target.exists() and not force:
            raise OutputExists(target)
        with progress_lines(quiet) as lines:
            progress = (None, None) if lines is None else (lines.checking, lines.reading)
            imported = import_source(source, target, options, CheckOptions(strict), *progress)
        if not quiet and imported is not None:
            note(_summary(imported))
        print_made(target, as_json=as_json, quiet=quiet)


def _each(sources: Sequence[Path]) -> list[tuple[Path, Path | None]]:
    """The recordings in the sources; those in a folder of several with the name of the trace to make."""
    out: list[tuple[Path, Path | None]] = []
    for source in sources:
        found = recordings(source) if source.is_dir() else []
        if len(found) < 2:
            out.append((source, None))
            continue
        whole = ["-".join(path.relative_to(source).parts) or source.resolve().name for path in found]
        names = [_stem(name).removesuffix(".duckdb") for name in whole]
        for path, name, all_of_it in zip(found, names, whole, strict=True):
            # trace.dat and trace.txt in one folder keep their endings, which differ.
            out.append((path, Path(f"{name if names.count(name) == 1 else all_of_it}.duckdb")))
    return out


def _stem(name: str) -> str:
    while name.endswith(ENDINGS):
        name = name[: name.rindex(".")]
    return name


def _beside(source: Path) -> Path:
    """The name of the trace made of a source: in the folder where we are, except for a part folder's own."""
    if source == STDIN or is_live(source):
        raise CommandError("-o is required when reading from standard input or a live session, as in -o T.duckdb")
    name = _stem(source.resolve().name)
    if source.name.endswith(".part"):
        return source.with_name(f"{source.name.removesuffix('.part').removesuffix('.duckdb')}.duckdb")
    return Path(f"{name or 'trace'}.duckdb")


def _summary(imported: Imported) -> str:
    kinds = ", ".join(f"{name} {n:,}" for name, n in sorted(imported.read.items(), key=lambda kind: -kind[1])[:4])
    parts = [f"read {counted(sum(imported.read.values()), 'event')} of {imported.source} ({kinds})"]
    for n, text in (
        (imported.duplicates, "recorded twice"),
        (imported.strays, "far away in time, set aside"),
        (imported.wrong_stamps, "with wrong timestamps, left out"),
        (imported.out_of_order, "with earlier timestamps than the event before"),
        (imported.garbled, "garbled"),
        (imported.ignored, "of other kinds"),
    ):
        if n:
            parts.append(f"{n:,} {text}")
    return "; ".join(parts)

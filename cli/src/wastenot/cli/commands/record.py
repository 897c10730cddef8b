"""`wastenot record`: capture from the live kernel, then the verdict."""

from __future__ import annotations

import json
import resource
import shlex
import time
from pathlib import Path
from signal import Signals
from typing import Annotated

import typer
from wastenot._native import collector
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.analyzer.atomic import claimed_part, require_writable, sweep
from wastenot.analyzer.building import finish_recording, never_begun, remove_recorded
from wastenot.analyzer.errors import DiskFull, OutputExists
from wastenot.analyzer.store import part_folder
from wastenot.analyzer.units import parse_duration
from wastenot.cli.commands.check import print_verdict
from wastenot.cli.errors import CommandError
from wastenot.cli.options import ForceOption, JsonOption, QuietOption
from wastenot.cli.output import check_progress, note, note_kept, why_kept, wrote
from wastenot.cli.own_folder import require_own_folder
from wastenot.cli.recording import (
    LeftUnfinished,
    LttngRecorder,
    Recorded,
    Recorder,
    WithBubbles,
    record_to,
    require_command,
    two_step_interrupt,
)

SOURCES = ("auto", "ebpf", "tracefs", "lttng")
SOURCE_HELP = "How to capture. lttng was never run with LTTng's kernel modules: it follows their documentation."
COUNTING = ("auto", "on", "off")
FILES = 128
"""Open files that a recording needs at most, without hardware counters: one for each program and its link (26), maps,
what Python and DuckDB hold. Where function probes are refused 60 were enough and 40 were not."""
ENDED = {
    "command": "the command ended",
    "duration": "the time is over",
    "interrupt": "interrupted",  # by which signal follows
    "disk_full": "the disk is full, what came later is missing",
}
"""Reasons of `trace.end_reason` in words."""


def record(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- CMD…]", help="Record while this command runs.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="T.duckdb", help="Trace to make; else wastenot-<date>-<time>.duckdb."),
    ] = None,
    length: Annotated[
        str | None, typer.Option("--for", metavar="DUR", help="Stop after this time, as in 10s.", show_default=False)
    ] = None,
    source: Annotated[str, typer.Option(metavar="auto|ebpf|tracefs|lttng", help=SOURCE_HELP)] = "auto",
    no_stacks: Annotated[bool, typer.Option("--no-stacks", help="No kernel stacks at migrations.")] = False,
    counters: Annotated[
        bool, typer.Option("--counters", help="Hardware counters at switches, where there are any.")
    ] = False,
    schedstat: Annotated[
        str,
        typer.Option(
            metavar="auto|on|off",
            help="Read what the kernel's balancer counts, which it does while the sysctl kernel.sched_schedstats is 1: "
            "on sets it for the time of the recording, auto where the balancer's passes cannot be recorded.",
        ),
    ] = "auto",
    cpus_scanned: Annotated[
        bool,
        typer.Option(
            "--cpus-scanned",
            help="With each placement of a thread the CPUs that it looked at, where functions may be probed and the "
            "kernel has one for it (6.1 to 6.18 have, 7.2 has not).",
        ),
    ] = False,
    with_bubbles: Annotated[
        bool,
        typer.Option("--with-bubbles", help="Also what applications tell of their bubbles (LTTng-UST)."),
    ] = False,
    as_json: JsonOption = False,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Record the scheduler until CMD ends, the time is over or Ctrl-C; then check and print the verdict.

    A second Ctrl-C stops at once and leaves T.duckdb.part, which `wastenot check T.duckdb` finishes later.
    """
    if source not in SOURCES:
        raise CommandError(f"--source {source}: one of {', '.join(SOURCES)}")
    if schedstat not in COUNTING:
        raise CommandError(f"--schedstat {schedstat}: one of {', '.join(COUNTING)}")
    length_ns = None if length is None else parse_duration(length)
    if length_ns == 0:
        raise CommandError(f"--for {length}: a recording takes some time; write for example 10s")
    if source == "lttng" and (obstacle := collector.LttngSession.obstacle()):
        raise CommandError(f"--source lttng: {obstacle}")
    if with_bubbles and (obstacle := collector.LttngSession.obstacle(bubbles=True)):
        raise CommandError(f"--with-bubbles: {obstacle}")
    target = output or Path(time.strftime("wastenot-%Y%m%d-%H%M%S.duckdb"))
    if target.name in ("", ".."):
        raise CommandError(f"-o {str(output)!r}: names a folder and no file in it; name the trace, as in -o T.duckdb")
    words = command or []
    require_command(words)
    _require_files()
    require_own_folder(target.parent)
    with claimed_part(part_folder(target)):
        part = make_room(target, force)
        told = shlex.join(words) if words else None
        recorder: Recorder
        if source == "lttng":
            recorder = LttngRecorder(part, stacks=not no_stacks)
        else:
            options = {"source": source, "stacks": not no_stacks, "counters": counters, "command": told}
            if cpus_scanned:
                options["considered"] = True
            if schedstat != "auto":
                options["schedstat"] = schedstat
            recorder = collector.Recorder(str(part), json.dumps(options))
        if with_bubbles:
            recorder = WithBubbles(recorder, part / "bubbles")
        try:
            with two_step_interrupt() as interrupts:
                if not (words or length_ns or quiet):
                    note("recording until Ctrl-C")
                recorded = record_to(
                    recorder, words, length_ns, interrupts, quiet=quiet, says_missing=as_json and not quiet
                )
                if not quiet:
                    note(_told(recorded))
                with check_progress(quiet) as progress:
                    if source == "lttng":
                        import_source(part, target, ImportOptions(command=told), CheckOptions(), progress)
                        remove_recorded(part)
                    else:
                        finish_recording(part, target, CheckOptions(), progress)
        except DiskFull:
            raise CommandError(
                f"{part}: no space left to make the trace; free some, then `wastenot check {target}`"
            ) from None
        except LeftUnfinished:
            raise CommandError(
                f"stopped; what was recorded is in {part}; `wastenot check {target}` finishes it"
            ) from None
    if not quiet:
        note_kept(part)
        note(wrote(target))
    print_verdict(target, [], as_json=as_json, quiet=quiet)


def _require_files() -> None:
    """Raise CommandError when BPF programs, maps and links would not all get a file descriptor."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < FILES:
        raise CommandError(
            f"this process may open {soft} files and a recording needs {FILES}; raise the limit, as with "
            "`ulimit -n 1024`; nothing was recorded"
        )


def make_room(target: Path, force: bool) -> Path:
    """The part folder to record into, once nothing stands in the way. Raises OutputExists, NoAccess, CommandError."""
    part = part_folder(target)
    sweep(part.parent)
    if target.exists() and not force:
        raise OutputExists(target)
    if part.exists() and not force and not never_begun(part):
        raise CommandError(f"{part}: an unfinished recording; `wastenot check {target}` finishes it, --force drops it")
    require_writable(target)
    if part.exists() and not remove_recorded(part):
        raise CommandError(f"{part}: in the way, and {why_kept(part)}; move it away, or choose another place with -o")
    return part


def _ended(reason: str, status: int | None, signal: int | None) -> str:
    """Why the recording ended, and how the command did: `the time is over; the command was ended by SIGTERM`."""
    text = ENDED.get(reason, reason)
    if reason == "interrupt" and signal is not None:
        text += f" by {_signal_name(signal)}"
    if status is None:
        return text
    how = f"was ended by {_signal_name(-status)}" if status < 0 else f"ended with status {status}"
    return f"the command {how}" if reason == "command" else f"{text}; the command {how}"


def _signal_name(number: int) -> str:
    """`SIGTERM`; `signal 40` for one without a name."""
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"


def _told(recorded: Recorded) -> str:
    ended = _ended(recorded.reason, recorded.command_status, recorded.signal)
    if not (recorded.events or recorded.lost):
        return f"recorded; {ended}"  # LTTng tells only afterwards
    return f"recorded {recorded.events:,} records, {recorded.lost:,} lost; {ended}"

"""`wastenot record`: capture from the live kernel, then the verdict."""

from __future__ import annotations

import json
import os
import resource
import shlex
import time
from pathlib import Path
from signal import Signals

from wastenot._native import collector
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.analyzer.errors import DiskFull, OutputExists
from wastenot.analyzer.store.building import finish_recording, never_begun, remove_recorded
from wastenot.analyzer.store.opening import part_folder
from wastenot.analyzer.store.temporary_files import claimed_part, require_writable, sweep
from wastenot.analyzer.text.units import parse_duration
from wastenot.cli.commands.check import print_made
from wastenot.cli.errors import CommandError
from wastenot.cli.options import force_option, json_option, quiet_option
from wastenot.cli.output import check_progress, note, note_kept, why_kept
from wastenot.cli.own_folder import require_own_folder
from wastenot.cli.parameters import PATH, TEXT, argument, flag, option
from wastenot.cli.parameters import command as verb
from wastenot.cli.recording import (
    RecordingEnd,
    UnfinishedRecording,
    record_to,
    require_command,
    two_step_interrupt,
)
from wastenot.collector import calls

SOURCES = ("auto", "ebpf", "tracefs", "lttng")
SOURCE_HELP = "Tracer to record with. lttng is untested with LTTng's kernel modules."
COUNTING = ("auto", "on", "off")
FILES = 128
"""Most open files of a recording without hardware counters: one for each program and its link (26), maps, files of
Python and DuckDB. Where function probes are refused 60 were enough and 40 were not."""
FILES_OF_CALLS = 64
"""Further ones where calls of OpenMP or MPI are recorded: two links for each library and program."""
ENDED = {
    "command": "the command ended",
    "duration": "the time is over",
    "interrupt": "interrupted",  # by which signal follows
    "disk_full": "the disk is full, later events are missing",
}
"""Reasons of `trace.end_reason` in words."""


@verb()
@argument("command", type=TEXT, nargs=-1, required=False, metavar="[-- CMD…]", help="Record while this command runs.")
@option("--output", "-o", type=PATH, metavar="T.duckdb", help="Trace to make (wastenot-<date>-<time>.duckdb).")
@option("--for", "length", type=TEXT, metavar="DUR", help="Stop after this time, as in 10s.")
@option("--source", type=TEXT, default="auto", metavar="auto|ebpf|tracefs|lttng", help=SOURCE_HELP)
@flag("--no-host", help="Leave out the name of this machine, for a trace that is to be published.")
@flag("--no-stacks", help="No kernel stacks at migrations.")
@flag("--wakeup-stacks", help="Kernel stacks at wakeups: which code wakes threads. Each wakeup takes longer for it.")
@flag(
    "--switch-stacks",
    help="Kernel stacks at switches: where threads sleep, block or are preempted. Each switch takes longer for it.",
)
@flag("--counters", help="Hardware counters at switches, on machines that have some.")
@option(
    "--schedstat",
    type=TEXT,
    default="auto",
    metavar="auto|on|off",
    help="Read the load balancer's counters, which count while the sysctl kernel.sched_schedstats is 1: on "
    "sets it for the time of the recording, auto where load-balance attempts cannot be recorded.",
)
@flag(
    "--cpus-scanned",
    help="The CPUs that each wakeup scans, where functions may be probed and available_idle_cpu() is not "
    "inlined (6.1 to 6.18; not 7.2).",
)
@flag("--power", help="Idle states and frequencies of CPUs, for the timeline. With eBPF; idle CPUs write more events.")
@flag(
    "--openmp",
    help="Calls of OpenMP (libgomp, libomp) in which threads wait, and bodies of parallel regions: by them `wastenot "
    "balance` sees waiting that spins. Each takes 1 to 10 us longer.",
)
@flag(
    "--mpi",
    help="Calls of MPI in which processes wait (PMPI_Wait*, Recv, collectives ...), likewise.",
)
@flag(
    "--call-library",
    help="Calls of MPI and OpenMP by a library that is preloaded into CMD (LTTng-UST), instead of probes: for some "
    "0.3 us each. Of programs that are linked dynamically.",
)
@flag("--with-bubbles", help="Record applications' bubbles as well (LTTng-UST).")
@json_option
@force_option
@quiet_option
def record(
    command: tuple[str, ...],
    output: Path | None,
    length: str | None,
    source: str,
    no_host: bool,
    no_stacks: bool,
    wakeup_stacks: bool,
    switch_stacks: bool,
    counters: bool,
    schedstat: str,
    cpus_scanned: bool,
    power: bool,
    openmp: bool,
    mpi: bool,
    call_library: bool,
    with_bubbles: bool,
    as_json: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Record the scheduler until CMD ends, the time is over or Ctrl-C; then check and print the verdict.

    A second Ctrl-C stops at once and leaves T.duckdb.part, which `wastenot check T.duckdb` turns into a trace.
    """
    if source not in SOURCES:
        raise CommandError(f"--source {source}: one of {', '.join(SOURCES)}")
    if schedstat not in COUNTING:
        raise CommandError(f"--schedstat {schedstat}: one of {', '.join(COUNTING)}")
    for asked, name in ((openmp, "--openmp"), (mpi, "--mpi")):
        if asked and source not in ("auto", "ebpf"):
            raise CommandError(f"{name}: calls are recorded with eBPF alone, not with --source {source}")
    for asked, name in ((wakeup_stacks, "--wakeup-stacks"), (switch_stacks, "--switch-stacks")):
        if asked and source not in ("auto", "ebpf"):
            raise CommandError(f"{name}: these stacks are recorded with eBPF alone, not with --source {source}")
    if power and source not in ("auto", "ebpf"):
        raise CommandError(
            f"--power: idle states and frequencies are recorded with eBPF alone, not with --source {source}"
        )
    if no_host and source == "lttng":
        raise CommandError(
            "--no-host: LTTng writes the name of the machine into its trace; record with --source ebpf or tracefs"
        )
    environment = _preloaded(list(command), probes=openmp or mpi) if call_library else None
    length_ns = None if length is None else parse_duration(length)
    if length_ns == 0:
        raise CommandError(f"--for {length}: must be longer than 0; for example --for 10s")
    target = output or Path(time.strftime("wastenot-%Y%m%d-%H%M%S.duckdb"))
    if target.name in ("", ".."):
        raise CommandError(f"-o {str(output)!r}: a folder; name the trace to make, as in -o T.duckdb")
    words = list(command)
    command_line = shlex.join(words) if words else None
    options = {
        "source": source,
        **({"host": False} if no_host else {}),
        "stacks": not no_stacks,
        **{key: True for key, asked in (("wakeup_stacks", wakeup_stacks), ("switch_stacks", switch_stacks)) if asked},
        "counters": counters,
        "schedstat": schedstat,
        "cpus_scanned": cpus_scanned,
        **({"power": True} if power else {}),
        **({"openmp": openmp, "mpi": mpi, "command_words": words} if openmp or mpi else {}),
        "with_bubbles": with_bubbles or call_library,
        "command": command_line,
    }
    recorder = collector.Recorder(part_folder(target), json.dumps(options))
    if obstacle := recorder.obstacle():
        what = "--source lttng" if source == "lttng" else "--with-bubbles" if with_bubbles else "--call-library"
        raise CommandError(f"{what}: {obstacle}")
    require_command(words)
    _require_files(FILES + (FILES_OF_CALLS if openmp or mpi else 0))
    require_own_folder(target.parent)
    with claimed_part(part_folder(target)):
        part = prepare_part(target, force)
        try:
            with two_step_interrupt() as interrupts:
                if not (words or length_ns or quiet):
                    note("recording until Ctrl-C")
                ended = record_to(
                    recorder, words, length_ns, interrupts, quiet=quiet, list_missing=as_json and not quiet,
                    environment=environment,
                )  # fmt: skip
                if not quiet:
                    note(_summary(ended))
                with check_progress(quiet) as progress:
                    if ended.form == "ctf":
                        import_source(part, target, ImportOptions(command=command_line), CheckOptions(), progress)
                        remove_recorded(part)
                    else:
                        finish_recording(part, target, CheckOptions(), progress)
        except DiskFull:
            raise CommandError(
                f"{part}: no space left to make the trace; free some, then `wastenot check {target}`"
            ) from None
        except UnfinishedRecording:
            raise CommandError(
                f"stopped; what was recorded is in {part}; `wastenot check {target}` finishes it"
            ) from None
    if not quiet:
        note_kept(part)
    print_made(target, as_json=as_json, quiet=quiet)


def _preloaded(command: list[str], *, probes: bool) -> dict[str, str]:
    """The environment of a command that reports its calls itself. Raises CommandError where that cannot be."""
    if probes:
        raise CommandError("--call-library: records calls of MPI and OpenMP by itself; leave out --openmp and --mpi")
    if not command:
        raise CommandError("--call-library: it is preloaded into a command; give one, as in -- mpirun ./solver")
    library = calls.call_library()
    if library is None:
        why = "not in this installation (it is built where liblttng-ust-dev is installed: make -C collector/calls)"
        raise CommandError(f"--call-library: no {calls.LIBRARY}: {why}; --mpi and --openmp need none")
    return calls.preloading(library, os.environ)


def _require_files(needed: int) -> None:
    """Raise CommandError when the limit of open files is too low for all BPF programs, maps and links."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < needed:
        raise CommandError(
            f"this process may open {soft} files and a recording needs {needed}; raise the limit, as with "
            "`ulimit -n 1024`; nothing was recorded"
        )


def prepare_part(target: Path, force: bool) -> Path:
    """Remove what --force or an earlier recording allows to; returns the part folder to record into.

    Raises OutputExists, NoAccess, CommandError.
    """
    part = part_folder(target)
    sweep(part.parent)
    if target.exists() and not force:
        raise OutputExists(target)
    if part.exists() and not force and not never_begun(part):
        raise CommandError(f"{part}: an unfinished recording; `wastenot check {target}` finishes it, --force drops it")
    require_writable(target)
    if part.exists() and not remove_recorded(part):
        raise CommandError(f"{part}: exists, and {why_kept(part)}; move it away, or choose another place with -o")
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


def _summary(end: RecordingEnd) -> str:
    reason = _ended(end.reason, end.command_status, end.signal)
    if not (end.events or end.lost):
        return f"recorded; {reason}"  # LTTng gives no figures
    return f"recorded {end.events:,} records, {end.lost:,} lost; {reason}"

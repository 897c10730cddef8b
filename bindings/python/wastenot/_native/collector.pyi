"""Bringing events in: recorder, decoder, snapshots of the machine (the crates of collector/)."""

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, Protocol

from wastenot._native import ArrowStream

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...

class Recorder:
    """Records this machine into `folder`, which must not exist: the scheduler, or applications' bubbles.

    `options` is JSON (`wastenot_record::RecordingOptions`); every key may be left out. `source` is auto, ebpf, tracefs,
    lttng or bubbles. Nothing happens before `start`; dropping a started recorder ends the recording with the reason
    interrupt. Every method raises WastenotError with one line.
    """

    def __init__(self, folder: str | PathLike[str], options: str = "{}") -> None: ...
    def obstacle(self) -> str | None:
        """Why it cannot record here, in one line, as far as that is known without trying; None where it may."""

    def start(self) -> str:
        """Start; returns JSON: source, not_recorded."""

    def stats(self) -> str:
        """Figures so far, as JSON; `ended` is not null where the recording has ended by itself."""

    def stop(self, reason: str) -> str:
        """Stop with the reason command, duration or interrupt.

        Returns JSON: end_reason, stats, form (`part` or `ctf`: what the folder holds), warnings.
        """

class Watcher:
    """Watches this machine: a sentinel looks at all runqueues, a black box holds the events of the last seconds.

    `options` is JSON (`wastenot_ebpf::watch::WatchOptions`); every key may be left out: keep_ns, keep_bytes, look_ns,
    hit_ns, sentinel_only, look_clock, and those of Recorder for the events in the box. Nothing happens before `start`;
    dropping it ends it. Every method may be called from any thread and raises WastenotError with one line.
    """

    def __init__(self, options: str = "{}") -> None: ...
    def start(self) -> str:
        """Start; returns JSON.

        sentinel, no_sentinel, ring_bytes, no_black_box, attach, cpus, kinds, not_recorded, start_ns.
        """

    def status(self) -> str:
        """Figures so far, as JSON (`wastenot_ebpf::watch::WatchStatus`); cheap. Times are ns of CLOCK_MONOTONIC."""

    def save(self, folder: str | PathLike[str], after_ns: int, reason: str) -> str:
        """Save what the black box holds and what follows for `after_ns` as a part folder.

        `status` may be called meanwhile.
        `folder` must not exist. Returns when it is written, with JSON: asked_ns, start_ns, end_ns, kept_ns, whole,
        events, lost, write_ns, end_reason, stats. Raises while another box is being saved.
        """

    def stop(self) -> str:
        """Stop; a box that is being saved ends here. Returns the last figures, as JSON."""

def decode(
    part_dir: str | PathLike[str],
    emit: Callable[[str, ArrowStream], object],
    progress: Callable[[int, float | None], object] | None = None,
) -> str:
    """Decode a recording's folder; `emit(table, stream)` receives every event table's batches, then the entity tables.

    `progress(events, share)` is called with the events so far and the share of the recording that is done, None where
    its end is not known. Returns the summary as JSON. What the callbacks raise goes through; else
    WastenotError with one line.
    """

def import_trace(
    path: str | PathLike[str],
    emit: Callable[[str, ArrowStream], object],
    options: str = "{}",
    progress: Callable[[int, float], object] | None = None,
) -> str:
    """Read another tool's trace, recognised by its content; `emit` as for `decode`.

    `options` is JSON: `affinity` (list of NAME=CPULIST), `machine` (JSON text), `kallsyms` (path), `command`. Returns
    the summary as JSON. What the callbacks raise goes through; else WastenotError with one line.
    """

def recognise(path: str | PathLike[str]) -> str | None:
    """The format of what lies at `path`: ctf, trace.dat, perf, perfetto or ftrace. Raises WastenotError."""

def schedstat(before: str | PathLike[str], after: str | PathLike[str] | None = None) -> str:
    """What the load balancer counted between the readings of /proc/schedstat in `before` and `after`, as JSON.

    Each a perf.data of `perf sched stats record` (which holds two) or a text. Raises WastenotError.
    """

def write_perfetto(tables: Mapping[str, _Stream], path: str | PathLike[str]) -> tuple[int, int, int]:
    """Write a trace as a Perfetto trace to the file `path`; returns events, packets and bytes written.

    `tables` maps names to streams: the event tables in the order of their ids, and those of `perfetto_tables`. Raises
    WastenotError; no file is left then.
    """

def perfetto_tables() -> list[str]:
    """Tables beside those of events that `write_perfetto` uses."""

def machine_snapshot(sysfs_root: str | PathLike[str] = "/") -> str:
    """Snapshot of the machine whose /sys and /proc lie under `sysfs_root`, as JSON. Raises WastenotError."""

def hwloc_to_machine(xml: str) -> str:
    """The machine that hwloc XML describes, as JSON. Raises WastenotError."""

def machine_to_hwloc(json: str) -> str:
    """A machine's JSON as hwloc XML. Raises WastenotError."""

def parse_cpu_list(text: str) -> list[int]:
    """The CPUs of the kernel's `0-3,8` or `0-31:4/8`, ascending, each once. Raises WastenotError."""

def doctor() -> str:
    """What this kernel and user may do, each thing tried out, as JSON."""

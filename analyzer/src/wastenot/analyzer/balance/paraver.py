"""An application as a trace for Paraver, the viewer of the Barcelona Supercomputing Center: what its ranks did.

Three files: `.prv` the records, `.pcf` names and colours of states and events, `.row` names of CPUs and ranks. Records
are lines of numbers, `1:cpu:application:task:thread:start:end:state` and
`2:cpu:application:task:thread:time:type:value`, in order of time; numbers of CPUs, tasks and threads start at 1 (BSC:
Paraver trace file description). Events have the types that Extrae gives to calls of MPI and OpenMP, and two of our own:
iterations, and which rank woke another, without which the iterations of ranks that sleep could not be found again.
States are as the balance counts them: a rank on a CPU that does interrupt work is Interrupted, one that is queued on a
CPU that was not observed is in state Other. `wastenot import` reads all of it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv
from wastenot.analyzer.balance.application import Application
from wastenot.analyzer.balance.calls import KINDS
from wastenot.analyzer.balance.crews import Crew
from wastenot.analyzer.balance.decomposition import (
    BLOCKED,
    INTERRUPTED,
    PREEMPTED,
    RUNNABLE,
    RUNNING,
    SLEEPING,
    THROTTLED,
    CpuTimes,
    States,
    as_counted,
)
from wastenot.analyzer.balance.measuring import cpu_times
from wastenot.analyzer.balance.timelines import Ints
from wastenot.analyzer.errors import BadArgument, OutputExists
from wastenot.analyzer.result import Queryable
from wastenot.analyzer.store.temporary_files import finish, temporary_folder

ITERATION = 90_000_001
"""Type of the event at the start of each iteration, window or stretch between releases; its value is the number."""

WOKEN_BY = 90_000_002
"""Type of the event where a rank is woken by another: the value is that one's number, from 1 on."""

CALL_TYPES = {
    "work": 60_000_018, "parallel": 60_000_001, "barrier": 60_000_005, "collective": 50_000_002, "wait": 50_000_001,
    "receive": 50_000_001, "send": 50_000_001, "probe": 50_000_001, "startup": 50_000_003,
}  # fmt: skip
"""Type of the events at entry and return of a call, by kind of region: those of Extrae."""

CALL_CLASSES = {
    50_000_001: "MPI Point-to-point", 50_000_002: "MPI Collective Comm", 50_000_003: "MPI Other",
    60_000_001: "Parallel (OMP)", 60_000_005: "OpenMP barrier", 60_000_018: "Executed OpenMP parallel function",
}  # fmt: skip

STATES = {
    RUNNING: (1, "Running", "0,0,255"),
    SLEEPING: (5, "Waiting (asleep)", "255,0,0"),
    PREEMPTED: (7, "Preempted", "255,255,0"),
    RUNNABLE: (14, "Queued after a wakeup", "255,144,26"),
    THROTTLED: (9, "Without quota", "162,0,0"),
    BLOCKED: (12, "Blocked (I/O)", "255,110,180"),
    INTERRUPTED: (40, "Interrupted", "120,120,120"),
}
"""By phase: number, name and colour. Numbers are those of Paraver's own states of like meaning; of 40 it has none."""

OTHER = (15, "Other", "192,224,0")

MOST_STATES = 2_000_000
"""About so many states are held at once."""


def export_paraver(trace: Queryable, application: Application, target: Path, *, force: bool = False) -> int:
    """Write an application as `target` (`.prv`) with `.pcf` and `.row` beside it; returns the number of records.

    Raises OutputExists, BadArgument where the name does not end in `.prv`, NoAccess, DiskFull.
    """
    if target.suffix != ".prv":
        raise BadArgument(f"{target}: the name of a Paraver trace ends in .prv; two files of that name go beside it")
    files = [target, target.with_suffix(".pcf"), target.with_suffix(".row")]
    for file in files if not force else ():
        if file.exists():
            raise OutputExists(file)
    cpus = [row["cpu"] for row in trace.sql("SELECT cpu FROM cpu ORDER BY cpu")]
    epoch_ns = trace.sql("SELECT epoch_ns FROM trace").one()["epoch_ns"]
    with temporary_folder(target) as folder:
        written = [folder / file.name for file in files]
        records = _write_records(written[0], trace, application, cpus, epoch_ns)
        written[1].write_text(_names_of_states(_calls(application)), encoding="utf-8")
        written[2].write_text(_names_of_rows(application.crew, cpus), encoding="utf-8")
        for temporary, file in zip(
            reversed(written), reversed(files), strict=True
        ):  # the records last: then all is there
            finish(temporary, file)
    return records


def _write_records(target: Path, trace: Queryable, a: Application, cpus: list[int], epoch_ns: int | None) -> int:
    records = 0
    with target.open("wb") as out:
        out.write(f"{_header(a, len(cpus), epoch_ns)}\n".encode())
        events = _events(trace, a)
        for lines in _lines(trace, a, cpus, events):
            table = pa.table({"line": lines})
            csv.write_csv(table, out, csv.WriteOptions(include_header=False, quoting_style="none"))
            records += len(lines)
    return records


def _header(a: Application, cpus: int, epoch_ns: int | None) -> str:
    at = datetime.fromtimestamp(((epoch_ns or 0) + a.start_ns) / 1e9, UTC)
    count = len(a.ranks)
    tasks = f"1({count}:1)" if a.crew.kind == "threads" else f"{count}({','.join(['1:1'] * count)})"
    return f"#Paraver ({at:%d/%m/%Y at %H:%M}):{a.whole_ns}_ns:1({cpus}):1:{tasks}"


@dataclass(frozen=True)
class _Events:
    """Events of ranks in order of time: when (ns of the trace), the rank's place, type, value; those that end something
    come before those that start something at the same time."""

    times: Ints
    ranks: Ints
    types: Ints
    values: Ints

    def between(self, low: int, high: int) -> _Events:
        """Those of a stretch of time."""
        of = slice(*np.searchsorted(self.times, [low, high]))
        return _Events(self.times[of], self.ranks[of], self.types[of], self.values[of])


_Call = tuple[str, str]
"""Name and kind of a call."""


def _calls(a: Application) -> dict[_Call, tuple[int, int]]:
    """Type and value of the events of each call."""
    counts = a.calls.counts if a.calls is not None else ()
    named = sorted((c.name, c.kind) for c in counts)
    return {call: (CALL_TYPES[call[1]], number) for number, call in enumerate(named, 1)}


def _events(trace: Queryable, a: Application) -> _Events:
    """Entries and returns of calls, and wakeups of ranks by ranks."""
    utids = np.array([r.rank.utid for r in a.ranks])
    wakes = trace.metric("rank_wakes", utids=utids.tolist()).arrow()
    wakers = np.nan_to_num(wakes.column("waker_utid").to_numpy(), nan=-1).astype(np.int64)
    woken, at = (wakes.column(c).to_numpy().astype(np.int64) for c in ("utid", "ts_ns"))
    by_rank = np.isin(wakers, utids)
    parts = [
        (
            at[by_rank],
            woken[by_rank],
            np.full(int(by_rank.sum()), WOKEN_BY),
            a.crew.places_of(wakers[by_rank]) + 1,
        )
    ]
    if calls := _calls(a):
        names = sorted({name for name, _ in calls})
        table = trace.metric("rank_calls", utids=utids.tolist(), names=names).arrow()
        utid, ts_ns, kind, enter, name = (
            table.column(c).to_numpy().astype(np.int64) for c in ("utid", "ts_ns", "kind", "enter", "name")
        )
        of_pair = np.zeros((len(names), len(KINDS), 2), np.int64)
        for (called, of_kind), found in calls.items():
            of_pair[names.index(called), KINDS.index(of_kind)] = found
        types, values = of_pair[name, kind].T
        parts.append((ts_ns, utid, types, np.where(enter == 1, values, 0)))
    times, ranks, types, values = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(times, kind="stable")
    events = _Events(times[order], a.crew.places_of(ranks[order]), types[order], values[order])
    inside = (events.times >= a.start_ns) & (events.times <= a.end_ns)
    kept = np.concatenate([_open_at(events, a.start_ns), np.flatnonzero(inside)])
    return _Events(
        np.maximum(events.times[kept], a.start_ns), events.ranks[kept], events.types[kept], events.values[kept]
    )


def _open_at(events: _Events, instant: int) -> Ints:
    """The entries before an instant of calls that are under way at it."""
    before = np.flatnonzero((events.times < instant) & (events.types != WOKEN_BY))
    groups = events.ranks[before] * (max(CALL_TYPES.values()) + 1) + events.types[before]
    found = [np.zeros(0, np.int64)]
    for group in np.unique(groups).tolist():
        of = before[groups == group]
        depth = np.cumsum(np.where(events.values[of] > 0, 1, -1))
        lowest_after = np.minimum.accumulate(depth[::-1])[::-1]
        found.append(of[(events.values[of] > 0) & (lowest_after >= depth)])
    return np.sort(np.concatenate(found))


def _lines(trace: Queryable, a: Application, cpus: list[int], all_events: _Events) -> Iterator[pa.Array]:
    """The records, in order of time, some at a time."""
    utids = np.array([r.rank.utid for r in a.ranks])
    switches = sum(4 * r.rank.switches for r in a.ranks)
    parts = max(switches // MOST_STATES, 1)
    number_of_cpu = np.zeros(max(cpus, default=0) + 2, np.int64)  # the last one, of CPU -1, stays 0: not known
    number_of_cpu[cpus] = np.arange(1, len(cpus) + 1)
    ends = [a.start_ns + (a.end_ns - a.start_ns) * i // parts for i in range(parts + 1)]
    on_cpus = cpu_times(trace)
    later = np.zeros((5, 0), np.int64)
    for low, high in pairwise(ends):
        # A state that began before the application's first instant is cut there.
        first = -(2**62) if low == a.start_ns else low
        table = trace.metric("states_in_time", utids=utids.tolist(), low=first, high=high).arrow()
        utid, start, end, phase, cpu = (
            table.column(c).to_numpy().astype(np.int64) for c in ("utid", "start_ns", "end_ns", "phase", "cpu")
        )
        inside = end > a.start_ns
        start, end = np.maximum(start, a.start_ns), np.minimum(end, a.end_ns)
        columns = _as_counted(a, a.crew.places_of(utid), start, end, phase, cpu, inside, on_cpus)
        # Pieces of a state that started in this part of the time may start in later ones.
        columns = np.concatenate([later, columns], axis=1)
        is_later = (columns[1] >= high) & (high < a.end_ns)
        later, (rank, start, end, phase, cpu) = columns[:, is_later], columns[:, ~is_later]
        start, end = start - a.start_ns, end - a.start_ns
        state = np.full(len(phase), OTHER[0])
        for code, (number, _, _) in STATES.items():
            state[phase == code] = number
        states = _joined(a.crew, rank, number_of_cpu[cpu], "1", start, end, state)
        window = np.flatnonzero((a.bounds[:-1] >= low) & (a.bounds[:-1] < high))
        of, at = np.repeat(np.arange(len(utids)), len(window)), np.tile(window, len(utids))
        begins = a.bounds[at] - a.start_ns
        events = _joined(a.crew, of, np.zeros(len(of), np.int64), "2", begins, np.full(len(of), ITERATION), at + 1)
        others = all_events.between(low, high + (high == a.end_ns))
        when = others.times - a.start_ns
        none = np.zeros(len(when), np.int64)
        calls = _joined(a.crew, others.ranks, none, "2", when, others.types, others.values)
        times = np.concatenate([start, begins, when])
        kinds = np.repeat([2, 0, 1], [len(start), len(begins), len(when)])
        by_rank = np.concatenate([rank, np.zeros(len(of) + len(when), np.int64)])  # of states, whichever part has them
        yield pa.concat_arrays([states, events, calls]).take(pa.array(np.lexsort((by_rank, kinds, times))))


def _as_counted(
    a: Application,
    rank: Ints,
    start: Ints,
    end: Ints,
    phase: Ints,
    cpu: Ints,
    inside: NDArray[np.bool_],
    on_cpus: CpuTimes,
) -> Ints:
    """States as the balance counts them: rows rank (its place), start, end, phase, CPU."""
    parts = [np.zeros((5, 0), np.int64)]
    for place in np.unique(rank[inside]).tolist():
        of = inside & (rank == place)
        states = as_counted(States(start[of], end[of], phase[of], cpu[of]), on_cpus, a.waiting[place])
        ranks = np.full(len(states.starts), place)
        parts.append(np.stack([ranks, states.starts, states.ends, states.phases, states.cpus]))
    return np.concatenate(parts, axis=1)


def _joined(crew: Crew, rank: Ints, cpu: Ints, kind: str, *rest: Ints) -> pa.Array:
    """The records of ranks as lines."""
    ones = np.ones(len(rank), np.int64)
    task, thread = (ones, rank + 1) if crew.kind == "threads" else (rank + 1, ones)
    columns = [pc.cast(pa.array(c), pa.string()) for c in (cpu, ones, task, thread, *rest)]
    return pc.binary_join_element_wise(pa.array([kind] * len(rank), pa.string()), *columns, ":")


def _names_of_states(calls: dict[_Call, tuple[int, int]]) -> str:
    states = sorted([*STATES.values(), OTHER])
    lines = [
        "DEFAULT_OPTIONS",
        "",
        "LEVEL               THREAD",
        "UNITS               NANOSEC",
        "",
        "DEFAULT_SEMANTIC",
        "",
    ]
    lines += ["THREAD_FUNC          State As Is", "", "STATES", *(f"{n}    {name}" for n, name, _ in states), ""]
    lines += ["STATES_COLOR", *(f"{n}    {{{colour}}}" for n, _, colour in states), ""]
    lines += ["EVENT_TYPE", f"0    {ITERATION}    Iteration", "", "EVENT_TYPE", f"0    {WOKEN_BY}    Woken by rank", ""]
    for of, name in CALL_CLASSES.items():
        values = [(value, called) for (called, _), (of_call, value) in calls.items() if of_call == of]
        if values:
            lines += [
                "EVENT_TYPE",
                f"9    {of}    {name}",
                "VALUES",
                "0    End",
                *(f"{n}    {c}" for n, c in values),
                "",
            ]
    return "\n".join(lines)


def _names_of_rows(crew: Crew, cpus: list[int]) -> str:
    ranks = [f"rank {r.number}: {' '.join(r.name.split())} ({r.tid})" for r in crew.ranks]
    levels = [("CPU", [f"CPU {cpu}" for cpu in cpus]), ("NODE", ["node"]), ("THREAD", ranks)]
    return "\n".join(f"LEVEL {level} SIZE {len(names)}\n" + "".join(f"{n}\n" for n in names) for level, names in levels)

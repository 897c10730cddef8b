"""Two traces side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import duckdb
from wastenot.schemas.generated.enums import GRADE_WORST_FIRST
from wastenot.web.library import OpenTrace
from wastenot.web.models import ComparedCause, ComparedGrade, ComparedMeasure, Comparison, TraceRow, Verdict


class MachineShape(NamedTuple):
    """How a machine is built, in counts; -1 for what is not known."""

    cpus: int
    cores: int
    caches: int
    nodes: int

    def __str__(self) -> str:
        names = ("CPUs", "cores", "last-level caches", "nodes")
        return ", ".join(f"{n} {name}" for n, name in zip(self, names, strict=True) if n > 0)


@dataclass(frozen=True)
class ComparedTrace:
    """One of the two traces."""

    row: TraceRow
    verdict: Verdict
    model: str | None
    shape: MachineShape


def machine_facts(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace) -> tuple[str | None, MachineShape]:
    """The processor's model and the shape of the machine that a trace was recorded on."""
    row = opened.trace.on(cursor).metric("machine_shape").one()
    return row["model"], MachineShape(*(row[k] for k in MachineShape._fields))


def remarks(a: ComparedTrace, b: ComparedTrace) -> list[str]:
    """Differences between the traces that make the comparison less meaningful."""
    out = []
    if a.shape != b.shape:
        out.append(f"The machines differ: {a.shape}; {b.shape}.")
    facts = (
        ("The processors", a.model, b.model),
        ("The kernels", a.row.kernel, b.row.kernel),
        ("The evidence levels", a.row.evidence_level, b.row.evidence_level),
    )
    for what, x, y in facts:
        if x and y and x != y:
            out.append(f"{what} differ: {x}; {y}.")
        elif x != y:
            out.append(f"{what} may differ: {x or 'not recorded'}; {y or 'not recorded'}.")
    for side in (a, b):
        if side.verdict.data_quality.lost_events:
            out.append(f"{side.row.name}: {side.verdict.data_quality.lost_events:,} events were lost.")
        if not side.row.complete:
            out.append(f"{side.row.name}: the recording was cut short.")
    return list(dict.fromkeys(out))


def comparison(a: ComparedTrace, b: ComparedTrace) -> Comparison:
    """The measures of both with their differences (b - a), by grade and by cause."""
    left, right = _measures(a.verdict), _measures(b.verdict)
    by_cause = _causes(a.verdict), _causes(b.verdict)
    causes = sorted(by_cause[0].keys() | by_cause[1].keys())
    return Comparison(
        a=a.row,
        b=b.row,
        sentence_a=a.verdict.sentence,
        sentence_b=b.verdict.sentence,
        remarks=remarks(a, b),
        measures=[
            ComparedMeasure(
                name=name,
                unit=unit,
                a=left[name, unit],
                b=right[name, unit],
                difference=_minus(right, left, (name, unit)),
            )
            for name, unit in left
        ],
        grades=[
            ComparedGrade(
                grade=g,
                a_core_s=a.verdict.episodes[g].core_s,
                b_core_s=b.verdict.episodes[g].core_s,
                a_count=a.verdict.episodes[g].count,
                b_count=b.verdict.episodes[g].count,
            )
            for g in GRADE_WORST_FIRST
        ],
        causes=[
            ComparedCause(
                placed_by=key[0],
                not_moved_because=key[1],
                ended_by=key[2],
                recurrent=key[3],
                a_core_s=by_cause[0].get(key, 0.0),
                b_core_s=by_cause[1].get(key, 0.0),
            )
            for key in causes
        ],
    )


def _measures(v: Verdict) -> dict[tuple[str, str], float]:
    seconds = (v.trace.end_ns - v.trace.start_ns) / 1e9
    f = v.figures
    return {
        ("length", "s"): seconds,
        ("CPUs", "cpus"): v.trace.cpus,
        ("events", "events"): v.trace.events,
        ("wasted", "core-s"): v.wasted.core_s,
        ("wasted share", "share"): v.wasted.share,
        ("certain", "core-s"): v.wasted.certain_core_s,
        ("idle while waiting", "core-s"): v.wasted.idle_while_waiting_core_s,
        ("excused", "core-s"): sum(v.wasted.excused_core_s.values()),
        ("mean wasted", "cores"): v.wasted.core_s / seconds if seconds else 0.0,
        ("peak wasted", "cores"): f.peak_wasted,
        ("time with waste", "s"): f.wall_wasted_ns / 1e9,
        ("busy", "share"): f.busy_ns / f.online_ns if f.online_ns else 0.0,
        ("late wakes", "wakes"): f.late_wakes,
        ("lost events", "events"): v.data_quality.lost_events,
    }


def _minus(b: dict[tuple[str, str], float], a: dict[tuple[str, str], float], key: tuple[str, str]) -> float:
    return b[key] - a[key]


def _causes(v: Verdict) -> dict[tuple[str, str, str, bool], float]:
    out: dict[tuple[str, str, str, bool], float] = {}
    for recurrent, causes in ((False, v.causes), (True, v.recurrent_causes)):
        for c in causes:
            why = c.not_moved_because[0].reason if c.not_moved_because else "unknown"
            key = (c.placed_by, why, c.ended_by, recurrent)
            out[key] = out.get(key, 0.0) + c.core_s
    return out

"""Two traces side by side."""

from __future__ import annotations

from wastenot.web.models import ComparedCause, ComparedGrade, Comparison, Measure, TraceRow, Verdict

GRADES = ("persistent", "lasting", "recurrent", "expected", "in_flight", "noise")


def compared(a: tuple[TraceRow, Verdict], b: tuple[TraceRow, Verdict]) -> Comparison:
    """The measures of both with their differences (b - a), by grade and by cause."""
    left, right = _measures(*a), _measures(*b)
    causes = sorted(_causes(a[1]).keys() | _causes(b[1]).keys())
    return Comparison(
        a=a[0],
        b=b[0],
        sentence_a=a[1].sentence,
        sentence_b=b[1].sentence,
        measures=[
            Measure(
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
                a_core_s=a[1].episodes[g].core_s,
                b_core_s=b[1].episodes[g].core_s,
                a_count=a[1].episodes[g].count,
                b_count=b[1].episodes[g].count,
            )
            for g in GRADES
        ],
        causes=[
            ComparedCause(
                placement=key[0],
                correction=key[1],
                resolution=key[2],
                recurrent=key[3],
                a_core_s=_causes(a[1]).get(key, 0.0),
                b_core_s=_causes(b[1]).get(key, 0.0),
            )
            for key in causes
        ],
    )


def _measures(row: TraceRow, v: Verdict) -> dict[tuple[str, str], float]:
    seconds = (v.trace.end_ns - v.trace.start_ns) / 1e9
    f = v.figures
    return {
        ("length", "s"): seconds,
        ("CPUs", "cpus"): v.trace.cpus,
        ("events", "events"): v.trace.events,
        ("wasted", "core-s"): v.wasted.core_s,
        ("wasted share", "share"): v.wasted.share,
        ("certain", "core-s"): v.wasted.certain_core_s,
        ("before excuses", "core-s"): v.wasted.upper_core_s,
        ("excused", "core-s"): sum(v.wasted.excused_core_s.values()),
        ("mean wasted", "cores"): v.wasted.core_s / seconds if seconds else 0.0,
        ("peak wasted", "cores"): f.peak_wasted,
        ("time with waste", "s"): f.wall_wasted_ns / 1e9,
        ("busy", "share"): f.busy_ns / f.online_ns if f.online_ns else 0.0,
        ("late wakes", "wakes"): f.late_wakes,
        ("lost events", "events"): v.trust.lost_events,
    }


def _minus(b: dict[tuple[str, str], float], a: dict[tuple[str, str], float], key: tuple[str, str]) -> float:
    return b[key] - a[key]


def _causes(v: Verdict) -> dict[tuple[str, str, str, bool], float]:
    out: dict[tuple[str, str, str, bool], float] = {}
    for recurrent, causes in ((False, v.causes), (True, v.recurrent_causes)):
        for c in causes:
            key = (c.placement, c.correction, c.resolution, recurrent)
            out[key] = out.get(key, 0.0) + c.core_s
    return out

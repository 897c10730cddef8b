"""Whether the figures of runs may be compared, and what limits it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from wastenot.analyzer.comparison.copies import on_both_sides
from wastenot.analyzer.comparison.runs import Run
from wastenot.analyzer.text.grade_bounds import thresholds_text
from wastenot.analyzer.text.sentences import UNOBSERVED_SHARE
from wastenot.analyzer.text.units import counted, duration, percent
from wastenot.schemas.generated.enums import EVIDENCE_KIND_WORDS, EXCUSE_WORDS

LENGTHS_DIFFER = 0.05
"""Difference of the lengths of recordings of a given time from which on they are called unequal."""

MUCH_UNKNOWN = 0.5
"""Share of the waste of a run that has a cause, from which on an unknown one is noted."""

_COUNTS = {"cpus": "CPU", "cores": "core", "caches": "last-level cache", "nodes": "node"}


def reasons_against(base: Sequence[Run], new: Sequence[Run]) -> list[str]:
    """Why the runs are not comparable as they stand, the gravest reason first; none: they are."""
    runs = [*base, *new]
    out = _shared(base, new)
    for what, fact in (("machines", _shape_text), ("processors", _model_of), ("sources of the traces", _source_of)):
        out += _unequal(what, base, new, fact)
    out += _evidence(base, new)
    out += _some(runs, "lost events", lambda r: r.facts.lost_events > 0, _lost_text)
    out += _some(runs, "verdict suspect", lambda r: bool(r.facts.suspect), lambda r: ", ".join(r.facts.suspect))
    out += _some(runs, "not verified", lambda r: bool(r.facts.unverified), lambda r: r.facts.unverified[0])
    out += _some(runs, "kernel release not recorded", lambda r: r.facts.kernel is None)
    out += _some(runs, "waits of woken threads not recorded", lambda r: r.facts.lower_bound)
    out += _some(
        runs, "CPU time not observed", lambda r: r.facts.unobserved_share > UNOBSERVED_SHARE,
        lambda r: percent(r.facts.unobserved_share),
    )  # fmt: skip
    out += _some(runs, "recording cut off", lambda r: not r.facts.complete, lambda r: r.facts.end_reason)
    out += _lengths(base, new)
    out += _unequal("thresholds of grades", base, new, _thresholds_of)
    out += _unequal("versions of the checker", base, new, lambda r: r.facts.checker)
    return out


def evidence_is_alike(base: Sequence[Run], new: Sequence[Run]) -> bool:
    """Whether all excuses and kinds of evidence are recorded alike in all runs: causes are not comparable otherwise."""
    return not _differing_evidence([*base, *new])


def notes_on(base: Sequence[Run], new: Sequence[Run]) -> list[str]:
    """What differs between the sides and is no reason against comparing them: it may be what they are compared for."""
    kernels = [sorted({r.facts.kernel or "not recorded" for r in side}) for side in (base, new)]
    out = []
    for name, found in zip(("base", "new"), kernels, strict=True):
        if len(found) > 1:
            out.append(f"{name} has runs of several kernels: {', '.join(found)}")
    if kernels[0] != kernels[1]:
        out.append(f"kernels: {', '.join(kernels[0])} (base), {', '.join(kernels[1])} (new)")
    shares = [share for r in (*base, *new) if (share := _unknown_share(r)) is not None]
    if shares and max(shares) > MUCH_UNKNOWN:
        out.append(f"why threads were not moved is unknown of up to {percent(max(shares))} of the waste of a run")
    return out


def _unknown_share(run: Run) -> float | None:
    """The share of the waste with a cause of which it is not known why the threads were not moved; None: none has."""
    question = "cause.not_moved_because."
    total = sum(v for k, v in run.sums.items() if k.startswith(question))
    return run.sums.get(f"{question}unknown", 0) / total if total else None


def _shared(base: Sequence[Run], new: Sequence[Run]) -> list[str]:
    """That recordings are on both sides, so that nothing can have changed between them."""
    shared = on_both_sides(base, new)
    if not shared:
        return []
    names = list(dict.fromkeys(run.facts.name for run in shared[0]))
    more = f" and {len(shared) - 1} more" if len(shared) > 1 else ""
    return [f"the same recording is on both sides ({' = '.join(names)}{more})"]


def _unequal(what: str, base: Sequence[Run], new: Sequence[Run], fact: Callable[[Run], str]) -> list[str]:
    """That a fact is not the same in all runs."""
    found = [dict.fromkeys(fact(r) for r in side) for side in (base, new)]
    if len({*found[0], *found[1]}) <= 1:
        return []
    if found[0].keys() == found[1].keys():
        return [f"{what} differ within each side ({'; '.join(found[0])})"]
    sides = (f"{name}: {' or '.join(side)}" for name, side in zip(("base", "new"), found, strict=True))
    return [f"{what} differ ({'; '.join(sides)})"]


def _some(
    runs: Sequence[Run], what: str, holds: Callable[[Run], bool], how: Callable[[Run], str] | None = None
) -> list[str]:
    """In how many runs something holds, with the worst-known one by name."""
    found = [r for r in runs if holds(r)]
    if not found:
        return []
    first = f"{found[0].facts.name}{f': {how(found[0])}' if how else ''}"
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return [f"{what} in {len(found)} of {counted(len(runs), 'run')} ({first}{more})"]


def _lost_text(run: Run) -> str:
    return counted(run.facts.lost_events, "event")


def _shape_text(run: Run) -> str:
    counts = {noun: run.facts.shape.get(k, -1) for k, noun in _COUNTS.items()}
    return ", ".join(counted(n, noun) for noun, n in counts.items() if n > 0)


def _model_of(run: Run) -> str:
    return run.facts.model or "not recorded"


def _source_of(run: Run) -> str:
    return run.facts.source


def _thresholds_of(run: Run) -> str:
    return thresholds_text(run.facts.thresholds_ns) if run.facts.thresholds_ns else "those of the definition"


def _evidence(base: Sequence[Run], new: Sequence[Run]) -> list[str]:
    """Excuses and kinds of evidence that are not recorded alike in all runs."""
    differing = _differing_evidence([*base, *new])
    excuses = [EXCUSE_WORDS[k] for k in differing if k in EXCUSE_WORDS]
    others = [EVIDENCE_KIND_WORDS[k] for k in differing if k in EVIDENCE_KIND_WORDS]
    out = []
    if excuses:
        out.append(f"excuses are not recorded alike in all runs, so waste is not either ({'; '.join(excuses)})")
    if others:
        out.append(f"evidence is not recorded alike in all runs, so causes are not either ({'; '.join(others)})")
    return out


def _differing_evidence(runs: Sequence[Run]) -> list[str]:
    kinds = dict.fromkeys(k for r in runs for k in r.facts.evidence)
    return [kind for kind in kinds if len({r.facts.evidence.get(kind, "absent") for r in runs}) > 1]


def _lengths(base: Sequence[Run], new: Sequence[Run]) -> list[str]:
    """That recordings of a given time are not equally long. How long a command takes is a result."""
    runs = [*base, *new]
    if all(r.facts.end_reason == "command" for r in runs):
        return []
    lengths = [r.window_ns for r in runs]
    if max(lengths) - min(lengths) <= LENGTHS_DIFFER * max(lengths):
        return []
    medians = [duration(round(statistics.median(r.window_ns for r in side))) for side in (base, new)]
    most = f"{duration(min(lengths))} to {duration(max(lengths))}"
    return [f"durations differ: {medians[0]} (base) and {medians[1]} (new) at the median, {most}"]

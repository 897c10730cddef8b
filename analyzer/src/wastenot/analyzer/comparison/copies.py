"""Runs that are one recording given more than once: they would count as repetitions, and repeat nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from wastenot.analyzer.comparison.runs import Run
from wastenot.analyzer.errors import BadArgument

SIMULATED = "simulation"
"""Source of traces that are computed: the same seed with and without a change may give the same figures."""
_RECORDED = ("switches", "wakeups", "migrations")


def require_distinct(side: str, runs: Sequence[Run], names: Sequence[str] | None = None) -> None:
    """Raise BadArgument where a recording is on a side twice, under whichever names; `names` are those to show."""
    names = names or [run.facts.name for run in runs]
    seen: dict[Hashable, list[int]] = defaultdict(list)
    for i, run in enumerate(runs):
        for other in seen[_figures(run)]:
            if _starts_fit(run, runs[other]):
                raise BadArgument(
                    f"{names[i]}: the same run as {names[other]} (its length, times and counts are equal), given twice "
                    f"on the {side} side, where it would count as two; leave one out"
                )
        seen[_figures(run)].append(i)


def on_both_sides(base: Sequence[Run], new: Sequence[Run]) -> list[tuple[Run, Run]]:
    """The recordings that are on both sides. Equal simulations are not: a change may leave a seed as it was."""
    seen: dict[Hashable, list[Run]] = defaultdict(list)
    for run in base:
        seen[_figures(run)].append(run)
    pairs = ((other, run) for run in new for other in seen[_figures(run)] if run.facts.source != SIMULATED)
    return [pair for pair in pairs if _starts_fit(*pair)]


def _figures(run: Run) -> Hashable:
    """What no two recordings have in common to the nanosecond. Sums of the check are left out: they depend on its
    version and thresholds."""
    recorded = (key for key in run.sums if key in _RECORDED or (key.startswith("thread.") and key.endswith(".run")))
    return run.window_ns, run.online_ns, tuple((key, run.sums[key]) for key in sorted(recorded))


def _starts_fit(run: Run, other: Run) -> bool:
    starts = {run.facts.start_ns, other.facts.start_ns} - {None}
    return len(starts) <= 1

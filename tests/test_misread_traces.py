"""Where a reader or a recorder errs, the self-checks say so: no wrong verdict goes out without a word.

The first edition misread `prev_state` of LTTng-modules up to 2.10. Its reading is written down in `releases.misread`;
here what it made of each version and kernel is handed to the checker, beside other faults. Whenever the figures are
wrong, the verdict is suspect.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from oracle.obvious import Result
from releases import misread, schedule, text
from releases.schedule import PINNED, Schedule
from releases.tables import Kernel, Lttng, kernels, lttng_versions
from releases.truth import truth
from samples import ALL
from wastenot.analyzer import CheckOptions, ImportOptions, import_source, open_trace

SEEDS = (2, 6, 11)
LATEST = kernels()["6.1"]
AFFINITY = tuple(f"{name}={cpus[0]}-{cpus[-1]}" for name, cpus in PINNED.items())
FAULTS = (
    misread.on_one_cpu,
    misread.without_wakeups,
    misread.never_leaving_idle,
    misread.always_asleep,
    misread.always_dead,
    misread.never_asleep,
)


@cache
def happened(seed: int, releases_idle: bool = True) -> tuple[Schedule, Result]:
    """A schedule, with kernel workers that idle as TASK_IDLE or not, and its truth."""
    ways = tuple(how for how in schedule.ALL_WAYS if releases_idle or how not in ("idle", "parked"))
    made = schedule.make(seed, steps=1500, ways=(*ways, "idle", "idle", "idle") if releases_idle else ways)
    return made, truth(made)


def verdict_of(made: Schedule, folder: Path) -> tuple[dict[str, Any], str]:
    """The verdict of a schedule that was written as ftrace text: its object, and as it is printed."""
    text.write(folder / "trace.txt", made, LATEST)
    import_source(folder / "trace.txt", folder / "T.duckdb", ImportOptions(AFFINITY), CheckOptions())
    with open_trace(folder / "T.duckdb") as trace:
        verdict = trace.verdict()
        return verdict.to_json(), " ".join(str(verdict).split())


def is_wrong(verdict: dict[str, Any], true: Result) -> bool:
    """The figures before or after excuses are off by more than 2 %."""
    found = verdict["wasted"]
    pairs = ((found["idle_while_waiting_core_s"], true.idle_while_waiting), (found["core_s"], true.wasted))
    return any(abs(value - ns / 1e9) > 0.02 * ns / 1e9 for value, ns in pairs)


def assert_suspect(verdict: dict[str, Any], printed: str) -> None:
    assert verdict["data_quality"]["suspect"], verdict["data_quality"]
    assert "suspect:" in printed


def misreadings() -> list[tuple[Lttng, Kernel]]:
    """Versions and kernels that the first edition misread; one version per rule and kernel, all with RELEASES=all."""
    made, _ = happened(SEEDS[0])
    pairs: dict[tuple[str, ...], tuple[Lttng, Kernel]] = {}
    for lttng, kernel in lttng_versions():
        sample = [e for e in made.events if e.kind == "switch" and kernel.records(e.how)]
        read = misread.as_first_edition(Schedule(made.cpus, sample), kernel, lttng).events
        if any(is_runnable(a.how) != is_runnable(b.how) for a, b in zip(sample, read, strict=True)):
            every = (lttng.version,) if ALL else ()
            pairs[lttng.rule(kernel), kernel.release, *every] = (lttng, kernel)
    return list(pairs.values())


def is_runnable(how: str) -> bool:
    return how in ("preempted", "yield")


@pytest.mark.parametrize(
    ("lttng", "kernel"), misreadings(), ids=lambda part: getattr(part, "version", None) or f"Linux {part.release}"
)
def test_what_the_first_edition_misread_is_suspect(tmp_path: Path, lttng: Lttng, kernel: Kernel) -> None:
    wrong = 0
    for seed in SEEDS:
        made, true = happened(seed, "noload" in kernel.bits)
        (tmp_path / str(seed)).mkdir()
        verdict, printed = verdict_of(misread.as_first_edition(made, kernel, lttng), tmp_path / str(seed))
        if is_wrong(verdict, true):
            wrong += 1
            assert_suspect(verdict, printed)
    assert wrong, "a reading that changes no verdict shows nothing"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_other_faults_are_suspect(tmp_path: Path, fault: Callable[[Schedule], Schedule]) -> None:
    wrong = 0
    for seed in SEEDS:
        made, true = happened(seed)
        (tmp_path / str(seed)).mkdir()
        verdict, printed = verdict_of(fault(made), tmp_path / str(seed))
        if is_wrong(verdict, true):
            wrong += 1
            assert_suspect(verdict, printed)
    assert wrong, "a fault that changes no verdict shows nothing"


def test_a_schedule_that_was_read_well_is_not_suspect(tmp_path: Path) -> None:
    for seed in SEEDS:
        (tmp_path / str(seed)).mkdir()
        verdict, printed = verdict_of(happened(seed)[0], tmp_path / str(seed))
        assert not is_wrong(verdict, happened(seed)[1])
        assert verdict["data_quality"]["suspect"] == []
        assert "suspect:" not in printed

"""Captures of the guest rig: which there are, and what tests ask of one."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from samples import sample_of_each
from wastenot.analyzer import Trace

SHIPPED = Path(__file__).parents[1] / "fixtures/traces/rig"
SHIPPED_NAMES = sorted(part.stem for part in SHIPPED.glob("*.part"))
FRESH = os.environ.get("RIG_CAPTURES")


def parts_of(name: str) -> tuple[str, str, int]:
    """Scenario, version of the kernel and number of CPUs of a capture, as in pinned-6.12-8, all-hot-6.12-faults-8."""
    match = re.fullmatch(r"(.+)-(\d+\.\d+)(?:-faults)?-(\d+)", name)
    assert match, name
    return match[1], match[2], int(match[3])


def scenario_of(name: str) -> str:
    """The scenario of a capture."""
    return parts_of(name)[0]


def is_large(cpus: int) -> bool:
    """The first eight CPUs of such a machine take the place of its lower half (fixtures/rig/guest/init)."""
    return cpus > 16


LARGE = [name for name in SHIPPED_NAMES if is_large(int(name.rsplit("-", 1)[1]))]
SAMPLED = [*sample_of_each([name for name in SHIPPED_NAMES if name not in LARGE], scenario_of), *LARGE]
PARTS = (
    {part.parent.name: part for part in sorted(Path(FRESH).glob("*/T.duckdb.part"))}
    if FRESH
    else {name: SHIPPED / f"{name}.part" for name in SAMPLED}
)


def _main(answer: str | list[dict[str, Any]]) -> str:
    """The answer, or the reason with the largest share."""
    return answer if isinstance(answer, str) else str(answer[0]["reason"]) if answer else "unknown"


@dataclass
class Capture:
    """A checked capture of `scenario` on `kernel` with `cpus` CPUs."""

    scenario: str
    kernel: str
    cpus: int
    trace: Trace
    machine: str = ""
    part: Path | None = None

    @cached_property
    def verdict(self) -> dict[str, Any]:
        return self.trace.verdict().to_json()

    @property
    def wasted_s(self) -> float:
        """Wasted core-seconds."""
        return float(self.verdict["wasted"]["core_s"])

    @property
    def idle_while_waiting_s(self) -> float:
        """The same before any excuse."""
        return float(self.verdict["wasted"]["idle_while_waiting_core_s"])

    def excused_s(self, *excuses: str) -> float:
        """Core-seconds that these excuses took."""
        return sum(float(self.verdict["wasted"]["excused_core_s"][excuse]) for excuse in excuses)

    def number(self, query: str) -> float:
        """The only value of a query."""
        (row,) = self.trace.sql(query)
        (value,) = row.values()
        return float(value)

    def quality(self, what: str) -> float:
        """A count of the data quality."""
        return self.number(f"SELECT coalesce(sum(value), 0) FROM data_quality WHERE what = '{what}'")

    def of_workload(self, column: str) -> float:
        """Seconds of a column of `thread`, summed over the workload's threads."""
        names = "name SIMILAR TO '(busy|lone|many|released|pinned|storm|sleep|fork-storm)(-[0-9]+)?'"
        return self.number(f"SELECT coalesce(sum({column}), 0) / 1e9 FROM thread WHERE {names}")

    def share(self, question: str, *answers: str) -> float:
        """How much of the waste with a cause has one of these answers: the main one of each cause."""
        causes = self.verdict["causes"]
        of_all = sum(float(cause["core_s"]) for cause in causes)
        given = sum(float(cause["core_s"]) for cause in causes if _main(cause[question]) in answers)
        return given / of_all if of_all else 0.0

    def idle_cpus(self) -> set[int]:
        """CPUs to which the workload's threads were matched for more than a tenth of a second in all."""
        return self._cpus("idle_cpu")

    def waited_on(self) -> set[int]:
        """CPUs on whose queues they waited beside an idle CPU for as long."""
        return self._cpus("waited_on")

    def _cpus(self, column: str) -> set[int]:
        rows = self.trace.sql(f"SELECT {column} AS cpu FROM episode_pair GROUP BY 1 HAVING sum(core_ns) > 100e6")
        return {int(row["cpu"]) for row in rows}

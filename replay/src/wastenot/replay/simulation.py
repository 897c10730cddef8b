"""Run a scenario."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wastenot import _native
from wastenot._native import ArrowStream
from wastenot.replay.scenarios import Scenario


@dataclass(frozen=True)
class Settings:
    """Settings that replace those of the scenario; None or empty leaves the scenario's.

    `machine` describes a machine (`2n8`), `snapshot` is the text of one's JSON or hwloc XML; `fault` and `fixed` name
    faults to switch on and off (`all`); `scheduler` is one of `schedulers()`; `scale` multiplies constants by a
    fraction (numerator, denominator); `command` is named in the trace.
    """

    seed: int = 1
    machine: str | None = None
    snapshot: str | None = None
    fault: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    scheduler: str | None = None
    release: str | None = None
    evidence_level: str | None = None
    scale: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    command: str = ""

    def to_json(self, scenario: Scenario) -> str:
        """The options of the native `simulate`."""
        overrides = {
            "machine": self.machine,
            "fault": list(self.fault),
            "fixed": list(self.fixed),
            "scheduler": self.scheduler,
            "release": self.release,
            "evidence_level": self.evidence_level,
        }
        options = {"scenario": scenario.name, "seed": self.seed} | {k: v for k, v in overrides.items() if v}
        scale = [[name, *fraction] for name, fraction in self.scale.items()]
        return json.dumps(
            {
                "seed": self.seed,
                "overrides": overrides,
                "snapshot": self.snapshot,
                "scale": scale,
                "command": self.command,
                "options": json.dumps(options),
            }
        )


@dataclass(frozen=True)
class SimulationOutcome:
    """The outcome of a simulation.

    `end_ns` on the simulated clock; `finished` says that all threads that were waited for have ended; `events` counts
    rows of the trace, `handled` events of the engine; `threads` has name, threads, alive, ended_ns (None while one
    lives), run_ns, waited_ns, and of deadline threads deadline_jobs, deadlines_missed, tardiness_max_ns, for each row
    of the workload; `marks` how often and when last each was reached.
    """

    end_ns: int
    finished: bool
    events: int
    handled: int
    cpus: int
    scheduler: str
    faults: tuple[str, ...]
    threads: tuple[Mapping[str, Any], ...]
    marks: Mapping[str, tuple[int, int]]

    def ended_ns(self, name: str) -> int | None:
        """When the last thread of a name ended; None while one lives or for an unknown name."""
        ends = [t["ended_ns"] for t in self.threads if t["name"] == name]
        return max(ends) if ends and None not in ends else None


def simulate(
    scenario: Scenario,
    settings: Settings | None = None,
    emit: Callable[[str, ArrowStream], object] | None = None,
    progress: Callable[[int, float], object] | None = None,
) -> SimulationOutcome:
    """Run a scenario in bounded memory.

    `emit(table, stream)` receives the batches of every event table in order of id, then the entity tables; without it
    nothing is kept. `progress(rows, share)` is called with the rows so far and the share of the time limit. The same
    scenario, settings and seed give the same tables. Raises WastenotError with one line; what the callbacks raise
    goes through.
    """
    settings = settings or Settings()
    try:
        outcome = json.loads(_native.replay.simulate(scenario.text, settings.to_json(scenario), emit, progress))
    except _native.WastenotError as e:
        raise _native.WastenotError(f"{scenario.name}: {e}") from None
    marks = {name: (count, last) for name, (count, last) in outcome["marks"].items()}
    faults, threads = tuple(outcome["faults"]), tuple(outcome["threads"])
    return SimulationOutcome(**{**outcome, "faults": faults, "threads": threads, "marks": marks})

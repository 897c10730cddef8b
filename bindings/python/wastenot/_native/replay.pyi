"""Simulations (see the crate wastenot-replay)."""

from collections.abc import Callable

from wastenot._native import ArrowStream

def simulate(
    scenario: str,
    options: str = "{}",
    emit: Callable[[str, ArrowStream], object] | None = None,
    progress: Callable[[int, float], object] | None = None,
) -> str:
    """Run the scenario that a TOML text describes; `emit` as for `collector.decode`, without it nothing is kept.

    `options` is JSON: `seed`, `choice` (machine, fault, fixed, scheduler, release, evidence: set otherwise than the
    scenario says), `snapshot` (text of a machine's JSON or hwloc XML), `scale` (constants to multiply: name, numerator,
    denominator), `command` and `told` (named in the trace). `progress(rows, share)` is told how far it is. Returns
    how far the threads came, as JSON. What the callbacks raise goes through; else WastenotError with one line.
    """

def scenario(text: str) -> str:
    """The scenario of a TOML text as JSON. Raises WastenotError that names the line."""

def faults() -> str:
    """The faults of the kernel model as JSON: name, does, fix, source, counterfactual, shipped (releases)."""

def schedulers() -> str:
    """The schedulers as JSON: pairs of a name and what it is."""

def constants() -> str:
    """The constants of the simulation by name as JSON, in nanoseconds or thousandths."""

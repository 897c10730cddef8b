"""The schedulers, and the faults and constants of the kernel model."""

from __future__ import annotations

import json
from dataclasses import dataclass

from wastenot import _native


@dataclass(frozen=True)
class Fault:
    """A way for the balancer to fail: what the faulty kernel does, what the fixed one does, where it is described.

    `counterfactual` must be seen when it is switched off, everything else being the same; `shipped` are the releases
    of the model that had it.
    """

    name: str
    does: str
    fix: str
    source: str
    counterfactual: str
    shipped: tuple[str, ...]


def faults() -> list[Fault]:
    """All of them."""
    return [Fault(**{**fields, "shipped": tuple(fields["shipped"])}) for fields in json.loads(_native.replay.faults())]


def schedulers() -> dict[str, str]:
    """Schedulers by name, and what they are; `kernel` is the model of Linux's."""
    return dict(json.loads(_native.replay.schedulers()))


def constants() -> dict[str, int]:
    """The constants of the simulation by name: nanoseconds, or thousandths for shares and factors."""
    values: dict[str, int] = json.loads(_native.replay.constants())
    return values

"""What is true of a case: the answer that the checker should give, and to which question.

A fault of the simulator is a switch in one decision of the kernel model, so it decides one question: either why no
attempt corrected the waste, or how the threads were placed. The other questions of such a case have no label and are
not counted. Answers are written as `docs/semantics.md`, Causes, has them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Label:
    """The question that a fault decides (placed_by or not_moved_because) and the right answers, the usual first."""

    question: str
    answers: tuple[str, ...]


def _not_moved_because(*answers: str) -> Label:
    return Label("not_moved_because", answers)


def _placed_by(*answers: str) -> Label:
    return Label("placed_by", answers)


_BALANCED = "periodic ran and found balance"
_REASONS = ("group average hides idle cores", "allowed imbalance", "all pinned", "asymmetric capacity")

LABELS: dict[str, Label] = {
    "group-imbalance": _not_moved_because(f"{_BALANCED}: group average hides idle cores"),
    "group-construction": _not_moved_because("groups misbuilt"),
    # Its threads are bound for 30 ms and released: a thread that waits at that instant was bound when it arrived.
    "overload-on-wakeup": _placed_by("wakeup: idle-sibling scan limited to one LLC", "affinity change"),
    "missing-domains": _not_moved_because("domains missing (no common domain)"),
    "newidle-cutoff": _not_moved_because("newidle did not run (cut off)"),
    "imbalance-pct": _not_moved_because(f"{_BALANCED}: allowed imbalance"),
    "all-pinned": _not_moved_because(f"{_BALANCED}: all pinned"),
    "cache-hot": _not_moved_because("cache-hot refusal"),
    "missed-nohz-kick": _not_moved_because("nohz kick missing", "periodic did not run"),
    "numa-allowance": _not_moved_because("NUMA imbalance allowed"),
    "misplaced-fork": _placed_by("fork/exec"),
    "scan-cut": _placed_by("wakeup: idle-sibling scan cut short"),
    "asymmetric-capacity": _not_moved_because(f"{_BALANCED}: asymmetric capacity"),
    "stale-mask": _not_moved_because(f"{_BALANCED}: all pinned"),
    "allowed-imbalance": _not_moved_because(f"{_BALANCED}: allowed imbalance"),
    "scan-by-util": _placed_by("wakeup: idle-sibling scan cut short"),
    "pinned-tail": _not_moved_because(f"{_BALANCED}: all pinned"),
    "pinned-target": _not_moved_because(f"{_BALANCED}: all pinned"),
    "halted-vcpu": _placed_by("wakeup: prev cpu kept", "wakeup"),
    "coarse-load": _not_moved_because(_BALANCED),
    "busy-interval": _not_moved_because("periodic did not run", "nohz kick missing"),
    "waker-cpu": _placed_by("wakeup: wake-affine", "wakeup"),
    "sticky-pinned": _not_moved_because("periodic did not run: interval too long", "periodic did not run"),
}
"""By the fault's name."""

HELD_OUT: dict[str, Label] = {
    "lost-balancer": _not_moved_because("periodic did not run"),
    "first-of-mask": _placed_by("affinity change"),
    "first-of-node": _placed_by("hotplug push"),
    "idle-core-only": _placed_by("wakeup: prev cpu kept", "wakeup: wake-affine", "wakeup"),
    "idle-mask-late": _placed_by("wakeup: prev cpu kept", "wakeup: wake-affine", "wakeup"),
    "wakeup-pending": _placed_by("wakeup: prev cpu kept", "wakeup"),
    "fork-in-node": _placed_by("fork/exec"),
    "newidle-one-level": _not_moved_because("newidle did not run (cut off)"),
    "newidle-hot": _not_moved_because("newidle ran and pulled nothing", "cache-hot refusal"),
    "unlisted-idle": _not_moved_because("periodic did not run", "nohz kick missing"),
    "serialize-leak": _not_moved_because("periodic did not run"),
    "contended-lock": _not_moved_because(_BALANCED),
    "unattached-cpu": _not_moved_because("domains missing (no common domain)"),
}
"""Faults for which no rule was written or changed: measured apart, never counted with the others. Their labels were
written down before the first run; `README.md` has the reasons."""

OF_DEADLINES = frozenset({"dl-no-push", "dl-no-pull"})
"""Faults of the deadline class, which `wastenot deadlines` finds: causes are of the fair balancer, and have no word
for them."""

APART = frozenset(
    {
        "scan-by-util",
        "stale-mask",
        "pinned-tail",
        "pinned-target",
        "halted-vcpu",
        "coarse-load",
        "busy-interval",
        "waker-cpu",
        "sticky-pinned",
    }
)
"""Faults counted apart: the first two were known when the rules were written, the others were held out until rules were
mended for what came of them."""


def label_of(fault: str) -> Label:
    """The label of a fault, held out or not."""
    return (LABELS | HELD_OUT)[fault]


GENERAL: dict[str, frozenset[str]] = {
    _BALANCED: frozenset(
        [
            *(f"{_BALANCED}: {how}" for how in _REASONS),
            "groups misbuilt",
            "NUMA imbalance allowed",
            "cache-hot refusal",
        ]
    ),
    "newidle ran and pulled nothing": frozenset(
        [
            _BALANCED,
            *(f"{_BALANCED}: {how}" for how in _REASONS),
            "groups misbuilt",
            "NUMA imbalance allowed",
            "cache-hot refusal",
        ]
    ),
    "wakeup": frozenset(
        f"wakeup: {how}"
        for how in (
            "prev cpu kept",
            "wake-affine",
            "idle-sibling scan limited to one LLC",
            "idle-sibling scan cut short",
        )
    ),
}
"""Answers that say less than others: right about a case that one of those is true of, but not as exact. An attempt over
misbuilt groups, one that a NUMA allowance ends, and one that refuses the threads it found have run and moved no
thread either, and CPUs about to idle make attempts by the same function; that a wakeup placed a thread does not say
how it chose."""

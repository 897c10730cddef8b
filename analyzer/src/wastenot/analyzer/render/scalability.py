"""A program beside its reference run, for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text
from wastenot.analyzer.balance.scalability import ComputedWork, Scalability
from wastenot.analyzer.render.terminal import plain_table
from wastenot.analyzer.text.units import counted, duration, percent


def scalability_text(s: Scalability, reference: str) -> Group:
    """What `wastenot balance --reference` adds."""
    return Group(*_parts(s, reference))


def _parts(s: Scalability, reference: str) -> Iterator[RenderableType]:
    unit = "An iteration" if s.basis == "iteration" else "The run"
    yield Text(
        f"Beside {reference}, with {counted(s.reference.ranks, 'rank')}: {unit.lower()} takes "
        f"{duration(round(s.own.length_ns))} with {counted(s.own.ranks, 'rank')} instead of "
        f"{duration(round(s.reference.length_ns))}, a speedup of {s.speedup:.2f}; {s.ideal:.2f} would be ideal."
    )
    table = plain_table(("", "left"), ("reference", "right"), ("this", "right"))
    table.add_row("global efficiency", percent(s.reference.parallel_efficiency), percent(s.global_efficiency))
    table.add_row("parallel efficiency", *(percent(w.parallel_efficiency) for w in (s.reference, s.own)))
    for name, value in (
        ("computation scalability", s.computation),
        ("instruction scalability", s.instructions),
        ("IPC scalability", s.ipc),
        ("frequency scalability", s.frequency),
    ):
        if value is not None:
            table.add_row(name, percent(1.0), percent(value))
    yield table
    yield Text(scalability_words(s))


def scalability_words(s: Scalability) -> str:
    """What the figures assume and leave open."""
    words = ["Both runs are taken to solve the same problem."]
    if s.instructions is None:
        words.append(
            "Why computing grew or shrank is not known: both need hardware counters (`wastenot record --counters`)."
        )
    if s.is_bound:
        words.append("Without calls of the ranks (H0), what they spin counts as computing.")
    return " ".join(words)


def scalability_json(s: Scalability, reference: str) -> dict[str, Any]:
    """The key `scalability` of `wastenot balance --reference --json`."""
    return {
        "reference": reference, "basis": s.basis, "is_bound": s.is_bound, "speedup": s.speedup,
        "ideal_speedup": s.ideal, "global_efficiency": s.global_efficiency, "computation_scalability": s.computation,
        "instruction_scalability": s.instructions, "ipc_scalability": s.ipc, "frequency_scalability": s.frequency,
        "this_run": _work_json(s.own), "reference_run": _work_json(s.reference),
    }  # fmt: skip


def _work_json(w: ComputedWork) -> dict[str, Any]:
    return {
        "ranks": w.ranks, "length_ns": w.length_ns, "compute_ns": w.compute_ns,
        "parallel_efficiency": w.parallel_efficiency, "instructions": w.instructions, "cycles": w.cycles,
        "ipc": w.ipc, "frequency_ghz": w.frequency_ghz,
    }  # fmt: skip

"""Characters that a terminal may lack: one set of them for fonts with Unicode's blocks, one of ASCII."""

from __future__ import annotations

from dataclasses import dataclass

from wastenot.live.model.frame import CpuState


@dataclass(frozen=True)
class Glyphs:
    """Characters by what they are for.

    `nothing`: no waste, `curve`: from little waste to the most, `bar`: a full and an empty cell.
    """

    nothing: str
    curve: str
    bar: str
    more: str
    cursor: str
    selected: str
    unknown: str


UNICODE = Glyphs(nothing="·", curve="▁▂▃▄▅▆▇█", bar="█·", more="…", cursor="▲", selected="▶", unknown="–")
ASCII = Glyphs(nothing=".", curve=":-=+*%#@", bar="#.", more="~", cursor="^", selected=">", unknown="-")
"""For terminals with few characters, as the Linux console."""

CPU_LETTERS = {
    CpuState.IDLE: ".",
    CpuState.WASTED: "W",
    CpuState.RUNNING: "o",
    CpuState.INTERRUPT: "i",
    CpuState.UNOBSERVED: "?",
    CpuState.OFFLINE: "x",
}
"""A CPU in one character, where no thread waits on its queue; a digit says how many wait."""

MOST_DIGIT = 9
MANY = "+"
"""More waiting threads than a digit can say."""

REASON_LETTERS = {
    "avoidable": "A",
    "neighbour": "N",
    "own_quota": "Q",
    "own_threads": "T",
    "confined": "C",
    "interrupts": "I",
    "kernel_threads": "K",
    "rt_dl": "R",
    "wakeup_latency": "L",
    "unknown_cgroup": "?",
    "unknown": "?",
}
"""Reasons of the wait ledger (the enumeration `wait_reason`) in one character."""


def waiting_letter(waiting: int) -> str:
    """A number of waiting threads in one character."""
    return str(waiting) if waiting <= MOST_DIGIT else MANY

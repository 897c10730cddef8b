"""How long an interval of each grade lasts, as text: `50 µs–4 ms`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wastenot.analyzer.text.units import duration

IN_FLIGHT_NS = 50_000
DEFAULT_TICK_NS = 4_000_000
"""The tick that the check assumes where a trace does not record it (`DEFAULT_TICK_NS` of the checker)."""


def grade_bounds(tick_ns: int | None, thresholds_ns: Mapping[str, int]) -> dict[str, str]:
    """By grade, how long one of its intervals lasts; `thresholds_ns` were given in place of the definition's."""
    at = {
        "in_flight": _plain(IN_FLIGHT_NS),
        "expected": _plain(tick_ns or DEFAULT_TICK_NS),
        "lasting": "a balance interval",
        "persistent": "100 ms or 3 balance intervals",
    } | {grade: _plain(ns) for grade, ns in thresholds_ns.items()}
    return {
        "noise": f"up to {at['in_flight']}",
        "in_flight": f"{at['in_flight']}–{at['expected']}",
        "expected": f"{at['expected']}–{at['lasting']}",
        "lasting": f"over {at['lasting']}",
        "persistent": f"over {at['persistent']}",
        "recurrent": "short intervals that recur",
    }


def _plain(ns: int) -> str:
    """A duration without zeros after the point: `4 ms`, `1.5 ms`."""
    return re.sub(r"\.?0+ ", " ", duration(ns)) if "." in duration(ns) else duration(ns)


def thresholds_text(thresholds_ns: Mapping[str, int]) -> str:
    """`lasting=8.00 ms, persistent=1.00 s`: thresholds that were given in place of the definition's."""
    return ", ".join(f"{grade}={duration(ns)}" for grade, ns in thresholds_ns.items())

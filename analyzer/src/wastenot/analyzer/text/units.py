"""Durations, core-time, shares and CPU lists, as text and back."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wastenot.analyzer.errors import BadArgument

UNITS_NS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zµ]*)\s*")


def parse_duration(text: str) -> int:
    """A duration such as `10s`, `4ms`, `1.5us`, `2min` in nanoseconds. A bare number is seconds. Raises BadArgument."""
    match = _DURATION.fullmatch(text)
    if match is None or (match[2] and match[2] not in UNITS_NS):
        raise BadArgument(f"{text!r}: not a duration; a number and one of {', '.join(UNITS_NS)}, as in 10s or 4ms")
    return round(float(match[1]) * UNITS_NS[match[2] or "s"])


def duration(ns: int) -> str:
    """Nanoseconds with three digits and the unit that suits: `2.53 s`, `312 µs`, `0 s`."""
    if ns == 0:
        return "0 s"
    sign, size = ("-" if ns < 0 else ""), abs(ns)
    for unit, scale in (("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000)):
        if size >= scale * 0.9995:
            return f"{sign}{three_digits(size / scale)} {unit}"
    return f"{sign}{size} ns"


def three_digits(value: float) -> str:
    """A number with three significant digits below 1,000 and thousands separated above."""
    if value == 0:
        return "0"
    if value >= 999.5:
        return f"{value:,.0f}"
    if value < 0.09995:
        return f"{value:.3g}"
    decimals = 3 if value < 0.9995 else 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{decimals}f}"


def core_seconds(core_ns: int) -> str:
    """Core-nanoseconds as core-seconds: `9.87 core-s`."""
    seconds = core_ns / 1e9
    if core_ns == 0:
        return "0 core-s"
    return f"{three_digits(seconds)} core-s" if seconds >= 0.0005 else "<0.001 core-s"


def percent(share: float) -> str:
    """A share as a percentage: `12.3 %`, `0.04 %`, `<0.01 %`."""
    if share == 0:
        return "0 %"
    value = share * 100
    if abs(value) < 0.005:
        return "<0.01 %"
    return f"{value:.2f} %" if abs(value) < 9.995 else f"{value:.1f} %"


def cpu_list(cpus: Iterable[int], ranges: int | None = None) -> str:
    """CPU numbers in the kernel's list format: `0-3,8`; `none` for no CPU.

    With more than `ranges` ranges only so many are named, and all CPUs counted: `1,3,5 ... (512)`.
    """
    ordered = sorted(set(cpus))
    parts: list[str] = []
    start = 0
    for i, cpu in enumerate(ordered):
        if i + 1 == len(ordered) or ordered[i + 1] != cpu + 1:
            parts.append(str(cpu) if ordered[start] == cpu else f"{ordered[start]}-{cpu}")
            start = i + 1
    if ranges is not None and len(parts) > ranges:
        return f"{','.join(parts[:ranges])} ... ({len(ordered)})"
    return ",".join(parts) or "none"


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """`1 thread`, `1,234 threads`."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"

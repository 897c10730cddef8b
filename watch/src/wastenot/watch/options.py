"""What a watch was asked to do, as values."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.text.units import parse_duration
from wastenot.watch.conditions import WatchCondition, parse_watch_condition
from wastenot.watch.http.address import Address
from wastenot.watch.rate_limit import RateLimit

BYTES = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
LEAST_RING = 64 << 10
"""Bytes of the smallest ring, of which each CPU has one."""

SERIES = 50
"""Cgroups with time series of their own."""


@dataclass(frozen=True)
class WatchOptions:
    """See the options of `wastenot watch`. Times are nanoseconds; `for_ns` None: until a signal ends it."""

    out: Path
    run_dir: Path
    conditions: tuple[WatchCondition, ...] = ()
    keep_ns: int = 10_000_000_000
    after_ns: int = 2_000_000_000
    exact: bool = False
    most_bytes: int = 2 * 10**9
    memory_bytes: int = 64 * 10**6
    rate_limit: RateLimit = field(default_factory=lambda: RateLimit(1, 60_000_000_000))
    keep_unconfirmed: bool = False
    metrics: Address | None = None
    token_file: Path | None = None
    otlp: str | None = None
    alarm: tuple[str, ...] = ()
    for_ns: int | None = None
    exit_of: tuple[int, ...] = ()
    series: int = SERIES


def parse_bytes(text: str, option: str) -> int:
    """A size such as `2GB`; raises BadArgument."""
    for unit, scale in BYTES.items():
        number = text.strip().removesuffix(unit).strip()
        if number != text.strip() and number.replace(".", "", 1).isdigit():
            return round(float(number) * scale)
    raise BadArgument(f"{option} {text!r}: write a number and one of {', '.join(BYTES)}, as in 2GB")


def parse_memory(text: str, option: str) -> int:
    """A size of at least a ring per CPU and at most half of this machine's memory; raises BadArgument."""
    found, memory = parse_bytes(text, option), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    least = LEAST_RING * os.sysconf("SC_NPROCESSORS_CONF")
    if found < least:
        raise BadArgument(f"{option} {text}: give at least {-(-least // 1000)}kB, 64 KiB for each CPU")
    if 2 * found > memory:
        raise BadArgument(f"{option} {text}: this machine has {memory / 1e9:.1f} GB; give half of it at most")
    return found


def parse_url(text: str, option: str) -> str:
    """An address of HTTP or HTTPS with a host; raises BadArgument."""
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known or not text.isprintable() or " " in text:
        raise BadArgument(f"{option} {text!r}: write a full address, as in http://127.0.0.1:4318/v1/metrics")
    return text


def parse_length(text: str, option: str, least_ns: int = 1) -> int:
    """A duration of at least `least_ns`; raises BadArgument, which names the option."""
    try:
        found = parse_duration(text)
    except BadArgument as e:
        raise BadArgument(f"{option} {e}") from None
    if found < least_ns:
        raise BadArgument(f"{option} {text}: must be longer")
    return found


def parse_conditions(texts: tuple[str, ...], keep_ns: int) -> tuple[WatchCondition, ...]:
    """The conditions of `--on`; `lasting>0` where there are none."""
    return tuple(parse_watch_condition(text, keep_ns) for text in texts or ("lasting>0",))

"""What this kernel and this user may do."""

from __future__ import annotations

import json
from dataclasses import dataclass

from wastenot import _native


@dataclass(frozen=True)
class Check:
    """One thing that was tried: `state` is ok, missing, refused or unknown; `advice` says what to do, and is None
    where it works.

    `errno` is the error number of the system call that failed, if one did; `used_by_wastenot` is False of what only
    other tools need.
    """

    key: str
    state: str
    detail: str
    errno: int | None
    needed_for: str
    used_by_wastenot: bool
    advice: str | None


@dataclass(frozen=True)
class Examination:
    """What a recording would be made of.

    `source` is ebpf, tracefs or none; `attach` is tp_btf, raw_tp or None; `evidence_level` is L0 to L3, or none;
    `excuses_not_recorded` are those that the recording could not show.
    """

    kernel: str
    root: bool
    source: str
    attach: str | None
    evidence_level: str
    excuses_not_recorded: tuple[str, ...]
    checks: tuple[Check, ...]


def examine() -> Examination:
    """Try everything out; takes some milliseconds and leaves nothing behind."""
    found = json.loads(_native.collector.doctor())
    return Examination(
        kernel=found["kernel"],
        root=found["root"],
        source=found["source"],
        attach=found["attach"],
        evidence_level=found["evidence_level"],
        excuses_not_recorded=tuple(found["excuses_not_recorded"]),
        checks=tuple(Check(**check) for check in found["checks"]),
    )

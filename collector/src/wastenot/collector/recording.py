"""From a recording's folder to Arrow tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wastenot import _native
from wastenot._native import ArrowStream


@dataclass(frozen=True)
class Recorded:
    """What was decoded; times in ns on the recording's clock.

    `complete` is False after a crash: `end_ns` is then the last event. `notes` name what is missing beside the
    evidence that the table `evidence` lists.
    `snapshot_corrected` counts rows of the start snapshot that were made to agree with the events around them.
    """

    events: int
    start_ns: int
    end_ns: int
    complete: bool
    end_reason: str
    evidence_level: str
    notes: tuple[str, ...]
    snapshot_corrected: int


def decode(
    part: str | Path,
    emit: Callable[[str, ArrowStream], object],
    progress: Callable[[int, float | None], object] | None = None,
) -> Recorded:
    """Decode the recording in the folder `part` in bounded memory.

    `emit(table, stream)` receives the batches of every event table in order of id, then the entity tables;
    `progress(events, share)` the events so far and the share done (None where the end is not known). Raises
    WastenotError when the folder holds no recording; what the callbacks raise goes through.
    """
    summary = json.loads(_native.collector.decode(part, emit, progress))
    return Recorded(**{**summary, "notes": tuple(summary["notes"])})

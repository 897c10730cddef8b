"""The checker on the stream of events (see the crate wastenot-online)."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, Protocol

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...

class ExactWatch:
    """Records and checks this machine at once.

    `options` is JSON (`wastenot_online::WatchOptions`): recorder, also_part, most_waiting_bytes, thresholds_ns,
    without_causes; every key may be left out. Nothing happens before `start`; dropping a started watch ends it. Every
    method raises WastenotError with one line.
    """

    def __init__(self, options: str = "{}") -> None: ...
    def start(self) -> str:
        """Start; returns the description of the recording as JSON."""

    def counters(self) -> str:
        """The counters so far as JSON, with the episodes that ended since they were last asked for.

        In place of `waits`, `new_waits`: what its rows have more than when they were last asked for (ns).
        """

    def stop(self) -> str:
        """Stop; returns the counters of the whole watch."""

def replay_counters(
    trace: str | PathLike[str] | Mapping[str, _Stream], step_ns: int, options_json: str = "{}"
) -> list[str]:
    """The counters of a part folder, or of the tables of a trace, every `step_ns` and at the end, each as JSON.

    Each comes with the episodes that ended since the one before. Raises WastenotError with one line.
    """

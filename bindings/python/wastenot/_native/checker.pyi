"""The check over Arrow streams (see the crate wastenot-checker)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from wastenot._native import ArrowStream

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...

def check(
    tables: Mapping[str, _Stream],
    options_json: str,
    emit: Callable[[str, ArrowStream], None],
    progress: Callable[[int], None] | None = None,
) -> None:
    """Check a trace; `emit(table, stream)` receives every derived table. Raises WastenotError with one line."""

def check_window(
    tables: Mapping[str, _Stream],
    start_ns: int,
    end_ns: int,
    state: bytes | None,
    to_the_end: bool,
    emit: Callable[[str, ArrowStream], None],
    progress: Callable[[int], None] | None = None,
) -> None:
    """Make the rows that touch a window, from the events after a checkpoint (`state`). Raises WastenotError."""

def window_waits(
    tables: Mapping[str, _Stream],
    start_ns: int,
    end_ns: int,
    state: bytes | None,
    to_the_end: bool,
    cpus: Sequence[int],
    utids: Sequence[int],
    emit: Callable[[str, ArrowStream], None],
    progress: Callable[[int], None] | None = None,
) -> int:
    """Count how long threads waited within a window, and why; `emit` receives the table `cgroup_wait` of it.

    Of the waits on the queues of `cpus`, of the threads `utids`; of all where a list is empty. Returns the ns that were
    no wait by a later event. Raises WastenotError.
    """

def deadlines(
    tables: Mapping[str, _Stream],
    options_json: str,
    emit: Callable[[str, ArrowStream], None],
    progress: Callable[[int], None] | None = None,
) -> str:
    """The figures of the jobs of deadline tasks, as JSON; `emit` receives the table of jobs. Raises WastenotError."""

def rules(kernel: str | None = None) -> str:
    """The descriptions of all rules for causes, as a JSON list; of their repairs those meant for a kernel."""

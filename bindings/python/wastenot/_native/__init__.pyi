"""The native components of wastenot: record batches cross by the Arrow PyCapsule stream interface."""

from typing import Any

from wastenot._native import checker as checker
from wastenot._native import collector as collector
from wastenot._native import provoke as provoke
from wastenot._native import replay as replay
from wastenot._native import watch as watch

class WastenotError(Exception):
    """Something a user can fix; the message is one line: what, where, what to do."""

class ArrowStream:
    """Rows for users of Arrow. Can be read once."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...

def version() -> str:
    """Version of the native components."""

class Rows:
    """Rows in memory; `dictionaries` is None where a column is of a type that only pyarrow turns into Python values."""

    def __new__(cls, stream: object) -> Rows: ...
    @staticmethod
    def joined(parts: list[Rows]) -> Rows:
        """Rows of one schema after each other."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __len__(self) -> int: ...
    def columns(self) -> list[str]: ...
    def dictionaries(self) -> list[dict[str, Any]] | None: ...

"""The trace store, its metrics and reports. `open_trace` is the entry point."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wastenot.analyzer.checked_trace import open_checked
    from wastenot.analyzer.errors import AnalyzerError
    from wastenot.analyzer.export import export_csv, export_parquet, export_perfetto
    from wastenot.analyzer.importing.sources import ImportOptions, import_source
    from wastenot.analyzer.result import Result
    from wastenot.analyzer.store.building import build
    from wastenot.analyzer.store.checking import CheckOptions
    from wastenot.analyzer.store.recheck import ensure_checked
    from wastenot.analyzer.trace import Trace, open_trace
    from wastenot.analyzer.verdict import Verdict

_MODULES = {
    "AnalyzerError": "errors", "CheckOptions": "store.checking", "ImportOptions": "importing.sources",
    "Result": "result", "Trace": "trace", "Verdict": "verdict", "build": "store.building",
    "ensure_checked": "store.recheck", "export_csv": "export", "export_parquet": "export",
    "export_perfetto": "export", "import_source": "importing.sources", "open_checked": "checked_trace",
    "open_trace": "trace",
}  # fmt: skip
"""Names and the modules that define them, imported at first use: an export needs what a verdict does not."""

__all__ = [
    "AnalyzerError",
    "CheckOptions",
    "ImportOptions",
    "Result",
    "Trace",
    "Verdict",
    "build",
    "ensure_checked",
    "export_csv",
    "export_parquet",
    "export_perfetto",
    "import_source",
    "open_checked",
    "open_trace",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""The trace store, its metrics and reports. `open_trace` is the entry point."""

from wastenot.analyzer.errors import AnalyzerError
from wastenot.analyzer.export import export_csv, export_parquet, export_perfetto
from wastenot.analyzer.importing.sources import ImportOptions, import_source
from wastenot.analyzer.result import Result
from wastenot.analyzer.store.building import build
from wastenot.analyzer.store.checking import CheckOptions
from wastenot.analyzer.store.recheck import ensure_checked
from wastenot.analyzer.trace import Trace, open_trace
from wastenot.analyzer.verdict import Verdict

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
    "open_trace",
]

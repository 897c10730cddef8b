"""Bringing events in: record the live kernel, read recordings and other tools' traces, describe machine and kernel.

Thin and typed faces of the native part (`wastenot._native.collector`); every failure that a user can mend is a
`WastenotError` with one line.
"""

from wastenot._native import ArrowStream, WastenotError
from wastenot.collector.doctor import Check, Examination, examine
from wastenot.collector.importing import Declared, Imported, import_trace, recognise
from wastenot.collector.machine import hwloc_to_machine, machine_snapshot, machine_to_hwloc
from wastenot.collector.recorder import Recorder
from wastenot.collector.recording import Recorded, decode

__all__ = [
    "ArrowStream",
    "Check",
    "Declared",
    "Examination",
    "Imported",
    "Recorded",
    "Recorder",
    "WastenotError",
    "decode",
    "examine",
    "hwloc_to_machine",
    "import_trace",
    "machine_snapshot",
    "machine_to_hwloc",
    "recognise",
]

"""Bringing events in: record the live kernel, decode a recording, describe the machine, tell what the kernel permits.

Thin and typed faces of the native part (`wastenot._native.collector`); every failure that a user can mend is a
`WastenotError` with one line.
"""

from wastenot._native import ArrowStream, WastenotError
from wastenot.collector.doctor import Check, Examination, examine
from wastenot.collector.machine import hwloc_to_machine, machine_snapshot, machine_to_hwloc
from wastenot.collector.recorder import Recorder
from wastenot.collector.recording import Recorded, decode

__all__ = [
    "ArrowStream",
    "Check",
    "Examination",
    "Recorded",
    "Recorder",
    "WastenotError",
    "decode",
    "examine",
    "hwloc_to_machine",
    "machine_snapshot",
    "machine_to_hwloc",
]

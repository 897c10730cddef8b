"""Simulations of schedulers: scenarios, and traces as a recorder would write them.

Thin and typed wrappers of the native part (`wastenot._native.replay`); every failure that a user can fix is a
`WastenotError` with one line.
"""

from wastenot._native import WastenotError
from wastenot.replay.faults import Fault, constants, faults, schedulers
from wastenot.replay.rt_app import scenario_of_rt_app
from wastenot.replay.scenarios import Scenario, find, parse, read, shipped
from wastenot.replay.simulation import Settings, SimulationOutcome, simulate

__all__ = [
    "Fault",
    "Scenario",
    "Settings",
    "SimulationOutcome",
    "WastenotError",
    "constants",
    "faults",
    "find",
    "parse",
    "read",
    "scenario_of_rt_app",
    "schedulers",
    "shipped",
    "simulate",
]

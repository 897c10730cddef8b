"""`wastenot doctor`: what this kernel and user may do."""

from __future__ import annotations

import json

from wastenot._native import collector
from wastenot.cli.doctor_view import doctor_view
from wastenot.cli.options import JsonOption
from wastenot.cli.output import show, show_json


def doctor(as_json: JsonOption = False) -> None:
    """Tell what this kernel and user may do, the evidence level that gives, and what to install."""
    found = json.loads(collector.doctor())
    if as_json:
        show_json(found)
        return
    show(doctor_view(found))

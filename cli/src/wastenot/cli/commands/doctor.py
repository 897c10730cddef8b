"""`wastenot doctor`: what can be recorded here."""

from __future__ import annotations

import json

from wastenot._native import collector
from wastenot.cli.options import json_option
from wastenot.cli.output import show, show_json
from wastenot.cli.parameters import command


@command()
@json_option
def doctor(as_json: bool) -> None:
    """Show what can be recorded with this kernel and user, at which evidence level, and what to install for more."""
    found = json.loads(collector.doctor())
    if as_json:
        show_json(found)
        return
    from wastenot.cli.doctor_view import doctor_view  # imports rich

    show(doctor_view(found))

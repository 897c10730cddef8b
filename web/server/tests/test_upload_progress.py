"""What an import says of its progress."""

from __future__ import annotations

import json

import pytest
from wastenot.web.importing import Told


def test_the_begin_of_a_phase_counts_no_events(capsys: pytest.CaptureFixture[str]) -> None:
    told = Told()
    told.reading(1, 0.01)
    told.reading(13, 1.0)  # at once: nothing to say anew
    told.checking(1, 13)
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert said == [{"phase": phase, "events": 0, "share": 0.0} for phase in ("reading", "checking")]

"""What an import says of its progress."""

from __future__ import annotations

import json

import pytest
from wastenot.web.importing import ProgressReport


def test_the_start_of_a_phase_counts_no_events(capsys: pytest.CaptureFixture[str]) -> None:
    reported = ProgressReport()
    reported.reading(1, 0.01)
    reported.reading(13, 1.0)  # at once: nothing to say anew
    reported.checking(1, 13)
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert said == [{"phase": phase, "events": 0, "share": 0.0} for phase in ("reading", "checking")]

"""What a watch reports, as values: one line for people, fields for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wastenot.analyzer.text.printable import printable
from wastenot.analyzer.text.units import core_seconds, duration, percent
from wastenot.watch.model.boxes import CONFIRMED, REQUESTED, UNCONFIRMED, Box
from wastenot.watch.model.view import View

ALERT, WARNING, NOTICE, INFO = 1, 4, 5, 6
"""Priorities, as syslog(3) numbers them."""

BOX_MESSAGE_ID = "9a4c1b7e6f1d4c0f8d8c5a2e5b7f3d21"
"""MESSAGE_ID of the journal's entries about a box (`journalctl MESSAGE_ID=...`)."""


@dataclass(frozen=True)
class Message:
    """One line, its priority, and the fields that programs read."""

    text: str
    priority: int = INFO
    fields: Mapping[str, str] = field(default_factory=dict)
    kind: str = "message"

    def as_json(self) -> str:
        """The message as one line of JSON."""
        return json.dumps({"kind": self.kind, "message": self.text, **{k.lower(): v for k, v in self.fields.items()}})


def box_message(box: Box, kept: bool) -> Message:
    """What became of a box."""
    fields = {"WASTENOT_BOX": box.path, "WASTENOT_REASON": box.trigger.reason, "WASTENOT_OUTCOME": box.outcome}
    fields["MESSAGE_ID"] = BOX_MESSAGE_ID
    if box.verdict is None:
        left = f"; {box.path}.part is left, `wastenot check {box.path}` finishes it" if box.kept else ""
        return Message(f"box not saved ({box.trigger.reason}): {box.error}{left}", WARNING, fields, "box")
    verdict = box.verdict
    fields["WASTENOT_CAUSE"] = verdict.cause
    fields["WASTENOT_WASTED_CORE_S"] = f"{verdict.wasted_ns / 1e9:.9f}"
    wasted = f"{core_seconds(verdict.wasted_ns)} wasted ({percent(verdict.share)})"
    if box.outcome == CONFIRMED:
        text = f"{box.trigger.reason}: {verdict.figure}, {wasted}; {verdict.sentence} saved {box.path}"
        return Message(text, ALERT, fields, "box")
    if box.outcome == REQUESTED:
        return Message(f"{box.trigger.reason}: {wasted}; {verdict.sentence} saved {box.path}", NOTICE, fields, "box")
    assert box.outcome == UNCONFIRMED
    what = f"kept {box.path}" if kept else "deleted"
    return Message(
        f"unconfirmed: {box.trigger.reason} was sampled, not measured: {wasted}; {what}", INFO, fields, "box"
    )


def status_line(view: View, before: View | None) -> str:
    """The state in one line: what was seen since the view `before`."""
    since = before or View(view.facts, view.started_ns, view.started_ns, type(view.status)(view.started_ns))
    passed = max(1, view.time_ns - since.time_ns)
    cpus = max(1, len(view.status.cpus))
    if view.exact is not None:
        wasted = view.exact.wasted_ns - (since.exact.wasted_ns if since.exact else 0)
        how = "wasted"
    else:
        wasted, how = view.status.wasted_ns - since.status.wasted_ns, "wasted (sampled)"
    parts = [
        f"{percent(wasted / passed / cpus)} {how}",
        f"longest now {duration(view.status.longest_ns)}",
        f"{view.status.overloaded_cpus} of {cpus} CPUs overloaded",
        f"{duration(view.status.kept_ns)} kept",
        f"{view.status.lost:,} lost",
        f"boxes {view.counts.boxes[CONFIRMED]} confirmed, {view.counts.boxes[UNCONFIRMED]} unconfirmed",
    ]
    if suppressed := sum(view.counts.suppressed.values()):
        parts.append(f"{suppressed} triggers suppressed")
    return "; ".join(parts)


def box_name(box: Box) -> str:
    """The name of its file, fit for a terminal."""
    return printable(Path(box.path).name)

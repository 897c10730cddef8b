"""Views as the watch sends them over its socket, back to values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from wastenot.watch.model.boxes import Box, BoxVerdict, Counts, Trigger
from wastenot.watch.model.status import ExactCounters, Status, Wait
from wastenot.watch.model.view import Facts, View


def view_from_json(found: Mapping[str, Any]) -> View:
    """The view that `View.to_json` wrote. Raises KeyError or TypeError for an object of another version."""
    plain = {name: found[name] for name in ("time_ns", "started_ns", "boxes_bytes", "saving", "cpu_ns", "children_ns")}
    return View(
        facts=Facts(**{**found["facts"], **_tuples(found["facts"], "conditions", "not_recorded")}),
        status=Status.from_json(json.dumps(found["status"])),
        exact=None if found["exact"] is None else _exact(found["exact"]),
        counts=Counts(**found["counts"]),
        boxes=tuple(_box(b) for b in found["boxes"]),
        episode_lengths={float(bound): n for bound, n in found["episode_lengths"].items()},
        episode_seconds=found["episode_seconds"],
        waits=tuple(Wait(**w) for w in found["waits"]),
        **plain,
    )


def _tuples(found: Mapping[str, Any], *names: str) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(found[name]) for name in names}


def _exact(found: Mapping[str, Any]) -> ExactCounters:
    plain = {f.name: found[f.name] for f in fields(ExactCounters)}
    plain["wasted_by"] = {(row["cause"], row["node"]): row["ns"] for row in found["wasted_by"]}
    plain["episodes"] = {grade: (count, ns) for grade, (count, ns) in found["episodes"].items()}
    plain["ended_ns"] = tuple(found["ended_ns"])
    plain["new_waits"] = tuple(Wait(**w) for w in found["new_waits"])
    return ExactCounters(**plain)


def _box(found: Mapping[str, Any]) -> Box:
    verdict = None if found["verdict"] is None else BoxVerdict.from_json(found["verdict"])
    return Box(**{**found, "trigger": Trigger(**found["trigger"]), "verdict": verdict})

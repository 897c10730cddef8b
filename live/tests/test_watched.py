"""Frames of a running watch: of drawn views, sent over a socket as a real watch sends them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from drawn_views import MS, DrawnWatch, S, drawn_view
from wastenot.live.errors import NoWatch
from wastenot.live.model.frame import CpuPlace, CpuState, Frame
from wastenot.live.running import open_watch
from wastenot.live.watched.frames import frame_of
from wastenot.live.watched.minute import LastMinute, reading_of
from wastenot.live.watched.source import OwnWatch, RunningWatch
from wastenot.live.watched.view_json import view_from_json
from wastenot.watch.errors import NotRunning
from wastenot.watch.model.view import View

PLACES = {c: CpuPlace(c, c // 4, c // 4 * 4, c) for c in range(9)}
"""One CPU more than the drawn machine has online."""


@pytest.mark.parametrize("exact", [False, True])
def test_a_view_is_the_same_after_it_was_sent(exact: bool) -> None:
    view = drawn_view(7, exact=exact)
    sent = replace(view, exact=replace(view.exact, new_waits=()) if view.exact else None)
    assert view_from_json(json.loads(json.dumps(view.to_json()))) == sent


def test_a_view_of_10_000_cgroups_is_sent_without_the_waits_of_each() -> None:
    view = drawn_view(7, exact=True, cgroups=10_000)
    assert len(json.dumps(replace(view, waits=view.waits[:150]).to_json())) < 50_000


def frames(*views: View) -> list[Frame]:
    minute, out = LastMinute(), []
    for view in views:
        minute.add(reading_of(view))
        out.append(frame_of(view, minute, PLACES, "web-7", "05:50:01"))
    return out


def drawn(*seconds: int, exact: bool = False) -> Frame:
    return frames(*(drawn_view(s, exact=exact) for s in seconds))[-1]


def test_cpus_that_a_look_found_idle_beside_waiting_threads_are_wasted() -> None:
    frame = drawn(3)
    assert [c.state for c in frame.cpus[:2]] == [CpuState.RUNNING, CpuState.WASTED]
    assert frame.cpus[4].state is CpuState.IDLE, "its hit was three seconds ago"
    assert frame.waste.now == 1
    assert frame.cpus[0].waiting == 4, "five are runnable, one of them runs"
    assert frame.cpus[8].state is CpuState.OFFLINE, "the machine has it, the watch does not see it"


def test_without_a_violation_under_way_no_cpu_is_wasted() -> None:
    frame = drawn(1)
    assert frame.waste.now == 0
    assert frame.count(CpuState.WASTED) == 0


def test_a_queue_names_the_threads_of_hits_longest_first() -> None:
    queue = drawn(3).queues[0]
    assert (queue.cpu, queue.waiting, queue.longest_ns) == (0, 4, 30 * MS)
    assert queue.threads == ("worker-0 (100)", "worker-1 (101)", "worker-2 (102)")
    assert drawn(1).queues[0].longest_ns is None


def test_waste_is_what_was_added() -> None:
    frame = drawn(*range(1, 6))
    assert frame.waste.second == 2
    assert (frame.waste.minute_ns, frame.waste.minute_span_ns) == (8 * S, 4 * S)
    assert frame.waste.minute_share == pytest.approx(8 / 32)
    assert frame.curve.values[-4:] == (2.0,) * 4


def test_without_exact_figures_causes_are_those_of_the_boxes_of_the_last_minute() -> None:
    frame = drawn(3)
    assert [(c.answers, c.core_ns) for c in frame.causes] == [(("not moved because no idle CPU was kicked",), 3 * S)]
    assert frame.causes_of == "boxes of the last minute"
    assert any("--exact" in note for note in frame.notes)
    late = replace(drawn_view(3), time_ns=drawn_view(3).time_ns + 40 * S)
    assert frames(late)[0].causes == ()


def test_exact_figures_give_causes_over_all_nodes_and_cgroups() -> None:
    frame = drawn(1, 3, exact=True)
    assert [(c.answers, c.core_ns) for c in frame.causes] == [
        (("newidle did not run (cut off)",), 3 * S),
        (("unknown",), S),
    ]
    assert frame.causes_of == "last minute"
    assert frame.cgroups[0].name == "unit-0.service"
    assert dict(frame.cgroups[0].by_reason) == {"neighbour": S, "avoidable": 2 * S // 3 + 1, "own_quota": S // 2}
    assert not any("--exact" in note for note in frame.notes)


def test_boxes_are_listed_the_latest_first() -> None:
    boxes = drawn(3).boxes
    assert [(b.outcome, b.is_kept) for b in boxes] == [("unconfirmed", False), ("confirmed", True)]
    assert boxes[1].sentence == "2 of 8 cores wasted for 1.5 s"


def test_lost_events_are_noted() -> None:
    view = drawn_view(3)
    frame = frames(replace(view, status=replace(view.status, lost=1234)))[0]
    assert "1,234 events lost: figures are too low" in frame.notes


def test_a_running_watch_is_attached_to(tmp_path: Path) -> None:
    watch = DrawnWatch()
    watch.second = 3
    with watch.at(tmp_path / "run") as folder:
        source = open_watch(folder)
        frame = source.frame()
        assert frame.waste.now == 1
        assert source.press("s") == "saving /var/lib/wastenot/b.duckdb"
        assert watch.triggers == ["live view"]
        assert source.press("x") is None
        source.close()
        assert source.frame().waste.now == 1, "the watch was not ended"
    with pytest.raises(NotRunning, match="no watch runs here"):
        source.frame()


def test_a_watch_of_another_version_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with DrawnWatch().at(tmp_path / "run") as folder:
        monkeypatch.setattr(View, "to_json", lambda view: {"unknown": 1})
        with pytest.raises(NoWatch, match="of another version"):
            RunningWatch(folder).frame()


def test_why_a_watch_cannot_be_started_is_what_it_said() -> None:
    own = OwnWatch("--rate-limit", "nonsense")
    try:
        with pytest.raises(NoWatch, match=r"rate-limit"):
            own.wait_until_ready()
    finally:
        own.end()

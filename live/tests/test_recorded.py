"""Frames of a drawn trace, whose state at each instant is known, and of recordings, where tables must agree."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from drawing import OVERLOADED, build_drawn
from wastenot.analyzer import Trace, build, open_checked
from wastenot.analyzer.store.checking import CheckOptions
from wastenot.live.model.frame import CpuState, Frame
from wastenot.live.opening import Opened, open_box, open_recorded
from wastenot.live.recorded.source import RecordedTrace

ROOT = Path(__file__).parents[2]
MS, S = 1_000_000, 1_000_000_000


@pytest.fixture
def source(tmp_path: Path) -> Iterator[RecordedTrace]:
    """The drawn trace, with a clock that the test sets."""
    path = tmp_path / "T.duckdb"
    build_drawn(OVERLOADED, path)
    found = open_recorded(path, 1.0)
    yield found
    found.close()


def at(source: RecordedTrace, ms: float) -> Frame:
    return source.frame_at(source.player.at(round(ms * MS)))


def test_cpus_are_what_they_were_at_the_instant(source: RecordedTrace) -> None:
    def states(ms: float) -> list[tuple[str, int, str]]:
        return [(c.state.value, c.waiting, c.running) for c in at(source, ms).cpus]

    assert states(0.5) == [("running", 0, "burn"), *[("idle", 0, "")] * 3]
    first = states(100)
    assert first[0] == ("running", 2, "burn")
    assert sorted(state for state, _, _ in first[1:]) == ["idle", "idle", "wasted"]
    second = states(175)
    assert second[0] == ("running", 2, "pinned")
    assert sorted(state for state, _, _ in second[1:]) == ["idle", "wasted", "wasted"]
    assert states(225)[2] == ("running", 0, "burn")
    assert states(299)[0] == ("running", 0, "burn")


def test_places_are_those_of_the_machine(source: RecordedTrace) -> None:
    places = [c.place for c in at(source, 1).cpus]
    assert [(p.cpu, p.node, p.llc) for p in places] == [(0, 0, 0), (1, 0, 0), (2, 1, 2), (3, 1, 2)]


def test_the_waste_is_the_integral_up_to_the_instant(source: RecordedTrace) -> None:
    def waste(ms: float) -> tuple[int | None, int, int]:
        w = at(source, ms).waste
        return w.now, w.minute_ns, w.minute_span_ns

    assert waste(0) == (0, 0, 0)
    assert waste(101) == (1, 100 * MS, 101 * MS)
    assert waste(160) == (2, (159 + 10) * MS, 160 * MS)
    assert waste(225)[:2] == (1, (199 + 75) * MS)
    assert waste(260)[:2] == (0, (199 + 100) * MS)
    end = at(source, 300)
    assert end.waste.minute_ns == 299 * MS
    assert end.waste.minute_share == pytest.approx(299 / 1200, rel=1e-6)
    assert end.waste.second == pytest.approx(299 / 300, rel=1e-6)


def test_queues_name_the_threads_that_wait_longest_first(source: RecordedTrace) -> None:
    (queue,) = at(source, 175).queues
    assert (queue.cpu, queue.waiting, queue.running) == (0, 2, "pinned")
    assert queue.threads == ("burn", "burn")
    assert queue.longest_ns == 174 * MS
    assert at(source, 299).queues == ()


def test_causes_are_those_of_episodes_that_have_started(source: RecordedTrace) -> None:
    assert at(source, 0.5).causes == ()
    found = at(source, 299).causes
    assert found and sum(c.core_ns for c in found if not c.recurrent) <= 299 * MS
    assert all(c.sentence for c in found)


def test_busy_is_over_the_last_second_or_since_the_start(source: RecordedTrace) -> None:
    assert [c.idle_share for c in at(source, 0).cpus] == [None] * 4
    assert [c.idle_share for c in at(source, 250).cpus] == [0.0, 1.0, 0.8, 1.0]


def test_keys_move_through_the_trace(source: RecordedTrace) -> None:
    assert source.press("end") == ""
    assert source.frame().playback.position_ns == 300 * MS - 1  # type: ignore[union-attr]
    assert source.press("home") == ""
    assert source.press("minus") == ""
    assert source.press("right") == ""
    assert source.player.position_ns == 300 * MS - 1, "a step at speed 1/2 is longer than the trace"
    assert source.press("N") == ""
    assert source.player.position_ns == 150 * MS or source.player.position_ns == 1 * MS
    assert source.press("home") == ""
    assert source.press("N") == "no further episode that lasted or recurred"
    assert source.press("z") is None


def test_a_paused_trace_is_not_asked_again(source: RecordedTrace) -> None:
    assert source.frame() is source.frame()


def test_a_box_opens_as_its_verdict_or_as_a_player(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    build_drawn(OVERLOADED, path)
    lines = open_box(str(path), Opened.VERDICT)
    assert isinstance(lines, tuple)
    assert any("cores wasted" in line or "core wasted" in line for line in lines)
    assert lines[-1] == f"In the browser: wastenot serve {path}"
    player = open_box(str(path), Opened.PLAYER)
    assert isinstance(player, RecordedTrace)
    player.close()


RECORDINGS = ("hobbled-interval-6.12-8", "hotplug-6.12-8", "throttled-6.12-8")


@pytest.fixture(scope="module", params=RECORDINGS)
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trace]:
    """A real recording, checked."""
    folder = tmp_path_factory.mktemp("live")
    part = folder / "T.duckdb.part"
    shutil.copytree(ROOT / f"fixtures/traces/rig/{request.param}.part", part)
    build(part, folder / "T.duckdb", CheckOptions(tables="all"))
    with open_checked(folder / "T.duckdb", CheckOptions()) as trace:
        yield trace


def test_of_a_recording_all_figures_of_a_frame_agree(recording: Trace) -> None:
    source = RecordedTrace(recording)
    length = source.player.length_ns
    for i in range(20):
        frame = source.frame_at(source.player.at(i * length // 20))
        assert frame.count(CpuState.WASTED) == frame.waste.now
        for cpu in frame.cpus:
            assert cpu.idle_share is None or 0 <= cpu.idle_share <= 1
        for queue in frame.queues:
            assert queue.threads, "the threads of a queue are known"
            assert len(queue.threads) == min(3, queue.waiting)
    end = source.frame_at(source.player.at(length))
    verdict = recording.metric("verdict").one()
    assert abs(end.waste.minute_ns - verdict["wasted_ns"]) <= len(end.cpus)

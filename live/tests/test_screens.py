"""What the view shows of drawn frames, by the exact text of every screen; and what holds at every size."""

from __future__ import annotations

import pytest
from drawn_frames import drawn_cpus, drawn_frame
from rich.cells import cell_len
from screens import FOLDER, screens
from wastenot.live.lines.glyphs import ASCII, UNICODE
from wastenot.live.model.frame import CgroupWait, CpuNow, CpuPlace, CpuState, Frame, Queue
from wastenot.live.pages.cpus import cpu_block, in_order, worst
from wastenot.live.pages.screen import LEAST_HEIGHT, LEAST_WIDTH, Page, Screen, screen_lines

SCREENS = screens()


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_as_it_was_looked_at(name: str) -> None:
    assert SCREENS[name] == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_every_kept_screen_is_compared() -> None:
    assert {p.stem for p in FOLDER.iterdir()} == set(SCREENS)


@pytest.mark.parametrize("page", Page)
@pytest.mark.parametrize("is_played", [False, True])
def test_every_size_is_filled_exactly(page: Page, is_played: bool) -> None:
    frame = drawn_frame(64, is_played=is_played)
    for width in (1, 20, LEAST_WIDTH, 79, 149, 150, 300):
        for height in (1, 5, LEAST_HEIGHT, 25, 40, 100):
            lines = screen_lines(frame, Screen(page, text=("x" * 500,) * 200), width, height, UNICODE)
            assert [line.width for line in lines] == [width] * height


@pytest.mark.parametrize("count", [1, 2, 7, 96, 320, 1024, 8192])
@pytest.mark.parametrize("rows", [1, 2, 5, 9, 21])
@pytest.mark.parametrize("width", [LEAST_WIDTH, 80, 200])
def test_all_cpus_fit_into_the_lines_there_are(count: int, rows: int, width: int) -> None:
    lines = cpu_block(drawn_cpus(count), width, rows, UNICODE)
    assert 1 <= len(lines) <= rows
    assert all(line.width <= width for line in lines)


def test_a_letter_stands_for_each_cpu_where_they_fit() -> None:
    cpus = drawn_cpus(256)
    lines = cpu_block(cpus, 80, 9, UNICODE)
    letters = "".join(line.text[line.text.index("  ") :] for line in lines).replace(" ", "").replace("|", "")
    assert len(letters) == 256
    assert letters.count("W") == sum(c.state is CpuState.WASTED for c in cpus)


def test_cpus_are_in_the_order_of_the_topology_not_of_their_numbers() -> None:
    places = [
        CpuPlace(0, 0, 0, 0),
        CpuPlace(1, 1, 1, 1),
        CpuPlace(2, 0, 0, 2),
        CpuPlace(3, 1, 1, 3),
        CpuPlace(4, 0, 0, 0),
    ]
    ordered = in_order([CpuNow(p, CpuState.IDLE) for p in places])
    assert [c.place.cpu for c in ordered] == [0, 4, 2, 1, 3]


def test_a_letter_for_several_cpus_is_that_of_the_worst() -> None:
    def cpu(number: int, state: CpuState, waiting: int = 0) -> CpuNow:
        return CpuNow(CpuPlace(number), state, waiting)

    idle, wasted, runs = cpu(0, CpuState.IDLE), cpu(1, CpuState.WASTED), cpu(2, CpuState.RUNNING, 5)
    assert worst([idle, runs, wasted]) is wasted
    assert worst([idle, runs]) is runs
    assert worst([cpu(3, CpuState.OFFLINE), idle]) is idle
    assert worst([runs, cpu(4, CpuState.RUNNING, 6)]).waiting == 6


def test_no_meaning_is_in_style_alone() -> None:
    """Two screens that differ in what they say differ in their text, without any style."""
    place = CpuPlace(0)
    texts = {
        state: "".join(
            line.text for line in screen_lines(Frame("t", cpus=(CpuNow(place, state),)), Screen(), 80, 24, ASCII)
        )
        for state in CpuState
    }
    assert len(set(texts.values())) == len(CpuState)


def test_the_selected_box_is_marked_in_the_text() -> None:
    def rows(selected: int) -> list[str]:
        lines = screen_lines(drawn_frame(2), Screen(Page.BOXES, selected=selected), 80, 24, UNICODE)
        return [line.text for line in lines if line.text.startswith(UNICODE.selected)]

    assert len(rows(0)) == len(rows(1)) == 1
    assert rows(0) != rows(1)


@pytest.mark.parametrize("page", [Page.OVERVIEW, Page.CPUS, Page.QUEUES, Page.CGROUPS])
def test_names_cannot_send_anything_to_the_terminal(page: Page) -> None:
    bad = "\x1b]0;x\x07\x9b2J\u202e"
    cpu = CpuNow(CpuPlace(0), CpuState.RUNNING, 1, bad)
    frame = Frame(
        bad, cpus=(cpu,), queues=(Queue(0, 1, bad, (bad,), 1),), cgroups=(CgroupWait(bad, {"neighbour": 1}, bad),)
    )
    text = "".join(line.text for line in screen_lines(frame, Screen(page), 200, 50, UNICODE))
    assert text.isprintable()


def test_wide_characters_take_two_cells() -> None:
    frame = Frame("t", cgroups=(CgroupWait("容器" * 40, {"avoidable": 1}),))
    for width in (80, 81, 82, 83):
        for line in screen_lines(frame, Screen(Page.CGROUPS), width, 24, UNICODE):
            assert cell_len(line.text) == width


def test_ascii_glyphs_are_ascii() -> None:
    for page in Page:
        for frame in (drawn_frame(64), drawn_frame(8, is_played=True)):
            text = "".join(line.text for line in screen_lines(frame, Screen(page), 80, 24, ASCII))
            assert text.isascii(), page

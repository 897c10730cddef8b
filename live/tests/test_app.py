"""The application, driven by keys: what is on the screen after each."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from drawing import OVERLOADED, build_drawn
from drawn_frames import drawn_frame
from wastenot.live.app import LiveApp
from wastenot.live.errors import NoWatch
from wastenot.live.lines.glyphs import UNICODE
from wastenot.live.model.frame import Frame, SavedBox
from wastenot.live.opening import open_recorded
from wastenot.live.pages.screen import Page


@dataclass
class DrawnSource:
    """Frames whose clock is the number of the frame; `keys` are those it was given."""

    drawn: Frame = field(default_factory=lambda: drawn_frame(8))
    every_s: float = 0.02
    frames: int = 0
    keys: list[str] = field(default_factory=list)
    error: str = ""
    is_closed: bool = False

    def frame(self) -> Frame:
        if self.error:
            raise NoWatch(self.error)
        self.frames += 1
        return replace(self.drawn, clock=f"frame {self.frames}")

    def press(self, key: str) -> str | None:
        self.keys.append(key)
        return "saving a box" if key == "s" else None

    def verdict(self) -> tuple[str, ...]:
        return ("the verdict of it",)

    def close(self) -> None:
        self.is_closed = True


class Driven:
    """An application under test: presses keys, and reads the screen as text."""

    def __init__(self, app: LiveApp, press: Callable[..., Awaitable[None]]) -> None:
        self.app, self.press = app, press

    def text(self) -> str:
        return "\n".join(self.app.shown_text())

    async def until(self, expected: str) -> None:
        """Wait until the screen has a text."""
        end = time.monotonic() + 20
        while expected not in self.text():
            assert time.monotonic() < end, f"no {expected!r} in\n{self.text()}"
            await asyncio.sleep(0.02)

    async def until_frame(self, least: int) -> None:
        """Wait until the screen has this frame or a later one: between two looks several may pass."""
        end = time.monotonic() + 20
        while max((int(n) for n in re.findall(r"frame (\d+)", self.text())), default=0) < least:
            assert time.monotonic() < end, f"no frame {least} in\n{self.text()}"
            await asyncio.sleep(0.02)


def drive(source: object, steps: Callable[[Driven], Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
    """Run the application over a source, and the steps."""

    async def run() -> None:
        app = LiveApp(source, source.frame(), UNICODE)  # type: ignore[attr-defined,arg-type]
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await steps(Driven(app, pilot.press))

    asyncio.run(run())


def test_frames_follow_each_other_until_the_view_is_held() -> None:
    source = DrawnSource()

    async def steps(driven: Driven) -> None:
        await driven.until("frame 3")
        await driven.press("space")
        await driven.until("held at")
        held = driven.text()
        await asyncio.sleep(0.2)
        assert driven.text() == held
        await driven.press("space")
        await driven.until_frame(source.frames + 2)

    drive(source, steps)
    assert not source.is_closed, "who opened it closes it"


@pytest.mark.parametrize(
    ("key", "expected"),
    [("2", "CPU    busy      wait  runs"), ("3", "worst queues"), ("4", "K kernel threads"),
     ("5", "queued there before"), ("6", "Enter: the verdict"), ("question_mark", "hold the view as it is")],
)  # fmt: skip
def test_a_key_shows_its_page_and_escape_comes_back(key: str, expected: str) -> None:
    async def steps(driven: Driven) -> None:
        await driven.press(key)
        await driven.until(expected)
        await driven.press("escape")
        await driven.until("sampled by looks")

    drive(DrawnSource(), steps)


def test_long_pages_scroll_by_line_and_by_page_and_stop_at_the_end() -> None:
    async def steps(driven: Driven) -> None:
        await driven.press("2")
        await driven.until("rows 1-16 of 32")
        await driven.press("down")
        await driven.until("rows 2-17 of 32")
        await driven.press("pagedown")
        await driven.until("rows 17-32 of 32")
        await driven.press("pagedown", "pagedown", "up")
        await driven.until("rows 16-31 of 32")

    drive(DrawnSource(drawn_frame(64)), steps)


def test_a_message_takes_the_place_of_the_keys() -> None:
    source = DrawnSource()

    async def steps(driven: Driven) -> None:
        await driven.press("s")
        await driven.until("saving a box")
        assert driven.text().splitlines()[-1].startswith("saving a box")

    drive(source, steps)
    assert source.keys == ["s"]


def test_an_error_of_the_source_is_shown_and_the_last_frame_stays() -> None:
    source = DrawnSource()

    async def steps(driven: Driven) -> None:
        await driven.until("frame 2")
        source.error = "the watch has ended"
        await driven.until("the watch has ended")
        assert "worst queues" in driven.text()
        source.error = ""
        await driven.until_frame(source.frames + 2)

    drive(source, steps)


def test_a_resize_draws_the_screen_anew() -> None:
    source = DrawnSource()

    async def run() -> None:
        app = LiveApp(source, source.frame(), UNICODE)
        async with app.run_test(size=(80, 24)) as pilot:
            for width, height in ((200, 50), (30, 5), (80, 24)):
                await pilot.resize_terminal(width, height)
                for _ in range(100):  # until the resize has reached the application
                    await pilot.pause(0.05)
                    lines = app.shown_text()
                    if (len(lines), len(lines[0])) == (height, width):
                        break
                assert (len(lines), len(lines[0])) == (height, width)
                assert ("30x5" in lines[0]) == (width == 30)

    asyncio.run(run())


def test_a_box_is_selected_and_its_verdict_read(tmp_path: Path) -> None:
    path = tmp_path / "box.duckdb"
    build_drawn(OVERLOADED, path)
    boxes = (
        SavedBox(str(tmp_path / "gone.duckdb"), "", "x", "unconfirmed", is_kept=False),
        SavedBox(str(path), "", "x", "confirmed"),
    )
    source = DrawnSource(replace(drawn_frame(8), boxes=boxes))

    async def steps(driven: Driven) -> None:
        await driven.press("6", "enter")
        await driven.until("this box was deleted")
        await driven.press("down", "enter")
        await driven.until("Severity:")
        await driven.press("end", "pagedown", "pagedown", "pagedown", "pagedown")
        await driven.until("wastenot serve")

    drive(source, steps)


def test_the_latest_box_that_is_kept_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "box.duckdb"
    build_drawn(OVERLOADED, path)
    gone = SavedBox(str(tmp_path / "gone.duckdb"), "", "x", "unconfirmed", is_kept=False)
    source = DrawnSource(replace(drawn_frame(8), boxes=(gone, SavedBox(str(path), "", "x", "confirmed"))))

    async def steps(driven: Driven) -> None:
        await driven.press("o")
        await driven.until("Severity:")

    drive(source, steps)


def test_a_box_is_played_and_escape_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "box.duckdb"
    build_drawn(OVERLOADED, path)
    source = DrawnSource(replace(drawn_frame(8), boxes=(SavedBox(str(path), "", "x", "confirmed"),)))

    async def steps(driven: Driven) -> None:
        await driven.press("6", "p")
        await driven.until("box.duckdb: ")
        await driven.until("paused +0.000 of 0.300 s")
        await driven.press("n")
        await driven.until("paused +0.001 of 0.300 s")
        await driven.press("escape")
        await driven.until("web-7")

    drive(source, steps)
    assert not source.is_closed


def test_a_trace_is_played_paused_stepped_and_ends(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    build_drawn(OVERLOADED, path)
    source = open_recorded(path, 0.05)

    async def steps(driven: Driven) -> None:
        await driven.until("paused +0.000 of 0.300 s, speed 1/20")
        await driven.press("right")
        await driven.until("+0.050")
        await driven.press("plus")
        await driven.until("speed 1/10")
        await driven.press("v")
        await driven.until("Severity:")
        await driven.press("1", "space")
        await driven.until("playing")
        await driven.until("paused +0.300 of 0.300 s")
        await driven.press("home")
        await driven.until("paused +0.000")

    drive(source, steps)
    source.close()


def test_without_boxes_a_message_says_so() -> None:
    async def steps(driven: Driven) -> None:
        await driven.press("o")
        await driven.until("no box is kept yet; s saves one")

    drive(DrawnSource(replace(drawn_frame(8), boxes=())), steps)


def test_no_page_key_is_a_key_of_the_source() -> None:
    assert {page.value for page in Page} & {"s", "o", "p", "n", "N", "v", "q"} == set()

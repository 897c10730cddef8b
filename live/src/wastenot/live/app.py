"""The application: asks the source for frames, draws the screen's lines, and passes keys on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, TypeVar

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key, Resize
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from wastenot._native import WastenotError
from wastenot.analyzer.errors import AnalyzerError
from wastenot.live.lines.glyphs import Glyphs
from wastenot.live.lines.line import Line
from wastenot.live.looks import LOOKS
from wastenot.live.model.frame import Frame
from wastenot.live.opening import Opened, open_box
from wastenot.live.pages.screen import Page, Screen, most_scroll, page_lines, screen_lines
from wastenot.live.source import Source

T = TypeVar("T")

MESSAGE_S = 4.0
"""How long a message takes the place of the keys."""

SCROLLS = {"up": -1, "down": 1, "k": -1, "j": 1}
PAGE_KEYS = {page.value: page for page in Page if page is not Page.TEXT} | {"question_mark": Page.HELP, "h": Page.HELP}


class LinesView(Widget):
    """Lines that fill the terminal; only those that changed are drawn again."""

    DEFAULT_CSS = "LinesView { width: 100%; height: 100%; background: ansi_default; color: ansi_default; }"

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[Line] = []

    @property
    def lines(self) -> list[Line]:
        """The lines that are shown."""
        return self._lines

    def show(self, lines: list[Line]) -> None:
        """Draw these lines instead."""
        was, self._lines = self._lines, lines
        if len(was) != len(lines):
            self.refresh()
            return
        for y, (old, new) in enumerate(zip(was, lines, strict=True)):
            if old != new:
                self.refresh(Region(0, y, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        """One line of the terminal."""
        if y >= len(self._lines):
            return Strip.blank(self.size.width)
        line = self._lines[y]
        return Strip([Segment(s.text, LOOKS[s.style]) for s in line.spans], line.width)


class LiveApp(App[None]):
    """The terminal view of one source, and of boxes that are opened from it."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "Screen { background: ansi_default; overflow: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "quit", show=False, priority=True),
        Binding("ctrl+c", "quit", "quit", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", "suspend", show=False),
    ]

    def __init__(self, source: Source, first: Frame, glyphs: Glyphs, for_s: float | None = None) -> None:
        """`for_s`: the view ends after so long; the source stays open."""
        super().__init__(ansi_color=True)
        self._for_s = for_s
        self._sources, self._frame, self._glyphs = [source], first, glyphs
        self._chosen = Screen()
        self._asking = ThreadPoolExecutor(1, "frames")
        self._is_asked = False
        self._view = LinesView()

    def shown_text(self) -> list[str]:
        """The lines of the screen as text."""
        return [line.text for line in self._view.lines]

    def compose(self) -> ComposeResult:
        """One widget."""
        yield self._view

    def on_mount(self) -> None:
        """Draw the first frame, and ask for the next ones."""
        self._draw()
        self._ticker = self.set_interval(self._source.every_s, self._ask)
        if self._for_s is not None:
            self.set_timer(self._for_s, self.action_quit)

    def on_resize(self, event: Resize) -> None:
        """Draw anew for another size."""
        self._draw()

    async def action_quit(self) -> None:
        """End; a frame that is being made is waited for, and boxes that were opened are closed."""
        self._ticker.stop()
        for source in reversed(self._sources[1:]):
            await self._in_thread(source.close)
        self._asking.shutdown(wait=True)
        self.exit()

    # ---- frames

    @property
    def _source(self) -> Source:
        return self._sources[-1]

    async def _ask(self) -> None:
        """Ask for a frame, unless one is being made or the view is held."""
        if self._is_asked or self._chosen.is_held:
            return
        self._is_asked = True
        try:
            self._frame = await self._in_thread(self._source.frame)
            self._draw()
        except (AnalyzerError, WastenotError) as e:
            self._say(str(e))
        finally:
            self._is_asked = False

    async def _in_thread(self, do: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._asking, do)

    def _draw(self) -> None:
        width, height = self.size
        if width and height:
            self._view.show(screen_lines(self._frame, self._chosen, width, height, self._glyphs))

    def _choose(self, **what: Any) -> None:
        self._chosen = replace(self._chosen, **what)
        self._draw()

    def _say(self, message: str) -> None:
        """Show a message for a while, in place of the keys."""
        self._choose(message=message)

        def clear() -> None:
            if self._chosen.message == message:
                self._choose(message="")

        self.set_timer(MESSAGE_S, clear)

    # ---- keys

    async def on_key(self, event: Key) -> None:
        """What a key means on this page, else for the source."""
        event.prevent_default()
        key = event.key
        if key in PAGE_KEYS:
            self._choose(page=PAGE_KEYS[key], scroll=0)
        elif key == "escape":
            await self._back()
        elif await self._box_key(key) or self._scroll_key(key):
            return
        elif key == "o" and self._frame.playback is None:
            kept = [number for number, box in enumerate(self._frame.boxes) if box.is_kept]
            await self._open(kept[0] if kept else len(self._frame.boxes), Opened.VERDICT)
        elif key == "v" and self._frame.playback is not None:
            await self._show_text()
        elif key == "space" and self._frame.playback is None:
            self._choose(is_held=not self._chosen.is_held)
        else:
            await self._press(key)

    async def _press(self, key: str) -> None:
        said = await self._in_thread(partial(self._source.press, key))
        if said:
            self._say(said)
        if said is not None:
            await self._ask()

    async def _back(self) -> None:
        """From a page to the overview; from a box that is played to where it was opened."""
        if self._chosen.page is Page.OVERVIEW and len(self._sources) > 1:
            await self._in_thread(self._sources.pop().close)
            await self._changed_source()
        self._choose(page=Page.OVERVIEW, scroll=0)

    async def _changed_source(self) -> None:
        self._ticker.stop()
        self._ticker = self.set_interval(self._source.every_s, self._ask)
        self._choose(page=Page.OVERVIEW, scroll=0, is_held=False)
        await self._ask()

    def _scroll_key(self, key: str) -> bool:
        """Scroll a page that is longer than the terminal; false: the key does not, or not on this page."""
        if self._chosen.page is Page.OVERVIEW:
            return False
        fixed, rows = page_lines(self._frame, self._chosen, self.size.width, self._glyphs)
        height = self.size.height - self._header_height - 1 - len(fixed)
        far = {"pageup": 1 - height, "pagedown": height - 1} if height > 1 else {}
        by = SCROLLS.get(key, far.get(key))
        if by is None:
            return False
        self._choose(scroll=most_scroll(len(rows), height, self._chosen.scroll + by))
        return True

    @property
    def _header_height(self) -> int:
        return 3 + (self._frame.curve.cursor is not None)

    # ---- boxes

    async def _box_key(self, key: str) -> bool:
        """Select or open a box; false: the key does not, or not on this page."""
        if self._chosen.page is not Page.BOXES:
            return False
        last = max(0, len(self._frame.boxes) - 1)
        if key in SCROLLS:
            selected = min(last, max(0, self._chosen.selected + SCROLLS[key]))
            self._choose(selected=selected, scroll=max(0, selected - self.size.height // 2))
        elif key == "enter":
            await self._open(self._chosen.selected, Opened.VERDICT)
        elif key == "p":
            await self._open(self._chosen.selected, Opened.PLAYER)
        else:
            return False
        return True

    async def _open(self, number: int, what: Opened) -> None:
        """Open a saved box: its verdict as a text, or played."""
        if number >= len(self._frame.boxes):
            self._say("no box is kept yet; s saves one")
            return
        box = self._frame.boxes[number]
        if not box.is_kept:
            self._say("this box was deleted: the exact check found no such waste in it")
            return
        self._say(f"opening {box.path}")
        await self._run_opening(partial(open_box, box.path, what))

    async def _show_text(self) -> None:
        await self._run_opening(self._source.verdict)

    async def _run_opening(self, do: Callable[[], Source | tuple[str, ...]]) -> None:
        try:
            found = await self._in_thread(do)
        except (AnalyzerError, WastenotError) as e:
            self._say(str(e))
            return
        if isinstance(found, tuple):
            self._choose(page=Page.TEXT, text=found, scroll=0, message="")
        else:
            self._sources.append(found)
            await self._changed_source()

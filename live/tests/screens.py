"""The screens that `test_screens.py` compares, kept as text in `screens/`.

python live/tests/screens.py    writes them anew; look at the difference before it is committed
"""

from __future__ import annotations

from pathlib import Path

from drawn_frames import drawn_frame
from wastenot.live.lines.glyphs import ASCII, UNICODE, Glyphs
from wastenot.live.model.frame import Frame
from wastenot.live.pages.screen import Page, Screen, screen_lines

FOLDER = Path(__file__).with_name("screens")
SIZES = ((80, 24), (200, 50))
COUNTS = (2, 8, 64, 256, 1024)


def drawn_screen(frame: Frame, screen: Screen, size: tuple[int, int], glyphs: Glyphs = UNICODE) -> str:
    """A screen with its right end marked, so that blanks at the end of a line are seen to be there."""
    lines = screen_lines(frame, screen, *size, glyphs)
    return "".join(f"{line.text}|\n" for line in lines)


def screens() -> dict[str, str]:
    """All screens by the names of their files."""
    out = {}
    for width, height in SIZES:
        size = (width, height)
        name = f"{width}x{height}"
        for count in COUNTS:
            out[f"overview-{count}-{name}"] = drawn_screen(drawn_frame(count), Screen(), size)
        out[f"cgroups-10000-{name}"] = drawn_screen(drawn_frame(8, 10_000), Screen(Page.CGROUPS, scroll=9_000), size)
        played = drawn_frame(8, is_played=True)
        out[f"played-{name}"] = drawn_screen(played, Screen(), size)
        out[f"empty-{name}"] = drawn_screen(Frame("web-7, sentinel", clock="05:50:01"), Screen(), size)
        out[f"ascii-{name}"] = drawn_screen(drawn_frame(8), Screen(), size, ASCII)
        for page in (Page.CPUS, Page.QUEUES, Page.CAUSES, Page.BOXES, Page.HELP):
            out[f"{page.name.lower()}-{name}"] = drawn_screen(drawn_frame(64), Screen(page, selected=1), size)
        out[f"help-played-{name}"] = drawn_screen(played, Screen(Page.HELP), size)
    return out


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in screens().items():
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")

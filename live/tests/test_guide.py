"""The screens of docs/guide/live.md are those that the view draws.

python live/tests/test_guide.py    writes them to the page
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from screens import screens
from wastenot.analyzer import CheckOptions, build
from wastenot.live.lines.glyphs import UNICODE
from wastenot.live.lines.line import as_text
from wastenot.live.opening import open_recorded
from wastenot.live.pages.screen import Screen, screen_lines

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/guide/live.md"
RECORDING = ROOT / "fixtures/traces/rig/hobbled-interval-6.12-8.part"
AT_NS = 900_000_000
"""Where the recording is shown: threads were just released, and seven CPUs are wasted."""

BLOCK = re.compile(r"<!-- screen: (\S+) -->\n```\n(.*?)```\n", re.S)


def recording_screen(folder: Path) -> str:
    """A screen of the recording that README.md shows the verdict of."""
    shutil.copytree(RECORDING, folder / "T.duckdb.part")
    build(folder / "T.duckdb.part", folder / "T.duckdb", CheckOptions(tables="all"))
    source = open_recorded(folder / "T.duckdb")
    try:
        frame = source.frame_at(source.player.at(AT_NS))
    finally:
        source.close()
    return as_text(screen_lines(frame, Screen(), 80, 24, UNICODE)) + "\n"


def screen(name: str, folder: Path) -> str:
    """The screen of a block, without what marks the right end."""
    if name == "recording":
        return recording_screen(folder)
    return "".join(f"{line.removesuffix('|').rstrip()}\n" for line in screens()[name].splitlines())


def test_the_page_shows_what_the_view_draws(tmp_path: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert [name for name, _ in blocks] == ["overview-64-80x24", "recording"]
    for name, text in blocks:
        assert text == screen(name, tmp_path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        text = BLOCK.sub(
            lambda found: f"<!-- screen: {found[1]} -->\n```\n{screen(found[1], Path(made))}```\n",
            PAGE.read_text(encoding="utf-8"),
        )
    PAGE.write_text(text, encoding="utf-8")

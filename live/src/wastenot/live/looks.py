"""How styles look: the 16 colours that a terminal has, and attributes, so that no meaning is in colour alone."""

from __future__ import annotations

from rich.style import Style as Look
from wastenot.live.lines.line import Style

LOOKS = {
    Style.PLAIN: Look(),
    Style.TITLE: Look(bold=True, reverse=True),
    Style.HEAD: Look(bold=True, underline=True),
    Style.DIM: Look(dim=True),
    Style.WASTED: Look(bold=True, reverse=True, color="red"),
    Style.WAITING: Look(bold=True, color="yellow"),
    Style.RUNNING: Look(color="green"),
    Style.IDLE: Look(color="cyan"),
    Style.KEY: Look(bold=True),
    Style.SELECTED: Look(reverse=True),
}

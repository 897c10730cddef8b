"""The view as plain text: a block of lines for each second."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TextIO

from wastenot.live.lines.glyphs import Glyphs
from wastenot.live.lines.line import as_text
from wastenot.live.model.frame import Frame
from wastenot.live.pages.header import header
from wastenot.live.pages.overview import overview
from wastenot.live.recorded.source import RecordedTrace
from wastenot.live.source import Source

HEIGHT = 24
"""Lines of a block at most."""


def block(frame: Frame, width: int, glyphs: Glyphs) -> str:
    """One frame as text that ends in an empty line."""
    top = header(frame, width, glyphs)
    lines = as_text([*top, *overview(frame, width, HEIGHT - len(top), glyphs)]).splitlines()
    return "\n".join(line for line in lines if line) + "\n\n"


def print_frames(frames: Iterator[Frame], out: TextIO, width: int, glyphs: Glyphs) -> None:
    """Write a block for each frame."""
    for frame in frames:
        out.write(block(frame, width, glyphs))
        out.flush()


def frames_in_time(source: Source, for_s: float | None) -> Iterator[Frame]:
    """A frame a second, for so long, or until it is interrupted."""
    start = time.monotonic()
    number = 0
    while for_s is None or number <= for_s:
        yield source.frame()
        number += 1
        time.sleep(max(0.0, start + number - time.monotonic()))


def frames_of_trace(trace: RecordedTrace) -> Iterator[Frame]:
    """The frames of a whole trace, a step apart, the first one a step after its start; none is waited for."""
    frame = trace.frame()
    while frame.playback is not None and frame.playback.position_ns < frame.playback.length_ns - 1:
        trace.press("right")
        frame = trace.frame()
        yield frame

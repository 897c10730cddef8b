"""The first lines of every page: what is shown, the waste, its curve; and the last one: keys."""

from __future__ import annotations

from wastenot.analyzer.text.printable import printable
from wastenot.analyzer.text.units import core_seconds, duration, percent, three_digits
from wastenot.live.lines.bars import cursor_row, curve_text
from wastenot.live.lines.glyphs import Glyphs
from wastenot.live.lines.line import Line, Span, Style
from wastenot.live.model.frame import CpuState, Frame, Playback

MINUTE_NS = 60_000_000_000

LIVE_KEYS = (("?", "help"), ("1-6", "pages"), ("space", "hold"), ("s", "save box"), ("o", "open box"), ("q", "quit"))
PLAYED_KEYS = (
    ("?", "help"), ("1-5", "pages"), ("space", "play"), ("<- ->", "step"), ("+ -", "speed"), ("n", "next episode"),
    ("q", "quit"),
)  # fmt: skip


def header(frame: Frame, width: int, glyphs: Glyphs, *, is_held: bool = False) -> list[Line]:
    """Title, waste, curve, and where a recorded trace is played the place in it."""
    title = title_line(frame, width, glyphs, is_held=is_held)
    lines = [title, waste_line(frame, width), curve_line(frame, width, glyphs)]
    if frame.curve.cursor is not None:
        label, columns = _curve_label(frame), _curve_width(frame, width)
        lines.append(Line.of(" " * len(label), cursor_row(frame.curve.cursor, columns, glyphs)))
    return [line.fit(width, glyphs.more) for line in lines]


def title_line(frame: Frame, width: int, glyphs: Glyphs, *, is_held: bool = False) -> Line:
    """What is shown, and at its right end the time."""
    right = _clock(frame, is_held)
    left = f" {printable(frame.title)}"
    line = Line.of(left).fit(width - len(right) - 3, glyphs.more)
    return Line.of(Span(f"{line.text}  {right} ", Style.TITLE))


def _clock(frame: Frame, is_held: bool) -> str:
    if frame.playback is None:
        return f"held at {frame.clock}" if is_held else frame.clock
    p = frame.playback
    return f"{'playing' if p.is_playing else 'paused'} {_seconds(p)}, speed {speed_text(p.speed)}"


def _seconds(p: Playback) -> str:
    decimals = 3 if p.length_ns < MINUTE_NS else 1
    return f"+{p.position_ns / 1e9:.{decimals}f} of {p.length_ns / 1e9:.{decimals}f} s"


def speed_text(speed: float) -> str:
    """`1`, `1/10`, `10`."""
    return f"{speed:g}" if speed >= 1 else f"1/{1 / speed:g}"


def waste_line(frame: Frame, width: int) -> Line:
    """How many cores are wasted now, in the last second and in the last minute; the share where it fits."""
    w = frame.waste
    now = "?" if w.now is None else f"{w.now:,}"
    online = len(frame.cpus) - frame.count(CpuState.OFFLINE)
    second = "?" if w.second is None else three_digits(w.second)
    minute = f"   last {span_text(w.minute_span_ns)} {core_seconds(w.minute_ns)}" if w.minute_span_ns else ""
    found = Line.of(
        Span("wasted", Style.HEAD),
        " ",
        Span(f"now {now} of {online:,} CPUs", Style.WASTED if w.now else Style.PLAIN),
        f"   last second {second}{minute}",
    )
    with_share = Line.of(found, f" ({percent(w.minute_share)})" if minute else "")
    return with_share if with_share.width <= width else found


def span_text(ns: int) -> str:
    """`minute`, or a length that is not one."""
    return "minute" if ns == MINUTE_NS else duration(ns)


def curve_line(frame: Frame, width: int, glyphs: Glyphs) -> Line:
    """Wasted cores over time, in one row."""
    if not frame.curve.values:
        return Line.of(Span("waste over time is not known yet", Style.DIM))
    text = curve_text(frame.curve, _curve_width(frame, width), _top(frame), glyphs)
    return Line.of(Span(_curve_label(frame), Style.DIM), Span(text, Style.WAITING))


def _top(frame: Frame) -> float:
    return max([v for v in frame.curve.values if v is not None], default=0.0)


def _curve_label(frame: Frame) -> str:
    of = "of" if frame.playback else "last"
    return f"{of} {span_text(frame.curve.span_ns)}, at most {three_digits(_top(frame))} "


def _curve_width(frame: Frame, width: int) -> int:
    return max(1, width - len(_curve_label(frame)))


def cpu_line(frame: Frame) -> Line:
    """How many CPUs do what, and how many threads wait."""
    idle, wasted = frame.count(CpuState.IDLE, CpuState.WASTED), frame.count(CpuState.WASTED)
    parts = [f"{frame.count(CpuState.RUNNING)} run", f"{idle} idle ({wasted} wasted)"]
    others = (CpuState.INTERRUPT, CpuState.UNOBSERVED, CpuState.OFFLINE)
    parts += [f"{count} {state.value}" for state in others if (count := frame.count(state))]
    threads = "1 thread waits" if frame.waiting == 1 else f"{frame.waiting:,} threads wait"
    return Line.of(Span("CPUs", Style.HEAD), f"  {', '.join(parts)}; {threads}")


def footer(frame: Frame, width: int, glyphs: Glyphs, message: str = "") -> Line:
    """The keys, or what was just done."""
    if message:
        return Line.of(Span(printable(message), Style.SELECTED)).fit(width, glyphs.more)
    keys = LIVE_KEYS if frame.playback is None else PLAYED_KEYS
    parts = [part for key, does in keys for part in (Span(key, Style.KEY), f" {does}  ")]
    return Line.of(" ", *parts).fit(width, glyphs.more)

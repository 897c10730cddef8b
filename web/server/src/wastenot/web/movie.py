"""`wastenot report --movie`: the replay of the worst episode as a film, made frame by frame.

The page that a report carries plays in a headless Chromium whose animation frames this module gives: each shows the
instant that its place in the film stands for, however long the machine takes to draw it. ffmpeg makes the film of the
pictures.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from wastenot.analyzer import AnalyzerError
from wastenot.analyzer.store.temporary_files import finish, temporary_beside
from wastenot.web.headless import Page, find_chromium, open_page
from wastenot.web.report import write_report

FPS = 25
LONGEST_S = 12.0
"""The speed is the slowest at which the stretch takes no longer than this to watch."""
STILL_S = 0.8
"""The first picture and the last one stand so long."""
WIDTH, HEIGHT, DENSITY = 1280, 720, 1.5
SPEEDS = (*(unit * 10.0**power for power in range(-6, 0) for unit in (1, 2, 5)), 1.0)
"""Time of the trace per time of watching: those that the replay offers."""
CODECS = {
    ".mp4": shlex.split("-c:v libx264 -preset medium -crf 20 -pix_fmt yuv420p -movflags +faststart -f mp4"),
    ".webm": shlex.split("-c:v libvpx-vp9 -crf 30 -b:v 0 -row-mt 1 -pix_fmt yuv420p -f webm"),
}

OWN_FRAMES = """(() => {
  let now = performance.now(), waiting = [], number = 1e9;
  window.requestAnimationFrame = (call) => { waiting.push([++number, call]); return number; };
  window.cancelAnimationFrame = (id) => { waiting = waiting.filter(([other]) => other !== id); };
  window.nextFrame = (ms) => {
    now += ms;
    const calls = waiting;
    waiting = [];
    for (const [, call] of calls) call(now);
    return new Promise((done) => setTimeout(done, 0));
  };
  const style = document.createElement('style');
  style.textContent = 'header a.button, header button.icon, [class*=options] { display: none !important }';
  document.head.append(style);
  window.dispatchEvent(new Event('resize'));
})()"""
"""From now on animation frames come when they are asked for, with the time that they are to show. What one would click
is not shown."""

SHOWN = (
    "/\\d/.test(document.querySelector('[class*=readout]')?.textContent ?? '') && !!document.querySelector('canvas')"
)
PAUSE = "[...document.querySelectorAll('button')].find((button) => button.ariaLabel === 'Pause')?.click()"
"""Nothing where it stands at the end of the trace, from which the key would play it anew."""
PLAY = "window.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', code: 'Space', bubbles: true }))"

FRAMES_PER_PICTURE = 3
"""Frames of the page for each picture of the film."""


@dataclass(frozen=True)
class Film:
    """What was made."""

    frames: int
    seconds: float
    speed: float
    """Time of the trace per time of watching."""
    episode: int | None
    """None: of the window, or where the trace has no episode; from the instant of most waste on."""
    bytes: int


def write_movie(
    trace: Path,
    target: Path,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    window: tuple[int, int] | None = None,
) -> Film:
    """Film the replay of the worst episode of `trace`, or of a window; `progress` gets the pictures done and of all.

    AnalyzerError, in one line, where Chromium or ffmpeg is missing, for another name than .mp4 or .webm, and as for a
    report.
    """
    codec = CODECS.get(target.suffix.lower())
    if codec is None:
        raise AnalyzerError(f"--movie {target}: name it .mp4 or .webm, which says what is made")
    if target.exists() and not force:
        raise AnalyzerError(f"{target}: exists already; --force replaces it")
    if not target.parent.is_dir():
        raise AnalyzerError(f"--movie {target}: there is no folder {target.parent}")
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise AnalyzerError(
            "--movie: ffmpeg is not installed, which makes the film of its pictures (Debian's package ffmpeg)"
        )
    find_chromium()
    with tempfile.TemporaryDirectory(prefix="wastenot-movie-") as folder:
        html = Path(folder) / "report.html"
        report = write_report(trace, html, episodes=1, window=window)
        if report.replay_ns is None:
            raise AnalyzerError(f"{trace}: nothing to replay: no change of a thread's state was recorded")
        start, end = report.replay_ns
        speed = next((s for s in SPEEDS if s * 1e9 * LONGEST_S >= end - start), SPEEDS[-1])
        frames = max(int((end - start) / (speed * 1e9) * FPS), 1)
        place = {"t": start, "x": round(1 / speed), "theme": "light"}
        episode = report.worst if window is None else None
        if episode is not None:
            place["e"] = episode
        address = f"{html.as_uri()}#/{report.trace_id}/replay?{urlencode(place)}"
        with temporary_beside(target) as temporary:
            command = [
                ffmpeg,
                "-loglevel",
                "error",
                "-y",
                "-f",
                "image2pipe",
                "-framerate",
                str(FPS),
                "-c:v",
                "mjpeg",
                "-i",
                "-",
            ]
            with (
                open_page(WIDTH, HEIGHT, DENSITY) as page,
                tempfile.TemporaryFile() as errors,
                subprocess.Popen([*command, *codec, str(temporary)], stdin=subprocess.PIPE, stderr=errors) as encoder,
            ):
                assert encoder.stdin is not None
                try:
                    _film(page, address, frames, encoder.stdin.write, progress)
                    encoder.stdin.close()
                except BrokenPipeError:
                    pass  # what it says follows
                except BaseException:
                    encoder.kill()
                    raise
                if encoder.wait() != 0:
                    errors.seek(0)
                    said = errors.read().decode(errors="replace").strip().splitlines() or ["no reason given"]
                    raise AnalyzerError(f"ffmpeg could not make {target}: {said[-1]}")
            finish(temporary, target)
    still = round(STILL_S * FPS)
    return Film(frames + 2 * still, (frames + 2 * still) / FPS, speed, episode, target.stat().st_size)


def _film(
    page: Page, address: str, frames: int, write: Callable[[bytes], object], progress: Callable[[int, int], None] | None
) -> None:
    page.call("Page.navigate", url=address)
    page.until(SHOWN, "the replay")
    page.evaluate(OWN_FRAMES)
    _settle(page)
    still = round(STILL_S * FPS)
    first = page.picture()
    for _ in range(still):
        write(first)
    page.evaluate(PLAY)
    for n in range(frames):
        # What comes to a place is on its way for some frames: a picture of the first of them would lack it.
        for _ in range(FRAMES_PER_PICTURE):
            page.evaluate(f"nextFrame({1000 / FPS / FRAMES_PER_PICTURE})")
        write(page.picture())
        if progress is not None:
            progress(n + 1, frames)
    page.evaluate(PAUSE)
    _settle(page)
    last = page.picture()
    for _ in range(still):
        write(last)


def _settle(page: Page) -> None:
    """Wait until nothing glides to its place any more."""
    for _ in range(8):
        page.evaluate("nextFrame(100)")

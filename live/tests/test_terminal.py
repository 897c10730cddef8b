"""The view on a real terminal (a pty), of a drawn watch: what it sends, and that it leaves the terminal as it was."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fcntl import ioctl
from pathlib import Path

import pytest
from drawn_views import DrawnWatch
from wastenot.live.lines.glyphs import ASCII, UNICODE
from wastenot.live.terminal import glyphs_of

LEAVE_SCREEN = "\x1b[?1049l"
"""xterm's control sequence that ends the alternate screen."""


@dataclass
class Terminal:
    """A process on a pty, and what it has sent."""

    process: subprocess.Popen[bytes]
    descriptor: int
    sent: bytearray = field(default_factory=bytearray)

    def read(self, for_s: float) -> str:
        """All that was sent, and what comes for so long."""
        end = time.monotonic() + for_s
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.descriptor], [], [], left)[0]:
                break
            try:
                self.sent += os.read(self.descriptor, 65536)
            except OSError:  # its end
                break
        return self.sent.decode(errors="replace")

    def until(self, text: str, most_s: float = 60) -> str:
        end = time.monotonic() + most_s
        while text not in (found := self.read(0.2)):
            assert time.monotonic() < end and self.process.poll() is None, f"no {text!r} in {found[-3000:]!r}"
        return found

    def press(self, keys: bytes) -> None:
        os.write(self.descriptor, keys)

    def resize(self, columns: int, lines: int) -> None:
        ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)

    def end(self) -> tuple[int, str]:
        """Its exit status and all that it sent."""
        deadline = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.2)
        return self.process.wait(1), self.read(0.5)


@contextmanager
def live(folder: Path, *options: str, **environment: str) -> Iterator[Terminal]:
    """`wastenot live` of a drawn watch at 80x24."""
    main, other = pty.openpty()
    ioctl(main, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    with DrawnWatch(64, exact=True).at(folder / "run"):
        process = subprocess.Popen(
            [sys.executable, "-m", "wastenot.cli", "live", "--run-dir", str(folder / "run"), *options],
            stdin=other,
            stdout=other,
            stderr=other,
            env={**inherited, "TERM": "xterm", "PYTHONUTF8": "1", "LANG": "C.UTF-8", **environment},
            start_new_session=True,
        )
        os.close(other)
        try:
            yield Terminal(process, main)
        finally:
            process.kill()
            process.wait()
            os.close(main)


def test_it_draws_takes_keys_and_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    with live(tmp_path) as terminal:
        terminal.until("worst queues")
        terminal.press(b"2")
        terminal.until("busy")
        terminal.resize(200, 50)
        terminal.until("\x1b[50;")
        terminal.press(b"q")
        status, sent = terminal.end()
    assert status == 0
    after = sent.split(LEAVE_SCREEN)[1]
    assert "\x1b[?25h" in after, "the cursor is shown again"
    assert re.search(r"the view took \d+\.\d\d % of one CPU for \d+\.\d s", after)
    assert "\x1b[?1000h" not in sent, "the mouse stays the terminal's"


def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    with live(tmp_path) as terminal:
        terminal.until("worst queues")
        terminal.press(b"\x03")
        status, sent = terminal.end()
    assert status == 0 and LEAVE_SCREEN in sent


def test_only_the_16_colours_are_used(tmp_path: Path) -> None:
    with live(tmp_path, COLORTERM="truecolor") as terminal:
        sent = terminal.until("quit")
    codes = {code for found in re.findall(r"\x1b\[([0-9;]+)m", sent) for code in found.split(";")}
    assert codes & {"31", "33"}, "red and yellow"
    assert codes <= {str(code) for code in (0, 1, 2, 4, 7, *range(30, 38), 39, 49)}


def test_without_colour_there_is_none(tmp_path: Path) -> None:
    with live(tmp_path, NO_COLOR="1") as terminal:
        sent = terminal.until("quit")
    codes = {code for found in re.findall(r"\x1b\[([0-9;]+)m", sent) for code in found.split(";")}
    assert codes <= {"0", "1", "2", "4", "7", "39", "49"}


def test_the_linux_console_gets_ascii(tmp_path: Path) -> None:
    with live(tmp_path, TERM="linux") as terminal:
        sent = terminal.until("quit")
    assert sent.isascii()


def test_a_dumb_terminal_gets_plain_blocks(tmp_path: Path) -> None:
    with live(tmp_path, "--for", "1s", TERM="dumb") as terminal:
        status, sent = terminal.end()
    assert status == 0
    assert "\x1b" not in sent
    assert sent.count("worst queues") == 2


@pytest.mark.parametrize(
    ("environment", "encoding", "glyphs"),
    [
        ({"TERM": "xterm-256color", "LANG": "en_GB.UTF-8"}, "utf-8", UNICODE),
        ({"TERM": "screen"}, "utf-8", UNICODE),
        ({"TERM": "linux", "LANG": "en_GB.UTF-8"}, "utf-8", ASCII),
        ({"TERM": "xterm", "LANG": "C"}, "utf-8", ASCII),
        ({"TERM": "xterm", "LC_ALL": "POSIX", "LANG": "en_GB.UTF-8"}, "utf-8", ASCII),
        ({"TERM": "xterm", "LANG": "de_DE"}, "iso8859-1", ASCII),
    ],
)
def test_characters_follow_font_and_encoding(environment: dict[str, str], encoding: str, glyphs: object) -> None:
    assert glyphs_of(environment, encoding) is glyphs

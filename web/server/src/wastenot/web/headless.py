"""A headless Chromium, driven through a pipe by the DevTools protocol: it opens no port and reaches no network."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import tempfile
import time
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wastenot.analyzer import AnalyzerError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Programs that are looked for, in order."""
SECONDS = 60.0
"""Without an answer for so long, the browser is taken for dead."""
OPTIONS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--mute-audio",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


class BrowserFailed(AnalyzerError):
    """Chromium is not there, does not start or does not answer; in one line."""


def find_chromium() -> str:
    """The program. BrowserFailed where none is installed."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    raise BrowserFailed(f"no Chromium is installed, which plays the replay: none of {', '.join(NAMES)} is in PATH")


class Page:
    """A page of the browser."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._unread = b""
        self._number = 0
        self._session: str | None = None

    def attach(self, width: int, height: int, density: float) -> None:
        """Open an empty page of this size (CSS pixels; `density` device pixels each)."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        size = {"width": width, "height": height, "deviceScaleFactor": density, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What a method of the protocol returns."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        try:
            os.write(self._write, json.dumps(message).encode() + b"\0")
        except OSError:
            raise BrowserFailed(f"Chromium ended ({method})") from None
        until = time.monotonic() + SECONDS
        while (answer := self._message(until, method)).get("id") != self._number:
            pass
        if "error" in answer:
            raise BrowserFailed(f"Chromium: {method}: {answer['error'].get('message', 'refused')}")
        result: dict[str, Any] = answer["result"]
        return result

    def _message(self, until: float, method: str) -> dict[str, Any]:
        while b"\0" not in self._unread:
            if not select.select([self._read], [], [], max(until - time.monotonic(), 0))[0]:
                raise BrowserFailed(f"Chromium did not answer for {SECONDS:.0f} s ({method})")
            part = os.read(self._read, 1 << 20)
            if not part:
                raise BrowserFailed(f"Chromium ended ({method})")
            self._unread += part
        message, self._unread = self._unread.split(b"\0", 1)
        parsed: dict[str, Any] = json.loads(message)
        return parsed

    def evaluate(self, script: str) -> Any:
        """The value of an expression of JavaScript, or of its promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserFailed(f"the page: {answer['exceptionDetails'].get('text', 'an error')}")
        return answer["result"].get("value")

    def until(self, script: str, what: str, seconds: float = SECONDS) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(script):
            if time.monotonic() > end:
                raise BrowserFailed(f"{what} was not there after {seconds:.0f} s")
            time.sleep(0.05)

    def picture(self, quality: int = 92) -> bytes:
        """What is shown, as JPEG."""
        shot = self.call("Page.captureScreenshot", format="jpeg", quality=quality, optimizeForSpeed=True)
        return b64decode(shot["data"])


@contextlib.contextmanager
def open_page(width: int, height: int, density: float) -> Iterator[Page]:
    """A page in a browser of its own, with an empty profile, which ends with the context."""
    program = find_chromium()
    with tempfile.TemporaryDirectory(prefix="wastenot-chromium-", ignore_cleanup_errors=True) as profile:
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        # Chromium's sandbox refuses root.
        options = [*OPTIONS, f"--user-data-dir={profile}", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        log = Path(profile) / "log"
        # The protocol is spoken on 3 and 4, which may be among the pipes' own numbers: first away from there.
        actions = [
            (os.POSIX_SPAWN_DUP2, to_read, 103),
            (os.POSIX_SPAWN_DUP2, from_write, 104),
            (os.POSIX_SPAWN_DUP2, 103, 3),
            (os.POSIX_SPAWN_DUP2, 104, 4),
            (os.POSIX_SPAWN_CLOSE, 103),
            (os.POSIX_SPAWN_CLOSE, 104),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, str(log), os.O_WRONLY | os.O_CREAT, 0o600),
        ]
        child = os.posix_spawn(
            program, [program, *options, "about:blank"], os.environ, file_actions=actions, setpgroup=0
        )
        os.close(to_read)
        os.close(from_write)
        try:
            page = Page(to_write, from_read)
            page.attach(width, height, density)
            yield page
        finally:
            os.close(to_write)
            os.close(from_read)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)

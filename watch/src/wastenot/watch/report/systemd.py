"""systemd: readiness, watchdog and status (sd_notify(3)), and the journal's native protocol.

Both are one datagram to a socket whose place the environment says, and are documented as stable. The libraries for
them are libsystemd's bindings, which need its headers and a compiler to install, and `sdnotify`, a source package
without types that does the first only; hence these few lines.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from dataclasses import dataclass
from pathlib import Path

from wastenot.watch.report.message import Message

JOURNAL_SOCKET = Path("/run/systemd/journal/socket")


@dataclass(frozen=True)
class Notifier:
    """Reports the state of the service to systemd; does nothing where it was not started by it."""

    address: str | None
    every_s: float = 10.0
    """How often `alive` is called: half of what the unit's watchdog asks for, and for the status."""

    @classmethod
    def from_environment(cls) -> Notifier:
        """By NOTIFY_SOCKET and WATCHDOG_USEC, which are taken out of the environment of later children."""
        address = os.environ.pop("NOTIFY_SOCKET", None)
        usec = os.environ.pop("WATCHDOG_USEC", None)
        pid = os.environ.pop("WATCHDOG_PID", None)
        own = usec is not None and usec.isdigit() and pid in (None, str(os.getpid()))
        return cls(address, min(cls.every_s, int(usec) / 2e6)) if own and usec else cls(address)

    def ready(self, status: str) -> None:
        """The watch runs."""
        self._send(f"READY=1\nSTATUS={_one_line(status)}")

    def alive(self, status: str) -> None:
        """The watch works; what it sees."""
        self._send(f"WATCHDOG=1\nSTATUS={_one_line(status)}")

    def stopping(self) -> None:
        """The watch ends."""
        self._send("STOPPING=1")

    def _send(self, text: str) -> None:
        if not self.address:
            return
        address = f"\0{self.address[1:]}" if self.address.startswith("@") else self.address
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as s:
            s.sendto(text.encode(), address)


def stderr_is_journal() -> bool:
    """Whether systemd connected stderr to the journal ($JOURNAL_STREAM, systemd.exec(5))."""
    try:
        device, inode = map(int, os.environ.get("JOURNAL_STREAM", "").split(":"))
        found = os.fstat(2)
    except (ValueError, OSError):
        return False
    return (found.st_dev, found.st_ino) == (device, inode)


def journal_entry(message: Message) -> bytes:
    """A message in the journal's native protocol."""
    fields = {"MESSAGE": message.text, "PRIORITY": str(message.priority), "SYSLOG_IDENTIFIER": "wastenot"}
    return b"".join(_field(name, value) for name, value in {**fields, **message.fields}.items())


def _field(name: str, value: str) -> bytes:
    """`NAME=value`; a value with line ends is preceded by its length."""
    data = value.encode(errors="surrogateescape")
    if b"\n" in data:
        return name.encode() + b"\n" + struct.pack("<Q", len(data)) + data + b"\n"
    return name.encode() + b"=" + data + b"\n"


def send_to_journal(message: Message, to: Path = JOURNAL_SOCKET) -> bool:
    """Send a message to the journal; False where that is not possible."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as s:
            s.sendto(journal_entry(message), str(to))
    except OSError:
        return False
    return True


def _one_line(text: str) -> str:
    return " ".join(text.split())

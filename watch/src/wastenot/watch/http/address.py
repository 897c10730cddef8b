"""Where the metrics are served: an address and port, or a Unix socket."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path

from wastenot.analyzer.errors import BadArgument

DEFAULT_PORT = 9477
_TCP = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\[\]]*):(?P<port>\d{1,5})")


@dataclass(frozen=True)
class Address:
    """An address and port (0: any that is free), or the path of a Unix socket."""

    host: str = ""
    port: int = 0
    path: Path | None = None

    @property
    def is_local(self) -> bool:
        """Only this machine reaches it."""
        return self.path is not None or is_loopback(self.host)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"unix:{self.path}" if self.path else f"{host}:{self.port}"


def parse_address(text: str) -> Address:
    """From `127.0.0.1:9477`, `[::1]:9477`, `:9477` (loopback) or `unix:/run/x.sock`; raises BadArgument."""
    if text.startswith("unix:"):
        path = Path(text.removeprefix("unix:"))
        if not path.is_absolute() or len(str(path)) > 100:
            raise BadArgument(f"--metrics {text!r}: write an absolute path of at most 100 characters after unix:")
        return Address(path=path)
    match = _TCP.fullmatch(text)
    if match is None or int(match["port"]) > 65_535:
        raise BadArgument(f"--metrics {text!r}: write ADDRESS:PORT, as in 127.0.0.1:{DEFAULT_PORT}, or unix:PATH")
    host = match["host"].strip("[]") or "127.0.0.1"
    try:
        host = str(ipaddress.ip_address("127.0.0.1" if host == "localhost" else host))
    except ValueError:
        raise BadArgument(f"--metrics {text!r}: {host} is not an IP address; names are not looked up") from None
    return Address(host, int(match["port"]))


def is_loopback(host: str) -> bool:
    """The address is reached from this machine only."""
    try:
        address = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def read_token(path: Path) -> str:
    """The secret of a file: its first line, 16 to 200 characters. Raises BadArgument."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as e:
        reason = e.strerror if isinstance(e, OSError) else "not text"
        raise BadArgument(f"--metrics-token {path}: cannot be read ({reason})") from None
    token = lines[0].strip() if lines else ""
    if not re.fullmatch(r"[A-Za-z0-9._~+/=-]{16,200}", token):
        raise BadArgument(
            f"--metrics-token {path}: its first line must be a secret of 16 to 200 letters, digits and ._~+/=-; "
            f"make one with `openssl rand -hex 16 > {path}`"
        )
    return token

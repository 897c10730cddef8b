"""A small HTTP server for a scraper and for triggers, which a client can neither hang nor fill.

A connection is answered once and closed. It may take `MOST_S` in all, however slowly it sends or reads;
`MOST_CONNECTIONS` may be open at once: for a further one, the oldest is closed.
"""

from __future__ import annotations

import contextlib
import errno
import hmac
import http.server
import json
import os
import socket
import socketserver
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from wastenot.watch.errors import WatchError
from wastenot.watch.http.address import Address, is_loopback
from wastenot.watch.model.view import View

MOST_S = 10.0
MOST_CONNECTIONS = 16
MOST_BODY = 1024
MOST_REASON = 100
POLL_S = 1.0


@dataclass(frozen=True)
class Reply:
    """What became of a trigger: whether a box is being saved, and which, or why none."""

    saving: bool
    text: str
    box: str = ""


@dataclass
class Routes:
    """What the server answers with. `trigger` is called with the reason that a client gives, from several threads."""

    registry: CollectorRegistry
    trigger: Callable[[str], Reply]
    view: Callable[[], View]
    token: str | None = None


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Server
    server_version = "wastenot"
    sys_version = ""
    timeout = MOST_S

    def do_GET(self) -> None:
        """Metrics; on the Unix socket of the run folder the status too."""
        if not self._may("GET"):
            return
        path = self.path.split("?")[0]
        if path == "/metrics":
            encode, content_type = choose_encoder(self.headers.get("Accept", ""))
            self._answer(200, encode(self.server.routes.registry), content_type)
        elif path == "/status" and self.server.is_private:
            self._answer_json(200, self.server.routes.view().to_json())
        else:
            self._answer_text(404, "metrics are at /metrics")

    def do_POST(self) -> None:
        """A trigger, from this host only."""
        if not self._may("POST"):
            return
        if self.path != "/trigger":
            self._answer_text(404, "triggers go to /trigger")
            return
        reason = self._body()
        if reason is None:
            return
        reply = self.server.routes.trigger(reason)
        found = {"saving": reply.saving, "message": reply.text, "box": reply.box}
        self._answer_json(202 if reply.saving else 429, found)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""

    def _may(self, method: str) -> bool:
        """Whether the client may ask; answers where it may not."""
        token, local = self.server.routes.token, self.server.is_unix or is_loopback(str(self.client_address[0]))
        if token is not None and not self.server.is_private:
            given = self.headers.get("Authorization", "").encode()
            if not hmac.compare_digest(given, f"Bearer {token}".encode()):
                self._answer_text(
                    401, "a token is required: Authorization: Bearer TOKEN", [("WWW-Authenticate", "Bearer")]
                )
                return False
        elif not self.server.is_unix and not _is_address(self.headers.get("Host", "")):
            self._answer_text(403, "the Host header must be the address")
            return False
        if method == "POST" and not local:
            self._answer_text(403, "triggers are taken from this host only")
            return False
        if method == "POST" and ("Origin" in self.headers or "Sec-Fetch-Site" in self.headers):
            self._answer_text(403, "triggers are not taken from web pages")
            return False
        return True

    def _body(self) -> str | None:
        """The text of a POST; None, and an answer, where it is too long."""
        length = self.headers.get("Content-Length", "0")
        if not length.isascii() or not length.isdigit() or "Transfer-Encoding" in self.headers:
            self._answer_text(411, "a Content-Length is required")
            return None
        if int(length) > MOST_BODY:
            self._answer_text(413, f"at most {MOST_BODY} bytes")
            return None
        text = self.rfile.read(int(length)).decode(errors="replace")
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:MOST_REASON]

    def _answer_json(self, status: int, value: object) -> None:
        self._answer(status, json.dumps(value).encode() + b"\n", "application/json")

    def _answer_text(self, status: int, text: str, headers: list[tuple[str, str]] | None = None) -> None:
        self._answer(status, f"{text}\n".encode(), "text/plain; charset=utf-8", headers)

    def _answer(
        self, status: int, body: bytes, content_type: str, headers: list[tuple[str, str]] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers or []:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class _Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 32

    def __init__(self, listening: socket.socket, routes: Routes, *, is_unix: bool, is_private: bool) -> None:
        super().__init__(("", 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.routes, self.is_unix, self.is_private = routes, is_unix, is_private
        self._open: dict[socket.socket, float] = {}
        self._lock = threading.Lock()

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection; a client of a Unix socket has no address."""
        connection, address = self.socket.accept()
        return connection, address or ("", 0)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Admit the connection; the oldest is closed where too many are open, so that idle ones keep none out."""
        with self._lock:
            oldest = next(iter(self._open)) if len(self._open) >= MOST_CONNECTIONS else None
            if oldest is not None:
                del self._open[oldest]
                _shut(oldest)
            self._open[request] = time.monotonic()
        return True

    def service_actions(self) -> None:
        """End connections whose time is over."""
        now = time.monotonic()
        with self._lock:
            for connection, since in self._open.items():
                if now - since > MOST_S:
                    _shut(connection)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away in the middle is not an error of the watch."""


def _shut(connection: socket.socket) -> None:
    """End a connection, whose thread then closes it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


@dataclass
class HttpInterface:
    """A listening server in a thread of its own. `address` is where it listens, with the port that it got."""

    address: Address
    _server: _Server

    @classmethod
    def open(cls, address: Address, routes: Routes, *, private: bool = False) -> HttpInterface:
        """Listen. `private`: the socket of the run folder, for the user of the watch alone. Raises WatchError."""
        listening = _bound(address)
        if address.path is None:
            address = Address(address.host, listening.getsockname()[1])
        server = _Server(listening, routes, is_unix=address.path is not None, is_private=private)
        threading.Thread(target=server.serve_forever, args=(POLL_S,), name="http", daemon=True).start()
        return cls(address, server)

    def close(self) -> None:
        """Listen no longer."""
        self._server.shutdown()
        self._server.server_close()
        if self.address.path is not None:
            self.address.path.unlink(missing_ok=True)


def _bound(address: Address) -> socket.socket:
    """A listening socket. A socket file that no process listens on is replaced."""
    family = socket.AF_UNIX if address.path else socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        if address.path:
            _remove_stale(address.path)
            mask = os.umask(0o177)
            try:
                listening.bind(str(address.path))
            finally:
                os.umask(mask)
        else:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((address.host, address.port))
        listening.listen(32)
    except OSError as e:
        listening.close()
        why = "another program listens there" if e.errno == errno.EADDRINUSE else e.strerror
        raise WatchError(f"--metrics {address}: cannot listen ({why}); choose another port or path") from None
    return listening


def _remove_stale(path: Path) -> None:
    """Remove a socket that no process listens on."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        try:
            s.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        except OSError:
            return


def _is_address(host: str) -> bool:
    """Whether a Host header names an IP address or localhost: a page of a site whose name was pointed here does not."""
    bare = host.rsplit("]", 1)[0].strip("[") if host.startswith("[") else host.rsplit(":", 1)[0]
    if bare in ("", "localhost"):
        return True
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    try:
        socket.inet_pton(family, bare)
    except OSError:
        return False
    return True

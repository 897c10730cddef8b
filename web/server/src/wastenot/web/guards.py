"""What is checked before every request: path prefix, host, origin, token, security headers, and an end to slow bodies.

Plain ASGI, no `BaseHTTPMiddleware`: an endpoint must see its client disconnect.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from wastenot.web.error_responses import error_response
from wastenot.web.settings import Settings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_.-]+)(?::[0-9]{1,5})?")
"""A Host header: a name or an address, IPv6 in brackets, and a port."""

COOKIE = "wastenot-token"

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "media-src 'self' blob:; worker-src 'self' blob:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)
"""Content-Security-Policy: everything comes from here; inline styles because drawings are exported with theirs."""

HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Guards:
    """The application with all of them around it."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app, self._settings = app, settings
        own = {"localhost", socket.gethostname().lower(), *(n.lower() for n in settings.names)}
        self._names = own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        send = _with_headers(send)
        refused = self._refuse(scope, headers)
        if refused is not None:
            await error_response(*refused)(scope, receive, send)
            return
        path, prefix = scope["path"], self._settings.prefix
        if prefix and (path == prefix or path.startswith(prefix + "/")):
            scope = {**scope, "path": path[len(prefix) :] or "/", "raw_path": None}
            if path == prefix:
                await _redirect(prefix + "/", scope["query_string"].decode("latin-1"), None, send)
                return
        if await self._check_token(scope, headers, send):
            await self._app(scope, _body_in_time(receive, self._settings.stall_seconds), send)

    def _refuse(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Against DNS rebinding and requests that other sites' pages send."""
        host = headers.get("host", "")
        if not self._is_ours(host):
            return 421, f"host {host[:80]!r}: not a name of this server; allow it with --allow-host"
        if self._is_cross_site(scope, headers, host):
            return 403, "request of another site's page refused"
        return None

    def _is_cross_site(self, scope: Scope, headers: dict[str, str], host: str) -> bool:
        """A page of another site sends this. Following its link to our page, as a document of its own, is permitted.

        Browsers since 2023 send Sec-Fetch-Site to this machine's own addresses and over TLS, which no page can forge.
        For others Origin and Referer decide; a browser's request for data that has neither is refused, since a page can
        suppress both. Other programs can send any header, and no page controls them.
        """
        is_read = scope["method"] in ("GET", "HEAD", "OPTIONS")
        is_page = is_read and not self._is_data(scope["path"])
        site = headers.get("sec-fetch-site")
        origin = headers.get("origin")
        if origin is not None and not _is_host(origin, host):
            return True
        if site is not None:
            opens_page = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
            return site not in ("same-origin", "none") and not (is_page and opens_page)
        if is_page or origin is not None:
            return False
        referrer = headers.get("referer")
        if referrer is not None:
            return not _is_host(referrer, host)
        return headers.get("user-agent", "").startswith("Mozilla/")

    def _is_data(self, path: str) -> bool:
        """The address is one of the interface, not of the page."""
        prefix = self._settings.prefix
        if prefix and path.startswith(prefix + "/"):
            path = path[len(prefix) :]
        return path.lstrip("/").split("/", 1)[0] == "api"

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header names this server: an address, which DNS cannot rebind, or a known name."""
        split = _HOST.fullmatch(host)
        if split is None:
            return False
        name = split["name"].lower()
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    async def _check_token(self, scope: Scope, headers: dict[str, str], send: Send) -> bool:
        """Whether the request carries the token; a page asked for with `?token=` gets it as a cookie."""
        token = self._settings.token
        if token is None or scope["path"] == "/api/health":
            return True
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((v for k, v in query if k == "token"), None)
        if given is not None and _equal_tokens(given, token) and scope["method"] == "GET":
            rest = urlencode([(k, v) for k, v in query if k != "token"])
            await _redirect(self._settings.prefix + "/" + scope["path"].lstrip("/"), rest, self._cookie(token), send)
            return False
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and _equal_tokens(bearer, token):
            return True
        if any(_equal_tokens(value, token) for value in _cookies(headers.get("cookie", ""))):
            return True
        text = "a token is needed: open the address that `wastenot serve` printed, or send Authorization: Bearer TOKEN"
        await error_response(401, text)(scope, _disconnect_message, send)
        return False

    def _cookie(self, token: str) -> str:
        return f"{COOKIE}={token}; Path={self._settings.prefix or '/'}; HttpOnly; SameSite=Strict"


def _is_host(address: str, host: str) -> bool:
    """An Origin or Referer names this server."""
    try:
        return urlsplit(address).netloc.lower() == host.lower()
    except ValueError:
        return False


def _cookies(header: str) -> Iterator[str]:
    """Values of our cookie, not unquoted: a token holds none of the characters that cookies quote."""
    for part in header.split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            yield value.strip('"')


def _equal_tokens(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


async def _disconnect_message() -> Message:
    return {"type": "http.disconnect"}


async def _redirect(path: str, query: str, cookie: str | None, send: Send) -> None:
    location = quote(path, safe="/") + (f"?{query}" if query else "")
    headers = [(b"location", location.encode("ascii", "ignore")), (b"content-length", b"0")]
    headers.append((b"cache-control", b"no-store"))
    if cookie is not None:
        headers.append((b"set-cookie", cookie.encode("latin-1")))
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
        await send(message)

    return sending


def _body_in_time(receive: Receive, seconds: float) -> Receive:
    """Disconnects a client that pauses for `seconds` within its body. After the body only a disconnect can follow."""
    more = True

    async def receiving() -> Message:
        nonlocal more
        if not more:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), seconds)
        except TimeoutError:
            return {"type": "http.disconnect"}
        more = message["type"] == "http.request" and bool(message.get("more_body"))
        return message

    return receiving

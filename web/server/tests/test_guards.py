"""The checks before every request."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from pathlib import Path

import pytest
from wastenot.web.local import LocalServer, Serve

T = "/api/traces/wasted"


def raw(port: int, text: str) -> bytes:
    """Send bytes as they are; all that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as s:
        s.sendall(text.encode("latin-1"))
        out = b""
        while chunk := s.recv(65536):
            out += chunk
        return out


# ---- hosts and origins


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8470", "127.0.0.1.evil.example", "", "[", "a b"])
def test_a_name_that_is_not_ours_is_refused(served: LocalServer, host: str) -> None:
    answer = raw(served.port, f"GET /api/traces HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
    assert answer.split(b" ")[1] in (b"421", b"400"), answer[:200]
    assert b"wasted" not in answer.split(b"\r\n\r\n", 1)[1]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:80", "[::1]:8470", "192.0.2.7:1"])
def test_addresses_and_localhost_are_ours(served: LocalServer, host: str) -> None:
    assert served.ask("/api/health", headers={"Host": host}).status == 200


def test_more_names_can_be_allowed(serve: Serve, wasted_trace: Path) -> None:
    own = serve([wasted_trace], names=("traces.example",))
    assert own.ask("/api/health", headers={"Host": "traces.example"}).status == 200
    assert own.ask("/api/health", headers={"Host": "other.example"}).status == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_pages_of_other_sites_can_send_nothing(served: LocalServer, headers: dict[str, str]) -> None:
    assert served.ask("/api/traces?name=x", "POST", b"x", headers).status == 403
    body = json.dumps({"sql": "SELECT 1"}).encode()
    assert served.ask(f"{T}/sql", "POST", body, {"Content-Type": "application/json", **headers}).status == 403


def test_our_own_page_can(served: LocalServer) -> None:
    body = json.dumps({"sql": "SELECT 1"}).encode()
    headers = {
        "Content-Type": "application/json",
        "Origin": f"http://127.0.0.1:{served.port}",
        "Sec-Fetch-Site": "same-origin",
    }
    assert served.ask(f"{T}/sql", "POST", body, headers).status == 200


# ---- token


def test_with_a_token_nothing_is_answered_without_it(serve: Serve, wasted_trace: Path) -> None:
    own = serve([wasted_trace], token="secret-token")
    for path in (
        "/",
        "/api/traces",
        f"{T}/verdict",
        "/api/openapi.json",
        "/assets/x.js",
        "/api/traces?token=wrong-token",
    ):
        answer = own.ask(path)
        assert answer.status == 401, path
        assert "token" in answer.error()
    assert own.ask("/api/traces?name=x", "POST", b"x").status == 401
    assert own.ask("/api/health").status == 200
    for given in ("Bearer wrong", "Bearer ", "Basic secret-token", "secret-token"):
        assert own.ask("/api/traces", headers={"Authorization": given}).status == 401
    assert own.ask("/api/traces", headers={"Authorization": "Bearer secret-token"}).status == 200
    assert own.ask("/api/traces", headers={"Cookie": "other=1; wastenot-token=secret-token"}).status == 200
    assert own.ask("/api/traces", headers={"Cookie": "wastenot-token=; x"}).status == 401


def test_the_printed_address_gives_the_page_its_token(serve: Serve, wasted_trace: Path) -> None:
    own = serve([wasted_trace], token="secret-token", prefix="/w")
    answer = own.ask("/w/?token=secret-token&x=1")
    assert (answer.status, answer.headers["location"]) == (303, "/w/?x=1")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/w" in cookie
    assert own.ask("/w/api/traces", headers={"Cookie": cookie.split(";")[0]}).status == 200
    assert own.ask("//evil.example/?token=secret-token").headers["location"].startswith("/w/evil.example")


# ---- prefix, headers, caching


def test_behind_a_prefix_and_behind_a_proxy_that_cuts_it(serve: Serve, wasted_trace: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><html><head><title>x</title></head></html>")
    own = serve([wasted_trace], prefix="/tools/wastenot", static_folder=tmp_path)
    for address in ("/tools/wastenot/api/traces", "/api/traces"):
        assert own.ask(address).json()[0]["id"] == "wasted"
    assert own.ask("/tools/wastenot").headers["location"] == "/tools/wastenot/"
    assert b'<base href="/tools/wastenot/">' in own.ask("/tools/wastenot/").body
    assert own.ask("/tools/wastenotx/api/traces").status in (200, 404)
    assert b'"id"' not in own.ask("/tools/wastenotx/api/traces").body


def test_every_answer_carries_the_security_headers(served: LocalServer) -> None:
    for path in ("/", "/api/traces", "/api/nothing", f"{T}/threads"):
        headers = served.ask(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "script-src 'self';" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers and "access-control-allow-origin" not in headers


def test_an_answer_is_asked_for_again_only_when_the_trace_changed(served: LocalServer) -> None:
    version = served.ask(f"{T}/tiles/meta").json()["version"]
    for path in (f"{T}/tiles/0/0/0", f"{T}/verdict", f"{T}/threads"):
        first = served.ask(path)
        assert first.headers["cache-control"] == "private, no-cache"
        again = served.ask(path, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        assert served.ask(path, headers={"If-None-Match": '"other"'}).status == 200
        fixed = served.ask(f"{path}?v={version}")
        assert "immutable" in fixed.headers["cache-control"] and fixed.status == 200
        assert "immutable" not in served.ask(f"{path}?v=older").headers["cache-control"]


def test_answers_are_packed_as_the_client_likes(served: LocalServer) -> None:
    import gzip

    import pyarrow as pa

    def read(body: bytes) -> pa.Table:
        return pa.ipc.open_stream(body).read_all()

    plain = served.ask(f"{T}/threads")
    rows = plain.arrow()
    assert "content-encoding" not in plain.headers
    packed = served.ask(f"{T}/threads", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip" and read(gzip.decompress(packed.body)) == rows
    packed = served.ask(f"{T}/threads", headers={"Accept-Encoding": "br, zstd, gzip"})
    assert packed.headers["content-encoding"] == "zstd"
    assert read(pa.decompress(packed.body, len(plain.body), "zstd", asbytes=True)) == rows
    assert "content-encoding" not in served.ask(f"{T}/threads", headers={"Accept-Encoding": "zstd;q=0"}).headers
    assert packed.headers["etag"] != plain.headers["etag"] and packed.headers["vary"] == "Accept-Encoding"


# ---- paths


@pytest.mark.parametrize(
    "path",
    ["/../../../../etc/passwd", "/..%2f..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
     "/assets/../../../../etc/passwd", "/etc%2fpasswd", "/..%5c..%5cetc%5cpasswd", "/%00", "/x%00.js",
     "/api/traces/..%2f..%2fetc%2fpasswd/verdict", "/api/traces/%2fetc%2fpasswd/verdict", f"{T}/tiles/0/..%2f/0"],
)  # fmt: skip
def test_no_path_leads_out_of_the_folder(serve: Serve, wasted_trace: Path, tmp_path: Path, path: str) -> None:
    ui = tmp_path / "ui"
    ui.mkdir()
    (ui / "index.html").write_text("<head></head>page")
    (tmp_path / "secret.js").write_text("secret")
    (ui / "link.js").symlink_to(tmp_path / "secret.js")
    own = serve([wasted_trace], static_folder=ui)
    answer = raw(own.port, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert b"root:" not in answer and b"Traceback" not in answer
    assert answer.split(b" ")[1] in (b"200", b"400", b"404", b"422")  # 200: the page itself
    for secret in ("/../secret.js", "/..%2fsecret.js", "/link.js"):
        assert (
            b"secret"
            not in raw(own.port, f"GET {secret} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")[-6:]
        )


def test_the_page_is_the_answer_to_addresses_of_views(serve: Serve, wasted_trace: Path, tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<head></head>page")
    (tmp_path / "assets" / "a-123.js").write_text("let a = 1;" * 200)
    own = serve([wasted_trace], static_folder=tmp_path)
    for path in ("/", "/timeline", "/timeline/x", "/index.html"):
        assert b"page" in own.ask(path).body
    script = own.ask("/assets/a-123.js", headers={"Accept-Encoding": "gzip"})
    assert (
        script.headers["content-type"].startswith("text/javascript") and "immutable" in script.headers["cache-control"]
    )
    assert script.headers["content-encoding"] == "gzip"
    assert (
        own.ask("/assets/a-123.js", headers={"If-None-Match": own.ask("/assets/a-123.js").headers["etag"]}).status
        == 304
    )
    assert own.ask("/assets/none.js").status == 404


def test_without_the_user_interface_a_page_says_so(serve: Serve, wasted_trace: Path, tmp_path: Path) -> None:
    answer = serve([wasted_trace], static_folder=tmp_path / "none").ask("/")
    assert answer.status == 503 and b"was not built" in answer.body


# ---- slow clients


def test_a_client_that_does_not_finish_its_request_is_disconnected(serve: Serve, wasted_trace: Path) -> None:
    own = serve([wasted_trace], head_seconds=0.5, stall_seconds=0.5)
    for text in (
        "", "GET /api/traces HTTP/1.1\r\nHost: loc", "GET /api/tra",
        "POST /api/traces?name=x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc",
    ):  # fmt: skip
        began = time.monotonic()
        raw(own.port, text)
        assert time.monotonic() - began < 10, text
    assert own.ask("/api/health").status == 200


def test_a_client_that_sends_its_head_slowly_is_disconnected(serve: Serve, wasted_trace: Path) -> None:
    own = serve([wasted_trace], head_seconds=0.7)
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", own.port), timeout=20) as s:
        s.sendall(b"GET /api/traces HTTP/1.1\r\n")
        with pytest.raises(OSError):
            for i in range(200):
                s.sendall(f"X-{i}: y\r\n".encode())
                time.sleep(0.1)
    assert time.monotonic() - began < 10


def test_a_client_that_does_not_read_its_answer_is_disconnected(serve: Serve, wasted_trace: Path) -> None:
    own = serve([wasted_trace], stall_seconds=0.5)
    body = json.dumps({"sql": "SELECT repeat('x', 1000) FROM range(20000)", "limit": 20000})
    with socket.create_connection(("127.0.0.1", own.port), timeout=20) as s:
        head = f"POST {T}/sql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        s.sendall((head + body).encode())
        got = len(s.recv(1))
        time.sleep(3)
        with contextlib.suppress(ConnectionResetError):
            while chunk := s.recv(1 << 20):
                got += len(chunk)
    assert got < 20_000_000, "the server gave up before the end"
    assert own.ask("/api/health").status == 200

"""The HTTP interface: who may read metrics, who may trigger, and what a slow or greedy client can do."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from drawn import status
from prometheus_client import CollectorRegistry
from wastenot.analyzer.errors import BadArgument
from wastenot.watch.errors import WatchError
from wastenot.watch.http import server as server_module
from wastenot.watch.http.address import Address, is_loopback, parse_address, read_token
from wastenot.watch.http.client import ask
from wastenot.watch.http.server import MOST_CONNECTIONS, HttpInterface, Reply, Routes
from wastenot.watch.metrics.families import ViewCollector
from wastenot.watch.model.view import Facts, View

TOKEN = "0123456789abcdef"


def view() -> View:
    facts = Facts("sentinel", ("lasting>0",), 10, 2, "/boxes", "0.1.0", "6.1")
    return View(facts, 5, 1, status(5, wasted_ns=2_500_000_000))


class Served:
    """An interface at a free port, what its triggers were, and requests to it."""

    def __init__(self, token: str | None = None, path: Path | None = None, private: bool = False) -> None:
        self.reasons: list[str] = []
        collector = ViewCollector(view())
        registry = CollectorRegistry()
        registry.register(collector)
        routes = Routes(registry, self._trigger, lambda: collector.view, token)
        address = Address(path=path) if path else Address("127.0.0.1", 0)
        self.http = HttpInterface.open(address, routes, private=private)
        self.port = self.http.address.port

    def close(self) -> None:
        self.http.close()

    def _trigger(self, reason: str) -> Reply:
        self.reasons.append(reason)
        return Reply(len(self.reasons) == 1, "text", "/boxes/x.duckdb")

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with closing(connection):
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()


@pytest.fixture
def served() -> Iterator[Served]:
    with closing(Served()) as found:
        yield found


@pytest.fixture
def guarded() -> Iterator[Served]:
    with closing(Served(TOKEN)) as found:
        yield found


def test_metrics_are_served_as_text_and_as_openmetrics(served: Served) -> None:
    status, headers, text = served.ask("GET", "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain")
    assert "wastenot_sampled_wasted_core_seconds_total 2.5\n" in text
    status, headers, text = served.ask(
        "GET", "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"}
    )
    assert headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    assert text.endswith("# EOF\n") and "wastenot_sampled_wasted_core_seconds_total 2.5\n" in text


def test_a_trigger_is_answered_with_what_became_of_it(served: Served) -> None:
    status, _, text = served.ask("POST", "/trigger", b"deploy \x1b[31m of\n\tv2 " + b"x" * 200)
    assert status == 202 and json.loads(text) == {"saving": True, "message": "text", "box": "/boxes/x.duckdb"}
    assert served.reasons[0].startswith("deploy [31m of v2 xxx") and len(served.reasons[0]) == 100
    assert served.ask("POST", "/trigger")[0] == 429


def test_a_web_page_cannot_trigger(served: Served) -> None:
    for header in ({"Origin": "http://x.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert served.ask("POST", "/trigger", b"", header)[0] == 403
    assert served.ask("GET", "/trigger")[0] == 404
    assert served.reasons == []


def test_a_name_that_was_pointed_at_this_address_reads_nothing(served: Served) -> None:
    for host in ("attacker.example:9477", "127.0.0.1.attacker.example", "localhost.attacker.example", "[x"):
        assert served.ask("GET", "/metrics", headers={"Host": host})[0] == 403
    for host in ("127.0.0.1", "127.0.0.1:9477", "localhost:1", "[::1]:9477", "10.0.0.7:1"):
        assert served.ask("GET", "/metrics", headers={"Host": host})[0] == 200


def test_with_a_token_nothing_is_answered_without_it(guarded: Served) -> None:
    wrong = ["", "Bearer", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", "Bearer \xff"]
    for given in wrong:
        for method, path in (("GET", "/metrics"), ("POST", "/trigger"), ("GET", "/nothing")):
            status, headers, text = guarded.ask(method, path, headers={"Authorization": given})
            assert (status, headers["WWW-Authenticate"]) == (401, "Bearer") and TOKEN not in text
    right = {"Authorization": f"Bearer {TOKEN}", "Host": "watch.example"}
    assert guarded.ask("GET", "/metrics", headers=right)[0] == 200
    assert guarded.ask("POST", "/trigger", headers=right)[0] == 202


def test_the_status_names_threads_and_is_on_the_private_socket_only(served: Served, tmp_path: Path) -> None:
    assert served.ask("GET", "/status")[0] == 404
    private = Served(path=tmp_path / "watch.sock", private=True)
    try:
        assert (tmp_path / "watch.sock").stat().st_mode & 0o777 == 0o600
        assert ask(tmp_path, "GET", "/status")["status"]["wasted_ns"] == 2_500_000_000
        assert ask(tmp_path, "POST", "/trigger", "x")["saving"]
    finally:
        private.http.close()
    assert not (tmp_path / "watch.sock").exists()


def test_the_private_socket_needs_no_token(tmp_path: Path) -> None:
    private = Served(TOKEN, path=tmp_path / "watch.sock", private=True)
    assert ask(tmp_path, "GET", "/status")["facts"]["mode"] == "sentinel"
    private.http.close()


@pytest.mark.parametrize(
    "head",
    [
        b"POST /trigger HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000000\r\n\r\n",
        b"POST /trigger HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /trigger HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
    ],
)
def test_what_is_too_large_or_not_http_is_refused(served: Served, head: bytes) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as s:
        s.sendall(head)
        s.shutdown(socket.SHUT_WR)
        answer = s.recv(4096)
    assert b"HTTP/1.0 200" not in answer and b" 202 " not in answer
    assert served.reasons == []
    assert served.ask("GET", "/metrics")[0] == 200


def test_slow_clients_are_disconnected_and_do_not_hinder_others(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte a tenth of a second never meets a limit of a single read; the limit is of the whole connection."""
    monkeypatch.setattr(server_module, "MOST_S", 1.5)
    slow = [socket.create_connection(("127.0.0.1", served.port), timeout=10) for _ in range(MOST_CONNECTIONS - 1)]
    assert served.ask("GET", "/metrics")[0] == 200
    start, alive = time.monotonic(), set(slow)
    while alive and time.monotonic() - start < 8:
        for s in list(alive):
            try:
                s.sendall(b"G")
            except OSError:
                alive.discard(s)
        time.sleep(0.1)
    for s in slow:
        s.close()
    assert not alive and time.monotonic() - start < 6
    assert served.ask("GET", "/metrics")[0] == 200


def test_idle_connections_keep_no_request_out(served: Served) -> None:
    """The oldest is closed for each that is too many; none of the idle ones is answered."""
    idle = [socket.create_connection(("127.0.0.1", served.port), timeout=10) for _ in range(4 * MOST_CONNECTIONS)]
    for _ in range(3):
        assert served.ask("GET", "/metrics")[0] == 200
    assert all(s.recv(1) == b"" for s in idle[: 3 * MOST_CONNECTIONS])
    for s in idle:
        s.close()
    assert served.ask("GET", "/metrics")[0] == 200


def test_a_client_that_does_not_read_its_answer_is_disconnected(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "MOST_S", 1.0)
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as s:
        s.sendall(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        time.sleep(2.5)
    assert served.ask("GET", "/metrics")[0] == 200


def test_a_port_that_is_taken_is_one_line(served: Served) -> None:
    with pytest.raises(
        WatchError, match=rf"--metrics 127.0.0.1:{served.port}: cannot listen \(another program"
    ) as refused:
        HttpInterface.open(
            Address("127.0.0.1", served.port), Routes(CollectorRegistry(), lambda _: Reply(False, ""), view)
        )
    assert "\n" not in str(refused.value)


def test_a_socket_that_a_killed_watch_left_is_replaced_and_a_live_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "m.sock"
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    first = Served(path=path)
    with pytest.raises(WatchError, match="another program listens there"):
        Served(path=path)
    first.http.close()


def test_addresses() -> None:
    assert parse_address("127.0.0.1:9477") == Address("127.0.0.1", 9477)
    assert parse_address(":1") == parse_address("localhost:1") == Address("127.0.0.1", 1)
    assert parse_address("[::1]:2") == Address("::1", 2) and str(Address("::1", 2)) == "[::1]:2"
    assert parse_address("unix:/run/x.sock") == Address(path=Path("/run/x.sock"))
    for text in ("9477", "127.0.0.1", "127.0.0.1:99999", "host.example:1", "unix:x", "unix:/" + "x" * 200, "", "::1:2"):
        with pytest.raises(BadArgument, match="--metrics"):
            parse_address(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])
def test_loopback_addresses(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "fe80::1%eth0", "128.0.0.1", "", "localhost"])
def test_addresses_that_others_reach(host: str) -> None:
    assert not is_loopback(host)


def test_a_token_is_the_first_line_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\nrest\n")
    assert read_token(file) == TOKEN
    for wrong in ("", "short", "with a blank in it ....", "x" * 201):
        file.write_text(wrong)
        with pytest.raises(BadArgument, match="16 to 200"):
            read_token(file)
    with pytest.raises(BadArgument, match="No such file"):
        read_token(tmp_path / "absent")


def test_without_a_watch_the_client_says_so(tmp_path: Path) -> None:
    with pytest.raises(WatchError, match="no watch runs here"):
        ask(tmp_path, "POST", "/trigger")

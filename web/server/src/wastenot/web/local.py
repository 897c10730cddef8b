"""A server in a thread, on a real socket, and a plain client for it: for tests and measurements."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pyarrow as pa
from wastenot.web.serving import bind, server
from wastenot.web.settings import Settings

JSON = {"Content-Type": "application/json"}


@dataclass
class Answer:
    """What a server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def arrow(self) -> pa.Table:
        """The body as an Arrow table."""
        return pa.ipc.open_stream(self.body).read_all()

    def error(self) -> str:
        """The message of an error, which is one line."""
        text = self.json()["error"]
        assert isinstance(text, str) and "\n" not in text and text
        return text


@dataclass
class LocalServer:
    """A server that listens on a real socket."""

    port: int
    settings: Settings
    headers: dict[str, str] = field(default_factory=dict)

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """One request on a connection of its own; the path is sent unchanged."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {**self.headers, **(headers or {})})
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def sql(self, sql: str, trace: str = "wasted", limit: int = 1000) -> Answer:
        """A query of a user."""
        return self.ask(f"/api/traces/{trace}/sql", "POST", json.dumps({"sql": sql, "limit": limit}).encode(), JSON)

    def upload(self, name: str, body: bytes, query: str = "") -> dict[str, Any]:
        """Upload and wait for the import to end; the job."""
        started = self.ask(f"/api/traces?name={name}{query}", "POST", body)
        assert started.status == 202, started.body
        job: dict[str, Any] = started.json()
        until = time.monotonic() + 60
        while time.monotonic() < until:
            job = self.ask(f"/api/jobs/{started.json()['job']}").json()
            if job["state"] != "running":
                return job
            time.sleep(0.05)
        raise AssertionError(f"the import does not end: {job}")


@contextlib.contextmanager
def serving(paths: list[Path], settings: Settings) -> Iterator[LocalServer]:
    """uvicorn in a thread, as `wastenot serve` runs it."""
    listening = bind(settings)
    running = server(paths, settings)
    thread = threading.Thread(target=lambda: running.run(sockets=[listening]))
    thread.start()
    until = time.monotonic() + 20
    while not running.started and time.monotonic() < until:
        time.sleep(0.01)
    assert running.started
    try:
        yield LocalServer(listening.getsockname()[1], settings)
    finally:
        running.should_exit = True
        thread.join()
        listening.close()


Serve = Callable[..., LocalServer]
"""Starts a server over some traces: `serve([paths], token=...)`."""

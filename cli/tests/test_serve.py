"""`wastenot serve` as a command."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

Fails = Callable[..., str]


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[str, list[str]]]:
    """The command running; the address it printed and the lines before it. Ctrl-C ends it."""
    command = [sys.executable, "-m", "wastenot.cli", "serve", *arguments, "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        lines: list[str] = []
        while True:
            line = process.stderr.readline()
            assert line, lines
            lines.append(line)
            if address := re.match(r"serving at (\S+)", line):
                break
        yield address[1], lines[:-1]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
        rest = process.stderr.read()
        assert "Traceback" not in rest, rest
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def get(address: str) -> object:
    """The JSON at an address."""
    with urllib.request.urlopen(address, timeout=20) as answer:
        return json.loads(answer.read())


def get_when_made(address: str) -> object:
    """The JSON at an address that needs tables which are being made."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with urllib.request.urlopen(address, timeout=20) as answer:
            if answer.status != 202:
                return json.loads(answer.read())
    raise AssertionError(f"{address}: its tables are not made")


def test_it_serves_the_given_trace_and_ends_with_ctrl_c(trace: Path) -> None:
    with serving(str(trace)) as (address, _):
        assert address.startswith("http://127.0.0.1:")
        found = get(f"{address}api/traces")
        assert isinstance(found, list) and found[0]["id"] == "T" and found[0]["error"] is None


def test_without_a_trace_it_waits_for_uploads(tmp_path: Path) -> None:
    with serving("--upload-dir", str(tmp_path)) as (address, _):
        assert get(f"{address}api/traces") == []


def test_on_another_address_it_makes_up_a_token(trace: Path) -> None:
    with serving(str(trace), "--host", "0.0.0.0") as (address, _):
        token = re.search(r"\?token=([\w-]{20,})$", address)
        port = re.search(r":(\d+)/", address)
        assert token and port
        ask = urllib.request.Request(f"http://127.0.0.1:{port[1]}/api/traces")
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(ask, timeout=20)
        ask.add_header("Authorization", f"Bearer {token[1]}")
        with urllib.request.urlopen(ask, timeout=20) as answer:
            assert answer.status == 200


def test_a_trace_that_an_earlier_version_checked_is_checked_anew(trace: Path) -> None:
    with duckdb.connect(str(trace)) as con:
        con.execute("DROP TABLE thread_cpu")
    with serving(str(trace)) as (address, lines):
        assert any("checked again" in line for line in lines)
        assert get_when_made(f"{address}api/traces/T/tiles/meta")


def test_what_cannot_be_served_is_refused_in_one_line(fails: Fails, trace: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no trace")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for arguments, words in (
            (("none.duckdb",), "no such file"),
            (("text",), "not a wastenot trace"),
            (("T.duckdb", "--port", port), "cannot listen"),
            (("T.duckdb", "--port", "70000"), "65535"),
            (("T.duckdb", "--host", "192.0.2.1", "--port", "0"), "cannot listen"),
            (("T.duckdb", "--host", "no such host"), "cannot listen"),
            (("T.duckdb", "--prefix", "no/slash"), "--prefix"),
            (("T.duckdb", "--prefix", "/<x>"), "--prefix"),
            (("T.duckdb", "--token", "short"), "--token"),
            (("T.duckdb", "--upload-dir", "nowhere"), "--upload-dir"),
        ):
            assert words in fails("serve", *arguments)

"""Recordings that are dropped on the page become traces; what cannot be read says so in one line."""

from __future__ import annotations

import gzip
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from drawing import build_drawn
from wastenot.web.jobs import safe_name, stem
from wastenot.web.local import Serve

ROOT = Path(__file__).resolve().parents[3]
TRACE_DAT = ROOT / "fixtures/traces/guest-6.1/trace.dat"

NAMED = """
cpus 0-1
window 0us 10ms
0us cpu 0 runs 100
0us cpu 1 idle
0us thread 100 <script>alert(1)</script> on 0 running mask 0-1
"""


def test_a_recording_becomes_a_trace(serve: Serve, tmp_path: Path) -> None:
    own = serve([], upload_folder=tmp_path)
    job = own.upload("my%20trace.dat", TRACE_DAT.read_bytes(), "&affinity=*%3D0-7")
    assert job["state"] == "done", job
    assert own.ask("/api/traces").json()[0]["id"] == job["trace"] == "my_trace"
    verdict = own.ask(f"/api/traces/{job['trace']}/verdict").json()
    assert 0 < verdict["wasted"]["certain_core_s"] <= verdict["wasted"]["core_s"], "masks were declared"
    assert [p.name for p in tmp_path.iterdir()] == ["my_trace.duckdb"]


def test_two_of_one_name_are_two_traces(serve: Serve, tmp_path: Path) -> None:
    own = serve([], upload_folder=tmp_path)
    packed = gzip.compress(TRACE_DAT.read_bytes())
    ids = [own.upload("t.dat.gz", packed)["trace"] for _ in range(2)]
    assert ids == ["t", "t-2"]


def test_uploads_of_one_name_at_once_replace_none(serve: Serve, wasted_trace: Path, tmp_path: Path) -> None:
    own = serve([], upload_folder=tmp_path)
    body = wasted_trace.read_bytes()
    with ThreadPoolExecutor(4) as pool:
        jobs = list(pool.map(lambda _: own.upload("same.duckdb", body), range(4)))
    names = ["same", "same-2", "same-3", "same-4"]
    assert sorted(str(job["trace"]) for job in jobs) == names, jobs
    assert sorted(path.stem for path in tmp_path.iterdir()) == names


def test_a_trace_of_ours_is_taken_as_it_is(serve: Serve, wasted_trace: Path) -> None:
    own = serve([])
    job = own.upload("copy.duckdb", wasted_trace.read_bytes())
    assert job["trace"] == "copy", job
    assert own.ask("/api/traces/copy/episodes").status == 200


BROKEN = {
    "text.txt": b"not a recording\n" * 100,
    "cut.dat": TRACE_DAT.read_bytes()[:4000],
    "cut.duckdb": None,
    "zeros": bytes(100_000),
    "odd.tar": b"\x00" * 257 + b"ustar" + b"\xff" * 5000,
    "one": b"x",
    "PERFILE2": b"PERFILE2" + b"\xff" * 300,
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_says_so_in_one_line(serve: Serve, wasted_trace: Path, tmp_path: Path, name: str) -> None:
    own = serve([], upload_folder=tmp_path)
    body = BROKEN[name] or wasted_trace.read_bytes()[:50_000]
    job = own.upload(name, body)
    assert job["state"] == "failed", job
    assert job["error"] and "\n" not in job["error"] and "Traceback" not in job["error"]
    assert str(tmp_path) not in job["error"] and name in job["error"], job["error"]
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"
    assert own.ask("/api/traces").json() == []


def test_too_much_is_refused_before_and_while_it_comes(serve: Serve, tmp_path: Path) -> None:
    own = serve([], upload_bytes=10_000, upload_folder=tmp_path)
    announced = own.ask("/api/traces?name=big", "POST", bytes(20_000))
    assert announced.status == 413 and "larger" in announced.error()
    with socket.create_connection(("127.0.0.1", own.port), timeout=20) as s:  # a body of unknown length
        s.sendall(b"POST /api/traces?name=big HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(3):
            s.sendall(b"1388\r\n" + bytes(5000) + b"\r\n")
        assert b" 413 " in s.recv(4096)
    assert own.ask("/api/traces?name=nothing", "POST", b"").status == 422
    assert list(tmp_path.iterdir()) == []


def test_an_import_can_be_cancelled(serve: Serve, tmp_path: Path) -> None:
    own = serve([], upload_folder=tmp_path)
    job = own.ask("/api/traces?name=t.dat", "POST", TRACE_DAT.read_bytes()).json()["job"]
    ended = own.ask(f"/api/jobs/{job}", "DELETE").json()
    assert (ended["state"], ended["error"]) in (("failed", "cancelled"), ("done", None))
    assert ended["state"] == "done" or list(tmp_path.iterdir()) == []
    assert own.ask("/api/jobs/none").status == 404 and own.ask("/api/jobs/none", "DELETE").status == 404


def test_a_client_that_goes_in_the_middle_leaves_nothing(serve: Serve, tmp_path: Path) -> None:
    own = serve([], upload_folder=tmp_path)
    with socket.create_connection(("127.0.0.1", own.port)) as s:
        s.sendall(b"POST /api/traces?name=x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
        time.sleep(0.2)
    until = time.monotonic() + 10
    while list(tmp_path.iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\x.dat", "x.dat"),
        (".hidden", "hidden"),
        ("a b;rm -rf.dat", "a_b_rm_-rf.dat"),
        ("-o", "upload_-o"),
        ("\x00\n", "_"),
        ("...", "upload"),
        ("x" * 500, "x" * 120),
        ("é.dat", "_.dat"),
    ],
)
def test_names_are_made_safe(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_names_lose_their_endings() -> None:
    assert [stem(n) for n in ("a.dat.gz", "a.tar", "a.pftrace", ".gz", "a.b")] == ["a", "a", "a", "trace", "a.b"]


def test_names_of_threads_are_data(serve: Serve, tmp_path: Path) -> None:
    target = tmp_path / "named.duckdb"
    build_drawn(NAMED.replace("<script>alert(1)</script>", "</script><img>"), target)
    own = serve([target])
    found = own.ask("/api/traces/named/search?q=script")
    assert found.headers["content-type"] == "application/json" and found.headers["x-content-type-options"] == "nosniff"
    assert found.json()[0]["label"].startswith("</script><img>")
    bad = own.ask("/api/traces/named/search?q=%3Cscript%3E" + "x" * 300)
    assert bad.status == 422 and bad.headers["content-type"] == "application/json"
    assert own.ask("/api/traces/%3Cscript%3E/verdict").headers["content-type"] == "application/json"

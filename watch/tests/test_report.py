"""What is shown: lines, JSON, the journal, sd_notify, the live table; and OTLP as a collector receives it."""

from __future__ import annotations

import http.server
import io
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from drawn import MS, S, status
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from rich.console import Console
from wastenot.watch.metrics.families import ViewCollector
from wastenot.watch.metrics.otlp import OtlpExport
from wastenot.watch.model.boxes import CONFIRMED, FAILED, REQUESTED, UNCONFIRMED, Box, BoxVerdict, Trigger
from wastenot.watch.model.status import Hit, Wait
from wastenot.watch.model.view import Facts, View
from wastenot.watch.report.live_table import watch_table
from wastenot.watch.report.message import ALERT, INFO, NOTICE, WARNING, Message, box_message, status_line
from wastenot.watch.report.surface import Journal, Lines
from wastenot.watch.report.systemd import Notifier, journal_entry, send_to_journal, stderr_is_journal

VERDICT = BoxVerdict(
    S // 2, 0.021, "0.5 of 2 cores wasted.", "woken elsewhere", 0, (3 * MS,), True, "lasting is 3 episodes"
)
TRIGGER = Trigger("lasting>0", "lasting-gt-0", 0, "lasting>0")
BOX = Box("/boxes/20260101T000000.000Z-lasting-gt-0.duckdb", TRIGGER, CONFIRMED, "", VERDICT)


def view(**changes: object) -> View:
    facts = Facts("sentinel", ("lasting>0",), 10 * S, 2 * S, "/boxes", "0.1.0", "6.1")
    hits = (Hit(4 * S, 1, 0, 7, "ma\x1b[31mke", 30 * MS, 1),)
    now = status(5 * S, S // 10, 7 * MS, hits, kept_ns=4 * S, lost=3)
    return replace(View(facts, 5 * S, 0, now), **changes)  # type: ignore[arg-type]


# ---- messages


@pytest.mark.parametrize(
    ("box", "priority", "says"),
    [
        (BOX, ALERT, "lasting>0: lasting is 3 episodes, 0.500 core-s wasted (2.10 %); 0.5 of 2 cores wasted. saved"),
        (replace(BOX, outcome=REQUESTED), NOTICE, "lasting>0: 0.500 core-s wasted"),
        (replace(BOX, outcome=UNCONFIRMED), INFO, "unconfirmed: lasting>0 was sampled, not measured"),
        (replace(BOX, outcome=FAILED, verdict=None, error="full", kept=False), WARNING, "not saved (lasting>0): full"),
        (replace(BOX, outcome=FAILED, verdict=None, error="x"), WARNING, "`wastenot check /boxes"),
    ],
)  # fmt: skip
def test_each_outcome_has_its_line_and_priority(box: Box, priority: int, says: str) -> None:
    message = box_message(box, kept=False)
    assert says in message.text and message.priority == priority
    assert message.fields["WASTENOT_OUTCOME"] == box.outcome


def test_the_state_in_one_line_is_of_the_time_since_the_line_before() -> None:
    assert status_line(view(), None).startswith("1.00 % wasted (sampled); longest now 7.00 ms; 1 of 2 CPUs overloaded")
    later = view(time_ns=6 * S, status=status(6 * S, S // 10))
    assert status_line(later, view()).startswith("0 % wasted (sampled); longest now 0 s")


def test_quiet_leaves_alarms_and_errors() -> None:
    out = io.StringIO()
    lines = Lines(out, quiet=True)
    for priority in (INFO, NOTICE, WARNING, ALERT):
        lines.report(Message(f"line {priority}", priority))
    lines.show(view(time_ns=10**12))
    assert out.getvalue() == "line 4\nline 1\n"


def test_names_and_reasons_add_no_line_and_no_control_character() -> None:
    out = io.StringIO()
    Lines(out).report(Message("a\nb \x1b[31m", WARNING))
    assert out.getvalue().count("\n") == 1 and "\x1b" not in out.getvalue()
    out = io.StringIO()
    lines = Lines(out, as_json=True)
    lines.report(Message("a\nb", WARNING, {"WASTENOT_BOX": "/x\n"}, "box"))
    lines.show(view(time_ns=10**12))
    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    assert first == {"kind": "box", "message": "a\nb", "wastenot_box": "/x\n"} and second["kind"] == "status"


def test_a_reader_that_has_exited_does_not_end_the_watch() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    out = os.fdopen(writing, "w")
    Lines(out).report(Message("x", WARNING))
    with pytest.raises(BrokenPipeError):
        out.close()


def test_the_table_has_what_is_seen_and_saved_and_fits_eighty_columns() -> None:
    console = Console(width=80, record=True, file=io.StringIO(), color_system=None)
    waits = (Wait("/a", "neighbour", S), Wait("/a", "own_quota", 2 * S), Wait("other", "avoidable", 1))
    console.print(watch_table(view(boxes=(BOX,), waits=waits, saving="new.duckdb"), None))
    text = console.export_text()
    for shown in (
        "idle CPUs 1; overloaded CPUs 0",
        "saving new.duckdb",
        "confirmed",
        "own quota",
        "1.00 s ago",
        "30.0 ms",
    ):
        assert shown in text
    assert "\x1b" not in text and max(map(len, text.splitlines())) <= 80


# ---- systemd


def decoded(entry: bytes) -> dict[str, str]:
    """The fields of an entry, read as the journal does (systemd: Native Journal Protocol)."""
    fields, at = {}, 0
    while at < len(entry):
        end = entry.index(b"\n", at)
        line = entry[at:end]
        if b"=" in line:
            name, _, value = line.partition(b"=")
            at = end + 1
        else:
            (size,) = struct.unpack_from("<Q", entry, end + 1)
            name, value = line, entry[end + 9 : end + 9 + size]
            assert entry[end + 9 + size : end + 10 + size] == b"\n"
            at = end + 10 + size
        fields[name.decode()] = value.decode()
    return fields


def test_an_entry_of_the_journal_has_the_fields_also_those_with_line_ends() -> None:
    message = Message("a\nb", ALERT, {"WASTENOT_CAUSE": "x=y\nPRIORITY=7\n", "WASTENOT_BOX": "/b"})
    assert decoded(journal_entry(message)) == {
        "MESSAGE": "a\nb",
        "PRIORITY": "1",
        "SYSLOG_IDENTIFIER": "wastenot",
        "WASTENOT_CAUSE": "x=y\nPRIORITY=7\n",
        "WASTENOT_BOX": "/b",
    }


@pytest.fixture
def datagrams(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(str(tmp_path / "socket"))
        s.settimeout(5)
        yield s


def test_an_entry_reaches_the_journals_socket(datagrams: socket.socket, tmp_path: Path) -> None:
    assert send_to_journal(box_message(BOX, kept=True), tmp_path / "socket")
    assert decoded(datagrams.recv(65536))["WASTENOT_WASTED_CORE_S"] == "0.500000000"
    assert not send_to_journal(Message("x"), tmp_path / "absent")


def test_without_the_journals_socket_a_line_is_written() -> None:
    out = io.StringIO()
    Journal(out).report(Message("line", WARNING))
    assert out.getvalue() == "line\n" or Path("/run/systemd/journal/socket").exists()


def test_systemd_hears_of_readiness_life_and_end(
    datagrams: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "socket"))
    monkeypatch.setenv("WATCHDOG_USEC", "30000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    notifier = Notifier.from_environment()
    assert notifier.every_s == 10 and "NOTIFY_SOCKET" not in os.environ
    notifier.ready("a\nb")
    notifier.alive("x")
    notifier.stopping()
    assert [datagrams.recv(4096) for _ in range(3)] == [b"READY=1\nSTATUS=a b", b"WATCHDOG=1\nSTATUS=x", b"STOPPING=1"]


def test_a_watchdog_of_another_process_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "6000000")
    monkeypatch.setenv("WATCHDOG_PID", "1")
    assert Notifier.from_environment() == Notifier(None, 10)
    monkeypatch.setenv("WATCHDOG_USEC", "6000000")
    assert Notifier.from_environment() == Notifier(None, 3)
    Notifier(None).alive("nothing happens")


def test_stderr_is_the_journal_where_systemd_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    found = os.fstat(2)
    monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")
    assert stderr_is_journal()
    for other in (f"{found.st_dev}:{found.st_ino + 1}", "x", ""):
        monkeypatch.setenv("JOURNAL_STREAM", other)
        assert not stderr_is_journal()


# ---- OTLP


def test_a_collector_receives_the_metrics_by_otlp() -> None:
    received: list[ExportMetricsServiceRequest] = []
    reported: list[str] = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append(ExportMetricsServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    metrics = ViewCollector(view())
    export = OtlpExport(f"http://127.0.0.1:{server.server_port}/v1/metrics", metrics, reported.append, 60_000)
    metrics.view = view(episode_lengths={0.005: 2}, episode_seconds=0.007)
    export.close()
    server.shutdown()
    found = {
        m.name: [({a.key: a.value.string_value for a in p.attributes}, p.as_double or p.as_int) for p in data]
        for scope in received[-1].resource_metrics[0].scope_metrics
        for m in scope.metrics
        for data in [m.sum.data_points or m.gauge.data_points]
    }
    assert found["wastenot_sampled_wasted_core_seconds"] == [({}, 0.1)]
    assert ({"outcome": "confirmed"}, 0) in found["wastenot_boxes"] and len(found["wastenot_boxes"]) == 4
    assert found["wastenot_violation_seconds"] == [({}, 0.007)]
    assert found["wastenot_episode_seconds_count"] == [({}, 2)]
    attributes = {a.key: a.value.string_value for a in received[-1].resource_metrics[0].resource.attributes}
    assert attributes["service.name"] == "wastenot-watch" and reported == []


def test_metrics_that_cannot_be_sent_are_reported_once(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1/metrics"
    reported: list[str] = []
    export = OtlpExport(url, ViewCollector(view()), reported.append, 100)
    time.sleep(1)
    export.close()
    assert len(reported) == 1 and reported[0].startswith(f"metrics could not be sent to {url}: ")
    assert "\n" not in reported[0] and capfd.readouterr() == ("", "")


def test_nothing_of_opentelemetry_is_imported_without_being_asked_for() -> None:
    code = "import sys, wastenot.watch.running; print([m for m in sys.modules if m.startswith('opentelemetry')])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"

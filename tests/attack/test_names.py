"""Names in a trace are untrusted: none of their control characters reaches the terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from wastenot.analyzer.render.printable import PlainTable
from wastenot.analyzer.render.terminal import as_text
from wastenot.analyzer.text.printable import printable

COMMAND = [sys.executable, "-m", "wastenot.cli"]
SWITCH = (
    "<idle>-0 [{cpu:03}] d..2. {at}: sched_switch: prev_comm={a} prev_pid={p} prev_prio=120 prev_state={s} ==> "
    "next_comm={b} next_pid={n} next_prio=120\n"
)
NAME, OTHER = "\x1b]0;title\x07", "\x1b[2Ja\u202eb"


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of two threads with such names, one waiting for the other beside an idle CPU."""
    folder = tmp_path_factory.mktemp("names")
    lines = [
        SWITCH.format(cpu=0, at="1.000000", a="swapper/0", p=0, s="R", b=NAME, n=11),
        SWITCH.format(cpu=1, at="1.000000", a="x", p=5, s="S", b="swapper/1", n=0),
        f"x-11 [000] d..2. 1.000500: sched_wakeup: comm={OTHER} pid=12 prio=120 target_cpu=000\n",
        SWITCH.format(cpu=0, at="1.500500", a=NAME, p=11, s="S", b=OTHER, n=12),
        SWITCH.format(cpu=0, at="1.600500", a=OTHER, p=12, s="S", b="swapper/0", n=0),
    ]
    text, trace = folder / "text", folder / "T.duckdb"
    text.write_text("# tracer: nop\n" + "".join(lines), encoding="utf-8")
    subprocess.run([*COMMAND, "import", text, "-o", trace], check=True, capture_output=True)
    return trace


NAMES = "SELECT name FROM thread"
VERBS = {
    "check": ["check", "T"], "top": ["top", "T"], "episodes": ["episodes", "T"], "episode": ["episode", "T", "1"],
    "sql": ["sql", "T", NAMES], "csv": ["sql", "--csv", "T", NAMES],
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_a_terminal_gets_no_control_character_of_a_name(named: Path, verb: str) -> None:
    controller, terminal = pty.openpty()
    command = [*COMMAND, *(str(named) if word == "T" else word for word in VERBS[verb])]
    with subprocess.Popen(command, stdout=terminal, stderr=terminal, env={**os.environ, "COLUMNS": "160"}) as process:
        os.close(terminal)
        shown = b""
        try:
            while part := os.read(controller, 65536):
                shown += part
        except OSError:
            pass  # the other end is closed
    os.close(controller)
    assert process.returncode == 0, shown
    assert b"\\x1b" in shown or verb == "episodes", "the names are there, readable"
    assert b"\x1b]0;" not in shown and b"\x1b[2J" not in shown and b"\x07" not in shown
    assert "\u202e".encode() not in shown


def test_a_file_gets_names_as_they_are(named: Path) -> None:
    command = [*COMMAND, "sql", "--json", str(named), NAMES]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert {NAME, OTHER} <= {row["name"] for row in json.loads(done.stdout)}
    assert "\x1b" not in done.stdout, "JSON has escapes of its own"


def test_a_name_makes_up_no_line() -> None:
    table = PlainTable()
    table.add_column("thread")
    table.add_row("a\n0 of 8 cores wasted")
    assert as_text(table).splitlines() == ["thread", "a\\x0a0 of 8 cores wasted"]


def test_an_error_names_a_file_without_its_control_characters() -> None:
    command = [*COMMAND, "check", "/none/\x1b[31m.duckdb"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, "\x1b" in done.stderr) == (2, False)


def test_what_is_printable_stays() -> None:
    assert printable("kworker/0:1-événement ⏱ 日本") == "kworker/0:1-événement ⏱ 日本"

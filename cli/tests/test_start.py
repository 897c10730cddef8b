"""What a start of the command imports: help comes at once, and a verdict does not wait for what it does not use; and
an interrupt meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from wastenot.cli.main import app
from wastenot.cli.starting import interrupt
from wastenot.cli.verbs import Verbs

IMPORTED = """
import sys
from wastenot.cli.main import main
sys.stdout = open("/dev/null", "w")
status = main(sys.argv[1:])
sys.stderr.write("\\n" + " ".join(sorted({name.partition(".")[0] for name in sys.modules})))
sys.exit(status)
"""


def imported(*arguments: str) -> tuple[int, set[str]]:
    """Exit status and imported packages of a run."""
    run = subprocess.run([sys.executable, "-c", IMPORTED, *arguments], capture_output=True, text=True, check=False)
    return run.returncode, set(run.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"]])
def test_help_imports_neither_a_database_nor_arrow_nor_rich(arguments: list[str]) -> None:
    status, packages = imported(*arguments)
    assert status == 0 and "click" in packages
    assert packages.isdisjoint({"duckdb", "pyarrow", "numpy", "rich", "pandas", "pydantic"})


@pytest.mark.parametrize("arguments", [["live", "--help"], ["live", "T.duckdb"], ["live", "absent.duckdb"]])
def test_textual_is_not_imported_where_it_does_not_draw(
    arguments: list[str], trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trace.parent)
    _, packages = imported(*arguments)
    assert "click" in packages and "textual" not in packages


def test_doctor_imports_neither_a_database_nor_arrow() -> None:
    status, packages = imported("doctor")
    assert status == 0 and "rich" in packages
    assert packages.isdisjoint({"duckdb", "pyarrow", "numpy", "pydantic"})


@pytest.mark.parametrize("verb", [["check"], ["check", "--json"], ["episodes"]])
def test_a_stored_verdict_is_printed_without_arrow(trace: Path, verb: list[str]) -> None:
    status, packages = imported(verb[0], str(trace), *verb[1:])
    assert status == 0 and "duckdb" in packages
    assert packages.isdisjoint({"pyarrow", "numpy", "pydantic"})


def test_a_stored_verdict_is_json_without_rich(trace: Path) -> None:
    status, packages = imported("check", str(trace), "--json")
    assert status == 0 and "duckdb" in packages
    assert packages.isdisjoint({"rich"})


@pytest.mark.parametrize("arguments", [["check"], ["episodes"], ["import"], ["check", "--nonsense"]])
def test_an_error_imports_neither_a_database_nor_arrow_nor_rich(arguments: list[str], tmp_path: Path) -> None:
    status, packages = imported(*arguments, str(tmp_path / "absent.duckdb"))
    assert status == 2
    assert packages.isdisjoint({"duckdb", "pyarrow", "numpy", "rich", "pydantic"})


OPENED = """
import sys
from wastenot.analyzer.store import opening
from wastenot.cli.main import main
opened, connect = [], opening._connect
opening._connect = lambda path, **how: opened.append(str(path)) or connect(path, **how)
status = main(sys.argv[1:])
sys.stderr.write(f"\\n{len(opened)}")
sys.exit(status)
"""


@pytest.mark.parametrize("arguments", [[], ["--json"], ["--fail-on", "wasted>100%"]])
def test_the_check_of_a_checked_trace_opens_it_once(arguments: list[str], trace: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", OPENED, "check", str(trace), *arguments], capture_output=True, text=True, check=True
    )
    assert run.stderr.splitlines()[-1] == "1"


def test_the_help_lists_the_verbs_as_their_commands_describe_themselves() -> None:
    context = app.make_context("wastenot", [], resilient_parsing=True)
    listed = " ".join(app.get_help(context).split())
    for verb, command in Verbs().items():
        words = " ".join((command.help or "").split())[:30]
        assert f" {verb} {words}" in listed


def test_an_interrupt_within_the_import_system_is_not_lost() -> None:
    """Raised there, KeyboardInterrupt is dropped: `importlib._bootstrap._get_module_lock` has a callback."""
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
    signal.signal(signal.SIGINT, interrupt)
    try:
        came: list[int] = []
        within = compile("raise_signal(2); came.append(0)", "<frozen importlib._bootstrap>", "exec")
        with pytest.raises(KeyboardInterrupt):
            exec(within, {"raise_signal": signal.raise_signal, "came": came})
            time.sleep(60)
        assert came == [0], "not there"
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGALRM, before[1])

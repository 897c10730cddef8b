"""`wastenot balance` and `wastenot advise` from the outside: what they print, and with which status they end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawing import build_drawn
from programs import iterations
from wastenot.analyzer import CheckOptions

Run = Callable[..., Any]


@pytest.fixture
def uneven(tmp_path: Path) -> str:
    """A program `app` of four ranks with loads 1:4:1:4."""
    path = tmp_path / "T.duckdb"
    build_drawn(iterations([10_000, 40_000, 10_000, 40_010], 10), path, CheckOptions(tables="all"))
    return str(path)


@pytest.fixture
def none(tmp_path: Path) -> str:
    """Processes that met twice, which makes no iterations."""
    path = tmp_path / "none.duckdb"
    build_drawn(iterations([10_000, 40_000], 2), path, CheckOptions(tables="all"))
    return str(path)


def test_the_balance_of_a_named_program_is_printed_and_as_json(run: Run, uneven: str) -> None:
    text = run("balance", uneven, "--app", "app")
    assert text.returncode == 0
    assert text.stdout.startswith(
        "app: at least 37.5 % of the time lost to imbalance, load balance at most 62.5 % (H0: sleep and wakeups)\n"
    )
    shown = json.loads(run("balance", uneven, "--app", "a*", "--json").stdout)
    (application,) = shown["applications"]
    assert application["load_balance"] == pytest.approx(0.625, abs=0.001)
    assert len(application["rank"]) == 4 and len(application["segments"]) == 3
    parts = ("compute", "spin", "wait", "preempted", "queued", "irq", "blocked", "throttled", "other")
    assert all(sum(rank[f"{part}_ns"] for part in parts) == application["run_ns"] for rank in application["rank"])
    cells = application["rank_iteration"]
    assert len(cells) == 4 * application["windows"]
    assert sum(cell["compute_ns"] for cell in cells) == sum(rank["compute_ns"] for rank in application["rank"])


def test_a_trace_in_which_nothing_looks_like_a_program_says_so(run: Run, none: str) -> None:
    found = run("balance", none)
    assert (found.returncode, found.stdout.split(":")[0]) == (0, "No application found")
    assert run("advise", none).stdout.startswith("No application found")


def test_a_program_is_compared_with_a_reference_run(run: Run, uneven: str, none: str, tmp_path: Path) -> None:
    two = tmp_path / "two.duckdb"
    build_drawn(iterations([20_000, 80_000], 10), two, CheckOptions(tables="all"))
    text = run("balance", uneven, "--reference", two)
    assert text.returncode == 0 and f"Beside {two}, with 2 ranks: an iteration takes 40.0 ms" in text.stdout
    shown = json.loads(run("balance", uneven, "--reference", two, "--json").stdout)["scalability"]
    assert shown["speedup"] == pytest.approx(2, abs=0.01) and shown["ideal_speedup"] == 2
    refused = run("balance", uneven, "--reference", none)
    assert (refused.returncode, refused.stderr) == (
        2, "wastenot: --reference: a trace has no application to compare; --app names one\n"
    )  # fmt: skip


def test_a_condition_that_is_true_ends_with_1_and_names_the_figure(run: Run, uneven: str) -> None:
    failed = run("balance", uneven, "--app", "app", "--fail-on", "load_balance<80%", "--fail-on", "extrinsic>2%")
    assert failed.returncode == 1
    assert failed.stderr == "wastenot: failed: load_balance of application 1 (app) is 62.5 % (load_balance<80%)\n"
    quiet = run("balance", uneven, "--app", "app", "-q", "--fail-on", "load_balance<80%")
    assert quiet.returncode == 1 and quiet.stdout == "" and quiet.stderr.count("\n") == 1
    passed = run("balance", uneven, "--app", "app", "--fail-on", "load_balance>90%")
    assert (passed.returncode, passed.stderr) == (0, ""), "at most 62.5 % is not above 90 %"


def test_a_condition_that_the_evidence_does_not_decide_fails_and_says_why(run: Run, uneven: str, none: str) -> None:
    bound = run("balance", uneven, "--app", "app", "--fail-on", "load_balance<50%")
    assert (bound.returncode, bound.stderr) == (
        1,
        "wastenot: not decided: 'load_balance<50%' of application 1 (app): load_balance is at most 62.5 %, since a "
        "rank that spins while it waits counts as computing (evidence H0: record with --openmp or --mpi)\n",
    )
    unchecked = run("balance", none, "--fail-on", "load_balance<80%")
    assert (unchecked.returncode, unchecked.stderr) == (
        1,
        "wastenot: not decided: 'load_balance<80%': no application was found; --app names one\n",
    )
    both = run("balance", uneven, "--app", "app", "--fail-on", "load_balance<50%", "--fail-on", "lost>30%")
    assert both.returncode == 1, "what is true fails, whatever is not decided"


def test_advice_is_printed_as_commands_and_as_json(run: Run, uneven: str) -> None:
    text = run("advise", uneven, "--app", "app")
    assert text.returncode == 0 and "Give rank 3 less work" in text.stdout
    shown = json.loads(run("advise", uneven, "--app", "app", "--json").stdout)["applications"][0]
    assert len(shown["placement"]["ranks"]) == 4
    assert [r["kind"] for r in shown["recommendations"]] == ["work"]


def test_a_program_is_written_for_paraver_and_not_twice(run: Run, uneven: str, none: str, tmp_path: Path) -> None:
    target = tmp_path / "out.prv"
    made = run("balance", uneven, "--app", "app", "--paraver", str(target))
    assert made.returncode == 0 and made.stderr.startswith(f"wrote {target} (")
    assert target.read_text().startswith("#Paraver (")
    again = run("balance", uneven, "--app", "app", "--paraver", str(target))
    assert again.returncode == 2 and "exists already" in again.stderr and again.stderr.count("\n") == 1
    nothing = run("balance", none, "--paraver", str(tmp_path / "none.prv"))
    assert nothing.returncode == 2 and "no application was found" in nothing.stderr


def test_a_program_is_written_as_talp_does_and_not_twice(run: Run, uneven: str, none: str, tmp_path: Path) -> None:
    target = tmp_path / "talp.json"
    made = run("balance", uneven, "--app", "app", "--talp", str(target), "--json")
    assert (made.returncode, made.stderr) == (0, f"wrote {target} (2 regions)\n")
    (shown,) = json.loads(made.stdout)["applications"]
    region = json.loads(target.read_text())["Application"]["Global"]
    assert region["mpiLoadBalance"] == shown["load_balance"] and region["elapsedTime"] == shown["length_ns"]
    again = run("balance", uneven, "--app", "app", "--talp", str(target))
    assert again.returncode == 2 and "exists already" in again.stderr and again.stderr.count("\n") == 1
    assert run("balance", uneven, "--app", "app", "--talp", str(target), "--force").returncode == 0
    nothing = run("balance", none, "--talp", str(tmp_path / "none.json"))
    assert nothing.returncode == 2 and "no application was found" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("balance", "T.duckdb", "--app", "x*"), "no thread that ran and no process has such a name"),
        (("balance", "T.duckdb", "--cgroup", "/x"), "no thread that ran was in it"),
        (("balance", "T.duckdb", "--bubble", "x"), "valid integer"),
        (("balance", "T.duckdb", "--bubble", "1", "--app", "app"), "goes without --app"),
        (("balance", "T.duckdb", "--fail-on", "load_balance"), "write measure, operator, number and %"),
        (("balance", "T.duckdb", "--fail-on", "waste<3%"), "unknown measure 'waste'"),
        (("balance", "absent.duckdb"), "no such file"),
        (("advise", "absent.duckdb"), "no such file"),
        (("advise", "T.duckdb", "--bubble", "99999"), "no such bubble"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    arguments: tuple[str, ...], message: str, run: Run, uneven: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(uneven).parent)
    failed = run(*arguments)
    assert failed.returncode == 2
    assert message in failed.stderr and failed.stderr.count("\n") == 1

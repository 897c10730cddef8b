"""The verbs as a user meets them: what they print where, and their exit status."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from errno import ENOENT
from pathlib import Path
from typing import get_args

import pytest
from wastenot.analyzer.render.terminal import as_text
from wastenot.analyzer.trace import SEVERITIES
from wastenot.cli.commands.episodes import known_value
from wastenot.cli.doctor_view import doctor_view
from wastenot.schemas.generated.enums import EvidenceLevel

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_check_prints_the_verdict_with_the_sentence_first(run: Run, trace: Path) -> None:
    result = run("check", "T.duckdb")
    assert (result.returncode, result.stderr) == (0, "")
    first, second, third = (" ".join(text.split()) for text in result.stdout.split("\n\n")[:3])
    assert first == (
        "1.2 of 4 cores wasted for 249 ms (0.299 core-s, 24.9 % of the machine in 300 ms), certain. Severity: "
        "persistent (over 100 ms or 3 balance intervals)."
    )
    assert second.startswith(
        "Main reason, 0.299 core-s (100.0 %): queued there by a wakeup that missed an idle CPU in the same last-level "
        "cache: its search was cut short (consistent); ended when the waiting thread started to run on the CPU where "
        "it was queued (consistent). Another placement would have prevented 100.0 % of it. Why nothing moved it "
        "earlier is not known: "
    )
    assert third.startswith("Excused: 0.148 core-s, outside its affinity mask. Not recorded: ")
    assert "wastenot episode T.duckdb 1" in result.stdout
    assert "\x1b" not in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_check_as_json_is_one_object(run: Run, trace: Path) -> None:
    result = run("check", "T.duckdb", "--json")
    found = json.loads(result.stdout)
    assert list(found)[:8] == [
        "schema", "trace", "wasted", "episodes", "causes", "recurrent_causes", "worst", "data_quality",
    ]  # fmt: skip
    assert found["wasted"]["core_s"] == found["wasted"]["certain_core_s"] == 0.299
    assert found["wasted"]["idle_while_waiting_core_s"] == 0.447
    assert found["wasted"]["excused_core_s"]["affinity"] == 0.148
    assert found["episodes"]["persistent"] == {"count": 1, "core_s": 0.299}
    assert [t["name"] for t in found["worst"][0]["threads"]] == ["burn", "burn"]


def test_fail_on_ends_with_one_and_says_the_figure(run: Run, trace: Path) -> None:
    result = run("check", "T.duckdb", "-q", "--fail-on", "lasting>0", "--fail-on", "wasted>1%")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == ("wastenot: failed: lasting is 1 episode (lasting>0); wasted is 24.9 % (wasted>1%)\n"), (
        "a persistent one is worse than a lasting one"
    )


def test_fail_on_that_is_false_ends_with_zero(run: Run, trace: Path) -> None:
    result = run("check", "T.duckdb", "-q", "--fail-on", "wasted>50%")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_threshold_is_checked_anew_once_and_stays_stored(run: Run, trace: Path) -> None:
    before = trace.stat().st_ino
    result = run("check", "T.duckdb", "--threshold", "lasting=1s", "--threshold", "persistent=2s", "--json")
    assert json.loads(result.stdout)["episodes"]["expected"]["count"] == 1
    after = trace.stat().st_ino
    assert before != after, "a copy takes the name; the file itself is never rewritten"
    again = ("--threshold", "persistent=2s", "--threshold", "lasting=1s")
    run("check", "T.duckdb", *again)
    assert trace.stat().st_ino == after
    assert [p.name for p in trace.parent.iterdir()] == ["T.duckdb"]
    assert "Graded with --threshold" in run("episodes", "T.duckdb").stdout
    assert "Graded with --threshold lasting=1.00 s, persistent=2.00 s" in run("episode", "T.duckdb", "1").stdout
    assert "expected (4 ms–1 s)" in run("check", "T.duckdb", *again).stdout
    assert "Graded with --threshold" not in run("check", "T.duckdb").stdout, "by the definition again"
    assert "Graded with" not in run("episodes", "T.duckdb").stdout


def test_a_threshold_without_a_unit_is_refused(run: Run, trace: Path) -> None:
    result = run("check", "T.duckdb", "--threshold", "lasting=8")
    assert (result.returncode, result.stderr) == (
        2,
        "wastenot: --threshold 'lasting=8': write a unit, as in lasting=8ms\n",
    )


def test_episodes_lists_and_filters(run: Run, trace: Path) -> None:
    listed = run("episodes", "T.duckdb").stdout
    assert "persistent" in listed
    assert listed.splitlines()[-1] == "These rows add up to 0.299 of 0.299 core-s wasted."
    assert run("episodes", "T.duckdb", "--grade", "lasting").stdout == "No lasting episodes.\n"
    assert json.loads(run("episodes", "T.duckdb", "--json").stdout)[0]["overloaded_cpus"] == [0]


def test_a_grade_or_severity_is_taken_as_any_output_writes_it(run: Run, trace: Path, fails: Callable[..., str]) -> None:
    for value in ("noise", "in flight", "in_flight", "in-flight", "Lasting", "persistent*"):
        assert known_value("--severity", value, SEVERITIES) in SEVERITIES, value
    assert run("episodes", "T.duckdb", "--severity", "noise").returncode == 0
    assert "one of persistent, lasting, expected, in_flight, noise" in fails("episodes", "T.duckdb", "--severity", "x")
    assert "--grade recurrent" in fails("episodes", "T.duckdb", "--severity", "recurrent")
    assert "one of persistent, lasting, recurrent" in fails("episodes", "T.duckdb", "--grade", "x")


def test_episode_shows_threads_and_events(run: Run, trace: Path) -> None:
    text = run("episode", "T.duckdb", "1").stdout
    assert text.startswith("Episode 1, persistent: 1.2 cores wasted for 249 ms")
    assert "burn" in text and "sched_switch" in text
    assert len(json.loads(run("episode", "T.duckdb", "1", "--json").stdout)["waited"]) == 3


@pytest.mark.parametrize(("by", "first"), [("thread", "burn"), ("process", "burn")])
def test_top_lists_by_avoidable_wait(run: Run, trace: Path, by: str, first: str) -> None:
    lines = run("top", "T.duckdb", "--by", by).stdout.splitlines()
    assert lines[1].startswith(first)
    assert "burn" in lines[1] and "%" in lines[1]
    assert "avoidable wait" in lines[0] and "needless moves" in lines[0]
    assert json.loads(run("top", "T.duckdb", "--by", by, "--json").stdout)[0]["antagonists"]


def test_top_by_cgroup_lists_why_threads_waited(run: Run, trace: Path) -> None:
    lines = run("top", "T.duckdb", "--by", "cgroup").stdout.splitlines()
    assert lines[0].split() == ["cgroup", "threads", "run", "wait", "why"]
    assert lines[1].startswith("unknown") and "% avoidable" in lines[1]
    assert max(map(len, lines)) <= 80
    row = json.loads(run("top", "T.duckdb", "--by", "cgroup", "--json").stdout)[0]
    parts = ["avoidable_wait_ns", "confined_ns", "wakeup_latency_ns", "interrupts_ns", "rt_dl_ns", "kernel_threads_ns"]
    parts += ["own_threads_ns", "neighbour_ns", "unknown_cgroup_ns", "unknown_ns"]
    assert sum(row[part] for part in parts) == row["wait_ns"] > 0
    assert row["antagonists"] and row["neighbours"] == []


def test_top_of_a_window_with_the_length_of_waits(run: Run, trace: Path, fails: Callable[..., str]) -> None:
    whole = json.loads(run("top", "T.duckdb", "--json").stdout)
    part = json.loads(run("top", "T.duckdb", "--window", "50ms..100ms", "--json").stdout)
    assert 0 < max(row["run_ns"] for row in part) <= 50_000_000 < max(row["run_ns"] for row in whole)
    lines = run("top", "T.duckdb", "--window", "50ms..100ms", "--sort", "p99").stdout.splitlines()
    assert "waits by length" in lines[0] and "each bin twice as long as the one before" in lines[-1]
    cgroups = run("top", "T.duckdb", "--by", "cgroup", "--window", "50ms..100ms", "--sort", "longest").stdout
    assert "waits by length" in cgroups and "% avoidable" in cgroups
    assert "bubbles are listed for the whole trace" in fails("top", "T.duckdb", "--by", "bubble", "--window", "0..1s")
    assert "lies outside of the trace" in fails("top", "T.duckdb", "--window", "9s..10s")


def test_sql_prints_a_table_json_or_csv(run: Run, trace: Path) -> None:
    query = "SELECT tid, name, [1, 2] AS l FROM thread WHERE tid > 100 ORDER BY tid"
    assert run("sql", "T.duckdb", query).stdout.splitlines()[1].split() == ["101", "burn", "1,", "2"]
    assert json.loads(run("sql", "T.duckdb", query, "--json").stdout)[1] == {"tid": 102, "name": "pinned", "l": [1, 2]}
    header, *rows = csv.reader(io.StringIO(run("sql", "T.duckdb", query, "--csv").stdout))
    assert (header, rows[0]) == (["tid", "name", "l"], ["101", "burn", "[1, 2]"])


def test_sql_prints_sums_that_json_does_not_know(run: Run, trace: Path) -> None:
    found = json.loads(run("sql", "T.duckdb", "SELECT sum(dur_ns) AS s, now() AS t FROM cpu_slice", "--json").stdout)
    assert float(found[0]["s"]) == 4 * 300e6


def test_export_makes_a_folder(run: Run, trace: Path, tmp_path: Path) -> None:
    result = run("export", "T.duckdb", "--to", "parquet", "-o", "out")
    assert (result.returncode, result.stdout) == (0, "")
    assert "tables to out" in result.stderr
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_doctor_lists_its_checks(run: Run) -> None:
    found = json.loads(run("doctor", "--json").stdout)
    assert found["checks"] and found["evidence_level"] in ("none", *get_args(EvidenceLevel))
    assert f"Kernel {found['kernel']}" in run("doctor").stdout


def test_a_reader_that_goes_away_is_not_an_error(trace: Path) -> None:
    endless = f"{sys.executable} -m wastenot.cli sql {trace} 'SELECT * FROM range(1000000)' --csv"
    command = f"{endless} | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert (result.stdout.splitlines(), result.stderr) == (["range", "0"], "")


def test_colour_needs_a_terminal_and_obeys_no_color(run: Run, trace: Path) -> None:
    script = f"script -qec '{sys.executable} -m wastenot.cli check T.duckdb' /dev/null"

    def in_terminal(**environment: str) -> str:
        kept = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        return subprocess.run(
            ["bash", "-c", script], cwd=trace.parent, env={**kept, "TERM": "xterm", **environment}, capture_output=True,
            text=True, timeout=120, check=False,
        ).stdout  # fmt: skip

    assert "\x1b[" in in_terminal() and "31m" in in_terminal()
    assert "31m" not in in_terminal(NO_COLOR="1")


VERBS = (
    "doctor", "record", "import", "provoke", "simulate", "experiment", "check", "episodes", "episode", "top", "sql",
    "balance", "advise", "counters", "serve", "report", "export", "glossary", "watch", "live", "compare", "latency",
    "deadlines",
)  # fmt: skip


def test_every_verb_has_help_and_the_program_a_version(run: Run) -> None:
    for verb in VERBS:
        result = run(verb, "--help")
        assert result.returncode == 0 and verb in result.stdout
    overview = run("--help").stdout
    assert all(f"  {verb} " in overview for verb in VERBS)
    assert run("--version").stdout.startswith("wastenot ")


def test_man_pages_are_written_for_every_verb(tmp_path: Path) -> None:
    from wastenot.cli.manpage import write_pages

    pages = {p.name: p.read_text() for p in write_pages(tmp_path)}
    assert pages.keys() == {"wastenot.1", *(f"wastenot-{verb}.1" for verb in VERBS)}
    assert "\\-\\-fail\\-on" in pages["wastenot-check.1"]
    assert "wastenot\\-record" in pages["wastenot.1"]


def test_a_refused_query_says_where_with_the_line_and_a_caret(run: Run, trace: Path) -> None:
    result = run("sql", "T.duckdb", "SELECT nme FROM thread")
    first, line, caret = result.stderr.splitlines()[:3]
    assert first.startswith("wastenot: query refused: Binder Error") and result.returncode == 2
    assert line == "  LINE 1: SELECT nme FROM thread" and caret == " " * line.index("nme") + "^^^"
    assert "it is empty" in run("sql", "T.duckdb", "").stderr
    assert run("sql", "T.duckdb", "").stdout == ""


def test_errors_say_what_to_do_with_what_was_given(fails: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TEXT)
    assert "a recording (ftrace), not a trace; `wastenot import t.txt` makes a trace of it" in fails("check", "t.txt")
    assert "neither a text of /proc/schedstat nor perf.data" in fails("counters", "t.txt")
    assert fails("counters", "nope") == "wastenot: nope: no such file or folder; check the path\n"
    assert "record" not in fails("import", "nope")
    assert "`wastenot check --help`" in fails("--json", "check", "x")
    assert "`wastenot --help`" in fails("--bogus", "check", "x")


TEXT = """\
# tracer: nop
          <idle>-0     [000] d..2.     1.000100: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 \
prev_state=R ==> next_comm=burn next_pid=100 next_prio=120
"""


def test_checks_of_the_doctor_that_fail_for_one_reason_are_one_line() -> None:
    def check(
        key: str, state: str = "refused", advice: str = "Run as root.", used: bool = True, errno: int | None = None
    ) -> dict[str, object]:
        about = {"key": key, "state": state, "detail": "needs root", "needed_for": "e", "advice": advice}
        return about | {"used_by_wastenot": used, "errno": errno}

    found = {
        "kernel": "6.18", "source": "none", "attach": None, "evidence_level": "none", "excuses_not_recorded": [],
        "checks": [
            check("tp_btf"), check("raw_tp"), check("btf", "missing", "CONFIG_DEBUG_INFO_BTF"),
            check("kprobe", advice="CONFIG_KPROBE_EVENTS", used=False),
            *(check(key, "missing", "debugfs", errno=ENOENT) for key in ("pmu", "iterator")),
        ],
    }  # fmt: skip
    text = as_text(doctor_view(found))  # type: ignore[arg-type]
    assert text.count("needs root") == 4, "those without a file each have a reason of their own"
    assert text.count("Run as root.") == 1
    assert "- Run as root. Needed for: tp_btf, raw_tp." in text and "CONFIG_KPROBE_EVENTS" not in text
    by_tracefs = found | {"source": "tracefs", "evidence_level": "L0", "excuses_not_recorded": ["throttled"]}
    shown = as_text(doctor_view(by_tracefs))  # type: ignore[arg-type]
    assert "Evidence level L0: switches and wakeups." in shown
    assert "Excuses that would not be recorded: no quota left." in shown


def test_an_import_counts_events_as_the_verdict_does(run: Run, trace: Path, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TEXT)
    reported = run("import", "t.txt", "-o", "t.duckdb").stderr
    events = json.loads(run("check", "t.duckdb", "--json").stdout)["trace"]["events"]
    assert reported.splitlines()[-1].endswith(f" MB, {events:,} events)")

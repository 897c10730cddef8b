"""`wastenot counters`: what the load balancer counted, from a trace and from texts of the kernel."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot.cli.commands.counters import nothing_counted

Run = Callable[..., subprocess.CompletedProcess[str]]


def schedstat(version: int, idle: int) -> str:
    """CPU 0 and CPU 1 with a domain each; `idle` attempts of the idle CPU, of which all but two found nothing to do."""
    imbalance = "1 2 3 4" if version == 17 else "10"
    name = "MC " if version == 17 else ""
    busy, idling = f"5 5 0 {imbalance} 0 0 0 5", f"{idle} {idle - 2} 1 {imbalance} 1 0 0 {idle - 3}"
    order = [idling, busy] if version == 15 else [busy, idling]
    domain = f"domain0 {name}00000003 {' '.join(order)} {busy} 0 0 0 0 0 0 0 0 0 1 2 3\n"
    return f"version {version}\ntimestamp 4295000000\n" + "".join(
        f"cpu{cpu} 0 0 0 0 0 0 1 2 3\n{domain}" for cpu in range(2)
    )


@pytest.mark.parametrize("version", [15, 16, 17])
def test_two_texts_differ_by_what_was_counted_between_them(run: Run, tmp_path: Path, version: int) -> None:
    (tmp_path / "before").write_text(schedstat(version, 10))
    (tmp_path / "after").write_text(schedstat(version, 14))
    done = run("counters", "before", "after", "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["state"]: row for row in json.loads(done.stdout)}
    assert list(rows) == ["idle", "newidle", "busy"]
    figures = ("level", "attempts", "balanced", "failed", "gained", "no_group")
    assert [rows["idle"][figure] for figure in figures] == [0, 8, 8, 0, 0, 8]
    assert rows["busy"]["attempts"] == 0
    assert rows["idle"]["name"] == ("MC" if version == 17 else None), "only version 17 tells names"
    listed = run("counters", "before", "after").stdout
    assert "idle" in listed and "balanced" in listed


def test_a_recording_of_counters_is_suggested_only_where_the_kernel_has_them(run: Run, trace: Path) -> None:
    assert "--schedstat on" in nothing_counted(is_here=True)
    assert "--schedstat" not in nothing_counted(is_here=False) and "CONFIG_SCHEDSTATS" in nothing_counted(is_here=False)
    assert ("--schedstat on" in run("counters", "T.duckdb").stdout) is Path("/proc/schedstat").exists()


def test_one_text_counts_nothing_and_other_files_are_refused_in_a_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one").write_text(schedstat(17, 10))
    done = run("counters", "one")
    assert done.returncode == 2
    assert "one reading" in done.stderr and done.stderr.count("\n") == 1
    (tmp_path / "none").write_text("version 12\n")
    done = run("counters", "one", "none")
    assert done.returncode == 2
    assert "version 12: 15, 16 and 17 are known" in done.stderr and done.stderr.count("\n") == 1

"""The Python face of the collector, over a recording of this machine."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pytest
from wastenot import collector
from wastenot.collector import ArrowStream, Recorder, WastenotError
from wastenot.schemas.generated.enums import EvidenceLevel

Tables = dict[str, pa.Table]

INSTANCES = ("/sys/kernel/tracing/instances", "/sys/kernel/debug/tracing/instances")


def decoded(part: Path) -> tuple[collector.Recorded, Tables]:
    batches: dict[str, list[pa.Table]] = defaultdict(list)

    def emit(table: str, stream: ArrowStream) -> None:
        batches[table].append(pa.RecordBatchReader.from_stream(stream).read_all())

    summary = collector.decode(part, emit)
    return summary, {table: pa.concat_tables(parts) for table, parts in batches.items()}


def rows_of(tables: Tables, name: str) -> list[dict[str, object]]:
    return tables[name].to_pylist() if name in tables else []


@pytest.fixture(scope="module")
def examined() -> collector.Examination:
    return collector.examine()


@pytest.fixture(params=["ebpf", "tracefs"])
def recording(request: pytest.FixtureRequest, examined: collector.Examination, tmp_path: Path) -> Path:
    """A third of a second of this machine, with threads that sleep and wake, by each source that works here."""
    works = {check.key for check in examined.checks if check.state == "ok"}
    needed = {"ebpf": {"tp_btf", "mmap_array"}, "tracefs": {"tracefs", "tracefs_instance"}}[request.param]
    if not needed <= works:
        pytest.skip(f"{request.param}: not permitted here: {', '.join(sorted(needed - works))}")
    part = tmp_path / "t.part"
    sleeper = "import time\nfor _ in range(20): time.sleep(0.01)"
    with Recorder(part, source=request.param, command="sleeper"):
        subprocess.run([sys.executable, "-c", sleeper], check=True)
    return part


def test_a_recording_becomes_tables_in_one_order(recording: Path) -> None:
    summary, tables = decoded(recording)
    assert summary.complete and summary.end_reason == "command"
    ids: list[int] = []
    stamps: dict[int, int] = {}
    for table in tables.values():
        if {"id", "ts_ns"} <= set(table.column_names):
            ids += table["id"].to_pylist()
            stamps.update(zip(table["id"].to_pylist(), table["ts_ns"].to_pylist(), strict=True))
    assert sorted(ids) == list(range(summary.events)), "ids are dense over all event tables"
    in_order = [stamps[i] for i in range(summary.events)]
    assert in_order == sorted(in_order)
    (trace,) = rows_of(tables, "trace")
    assert trace["events"] == summary.events and trace["command"] == "sleeper"
    assert tables["cpu"].num_rows == len(collector.machine_snapshot()["cpus"])


def test_the_sleeper_is_born_runs_twenty_times_and_dies(recording: Path) -> None:
    _, tables = decoded(recording)
    exits = {row["tid"] for row in rows_of(tables, "process_exit")}
    born = {row["child_tid"] for row in rows_of(tables, "process_fork")}
    runs: dict[object, int] = defaultdict(int)
    for row in rows_of(tables, "sched_switch"):
        # Its ends, not its beginnings: virtual machines exist that show tracefs no switch out of the idle thread.
        runs[row["prev_tid"]] += 1
    assert any(runs[tid] >= 20 for tid in born & exits)


def test_masks_of_the_snapshot_are_rows_of_the_mask_table(recording: Path) -> None:
    _, tables = decoded(recording)
    masks = {row["mask_id"] for row in rows_of(tables, "mask")}
    used = {row["mask_id"] for row in rows_of(tables, "thread_snapshot")}
    assert used and used - {None} <= masks


def test_a_recording_without_its_end_is_recovered_up_to_the_last_event(recording: Path) -> None:
    whole, _ = decoded(recording)
    meta = json.loads((recording / "meta.json").read_text())
    meta["end_ns"] = meta["end_reason"] = None
    (recording / "meta.json").write_text(json.dumps(meta))
    last = max((recording / "segments").iterdir())
    last.write_bytes(last.read_bytes()[:-30])
    summary, tables = decoded(recording)
    assert (summary.complete, summary.end_reason) == (False, "crash (recovered)")
    assert 0 < summary.events <= whole.events and summary.end_ns <= whole.end_ns
    assert rows_of(tables, "trace")[0]["complete"] is False


def test_what_the_receiver_raises_goes_through(recording: Path) -> None:
    class Full(Exception):
        pass

    def refuse(_table: str, _stream: ArrowStream) -> None:
        raise Full

    with pytest.raises(Full):
        collector.decode(recording, refuse)

    def complain(_events: int, _share: float | None) -> None:
        raise Full

    with pytest.raises(Full):
        collector.decode(recording, lambda _table, _stream: None, complain)


def test_progress_grows(recording: Path) -> None:
    reported: list[tuple[int, float | None]] = []
    summary = collector.decode(
        recording, lambda _table, _stream: None, lambda events, share: reported.append((events, share))
    )
    assert reported == sorted(reported) and reported[-1][0] == summary.events
    assert all(share is not None and 0 <= share <= 1 for _, share in reported)


def test_losses_of_a_small_buffer_are_reported_with_their_time(examined: collector.Examination, tmp_path: Path) -> None:
    works = {check.key for check in examined.checks if check.state == "ok"}
    if not {"tracefs", "tracefs_instance"} <= works:
        pytest.skip("tracefs: not permitted here")
    # Two processes that wake each other fill 64 KiB long before the next look.
    pair = """
import os, time
(a, b), (c, d) = os.pipe(), os.pipe()
end = time.monotonic() + 0.5
if os.fork() == 0:
    while os.read(a, 1): os.write(d, b"x")
os.write(b, b"x")
while time.monotonic() < end and os.read(c, 1): os.write(b, b"x")
os.kill(0, 9)
"""
    with Recorder(tmp_path / "t.part", source="tracefs", ring_bytes=65536, poll_ms=1000):
        subprocess.run([sys.executable, "-c", pair], check=False, start_new_session=True)
    summary, tables = decoded(tmp_path / "t.part")
    losses = rows_of(tables, "lost_events")
    assert losses and summary.complete
    for loss in losses:
        assert summary.start_ns <= loss["ts_ns"] <= loss["end_ns"] <= summary.end_ns  # type: ignore[operator]


def test_a_killed_recorder_leaves_a_readable_recording(recording: Path, tmp_path: Path) -> None:
    source = json.loads((recording / "meta.json").read_text())["source"]
    program = "import sys, time; from wastenot.collector import Recorder as R; r = R(sys.argv[1], source=sys.argv[2])"
    program += "; r.start(); print('on', flush=True); time.sleep(60)"
    part = tmp_path / "killed.part"
    with subprocess.Popen([sys.executable, "-c", program, str(part), source], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"on\n"
        time.sleep(1.0)
        child.kill()
    summary, tables = decoded(part)
    assert (summary.complete, summary.end_reason) == (False, "crash (recovered)")
    assert summary.end_ns - summary.start_ns > 300_000_000, "all but what was held for 200 ms"
    assert rows_of(tables, "thread_snapshot") and rows_of(tables, "sched_switch")
    if source == "tracefs":
        orphan = f"wastenot-{child.pid}-0"
        instances = next(p for p in map(Path, INSTANCES) if p.is_dir())
        assert (instances / orphan).is_dir()
        with Recorder(tmp_path / "next.part", source="tracefs"):
            assert not (instances / orphan).exists(), "the next recorder cleans up"


@pytest.mark.parametrize("act", [lambda p: collector.decode(p, print), collector.machine_snapshot])
def test_a_folder_of_something_else_is_refused_in_one_line(act: Callable[[Path], object], tmp_path: Path) -> None:
    with pytest.raises(WastenotError) as refused:
        act(tmp_path)
    assert str(tmp_path) in str(refused.value) and "\n" not in str(refused.value)


def test_machines_go_through_hwloc_and_back() -> None:
    machine = collector.machine_snapshot()
    again = collector.hwloc_to_machine(collector.machine_to_hwloc(machine))
    assert [cpu["cpu"] for cpu in again["cpus"]] == [cpu["cpu"] for cpu in machine["cpus"]]
    with pytest.raises(WastenotError):
        collector.hwloc_to_machine("<topology>")


def test_the_doctor_leaves_nothing_behind(examined: collector.Examination) -> None:
    assert examined.evidence_level in {*get_args(EvidenceLevel), "none"}
    assert examined.source in {"ebpf", "tracefs", "none"}
    assert all((check.advice is None) == (check.state == "ok") for check in examined.checks)
    assert not [left for folder in INSTANCES for left in Path(folder).glob("wastenot-doctor-*")]


def test_unknown_options_of_the_recorder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WastenotError, match="unknown"):
        Recorder(tmp_path / "t.part", sauce="ebpf")


def test_an_existing_folder_is_not_recorded_into(examined: collector.Examination, tmp_path: Path) -> None:
    if examined.source == "none":
        pytest.skip("nothing can be recorded here")
    recorder = Recorder(tmp_path)
    with pytest.raises(WastenotError) as refused:
        recorder.start()
    assert str(tmp_path) in str(refused.value)
    assert not list(tmp_path.iterdir())

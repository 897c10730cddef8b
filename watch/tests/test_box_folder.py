"""The folder of boxes: names, the list, the limit of its size, and what is never deleted."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from drawn import WASTED_PART
from wastenot.analyzer.errors import BadArgument
from wastenot.watch.box_folder import MANIFEST, BoxFolder
from wastenot.watch.errors import WatchError
from wastenot.watch.model.boxes import CONFIRMED, Box, Trigger
from wastenot.watch.options import parse_bytes, parse_memory, parse_url
from wastenot.watch.rate_limit import RateLimit

TRIGGER = Trigger("lasting>0", "lasting-gt-0", 0, "lasting>0")


def saved(folder: BoxFolder, at: float, size: int = 100_000) -> Path:
    target = folder.new_target(TRIGGER, at)
    folder.add(target, TRIGGER)
    target.write_bytes(b"x" * size)
    folder.finish(Box(str(target), TRIGGER, CONFIRMED, ""))
    return target


def test_a_folder_that_is_gone_is_made_anew(tmp_path: Path) -> None:
    folder = BoxFolder.open(tmp_path / "boxes", 10**9)
    folder.path.rmdir()
    assert folder.free_bytes() > 0 and folder.path.is_dir()


def test_a_name_has_the_time_in_utc_and_the_reason(tmp_path: Path) -> None:
    folder = BoxFolder.open(tmp_path / "boxes", 10**9)
    first = folder.new_target(TRIGGER, 1_800_000_000.25)
    assert first.name == "20270115T080000.250Z-lasting-gt-0.duckdb"
    first.touch()
    assert folder.new_target(TRIGGER, 1_800_000_000.25).name == "20270115T080000.250Z-lasting-gt-0-2.duckdb"


def test_the_folder_is_for_its_user_alone(tmp_path: Path) -> None:
    folder = BoxFolder.open(tmp_path / "boxes", 10**9)
    saved(folder, 1.0)
    assert folder.path.stat().st_mode & 0o777 == 0o700
    assert (folder.path / MANIFEST).stat().st_mode & 0o777 == 0o600


def test_the_oldest_are_deleted_until_the_others_fit(tmp_path: Path) -> None:
    folder = BoxFolder.open(tmp_path, 250_000)
    boxes = [saved(folder, float(n)) for n in range(5)]
    assert folder.prune() == [b.name for b in boxes[:3]]
    assert [b.exists() for b in boxes] == [False] * 3 + [True] * 2
    assert set(BoxFolder.open(tmp_path, 1).entries) == {b.name for b in boxes[3:]}
    assert folder.prune() == []


def test_the_newest_stays_even_where_it_is_too_large_alone(tmp_path: Path) -> None:
    folder = BoxFolder.open(tmp_path, 1000)
    old, new = saved(folder, 1.0), saved(folder, 2.0)
    assert folder.prune(keep=new.name) == [old.name]
    assert new.exists()


def test_files_of_others_are_neither_counted_nor_deleted(tmp_path: Path) -> None:
    other = tmp_path / "20200101T000000.000Z-lasting-gt-0.duckdb"
    other.write_bytes(b"y" * 10**6)
    folder = BoxFolder.open(tmp_path, 50_000)
    saved(folder, 1.0)
    assert folder.bytes() < 200_000
    folder.prune()
    assert other.exists()


def test_a_box_that_was_deleted_by_another_program_is_no_longer_listed(tmp_path: Path) -> None:
    folder = BoxFolder.open(tmp_path, 10**9)
    saved(folder, 1.0).unlink()
    assert folder.bytes() == 0 and folder.entries == {}


def test_a_part_folder_counts_and_only_what_a_recorder_wrote_is_deleted(tmp_path: Path) -> None:
    import shutil

    folder = BoxFolder.open(tmp_path, 10**9)
    target = folder.new_target(TRIGGER, 1.0)
    folder.add(target, TRIGGER)
    part = tmp_path / f"{target.name}.part"
    shutil.copytree(WASTED_PART, part)
    (part / "note").write_text("mine")
    assert folder.bytes() > 10_000
    assert list(BoxFolder.open(tmp_path, 10**9).unfinished()) == [target.name]
    folder.delete(target.name)
    assert [p.name for p in part.iterdir()] == ["note"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not json", "not a list of boxes"),
        ("[1]", "not a list of boxes"),
        ('{"boxes": {"../../etc/passwd": {}}}', "not the name of a box"),
        ('{"boxes": {"a/20200101T000000.000Z-x.duckdb": {}}}', "not the name of a box"),
    ],
)
def test_a_list_that_no_watch_wrote_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(WatchError, match=says):
        BoxFolder.open(tmp_path, 1)


def test_the_list_is_json_with_the_verdicts(tmp_path: Path) -> None:
    folder = BoxFolder.open(tmp_path, 10**9)
    target = saved(folder, 1.0)
    found = json.loads((tmp_path / MANIFEST).read_text())
    assert found["boxes"][target.name]["outcome"] == CONFIRMED


def test_at_most_so_many_boxes_in_any_interval() -> None:
    limit = RateLimit.parse("2/min")
    second = 10**9
    assert [limit.take(t * second) for t in (0, 10, 20, 59, 60, 61, 70)] == [
        True,
        True,
        False,
        False,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize("text", ["1", "0/min", "1/week", "min/1", "-1/s", ""])
def test_a_wrong_rate_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="write a number and one of s, min, h, day"):
        RateLimit.parse(text)


def test_sizes() -> None:
    assert [parse_bytes(t, "--max-disk") for t in ("2GB", "1.5 MB", "10kB")] == [2 * 10**9, 1_500_000, 10_000]
    for text in ("2", "2GiB", "GB", "-1GB", "two GB"):
        with pytest.raises(BadArgument, match="write a number and one of kB, MB, GB, TB"):
            parse_bytes(text, "--max-disk")


def test_a_second_watch_cannot_save_in_the_folder(tmp_path: Path) -> None:
    release = BoxFolder.open(tmp_path, 1).lock()
    with pytest.raises(WatchError, match=f"another watch saves its boxes here .PID {os.getpid()}.; choose another"):
        BoxFolder.open(tmp_path, 1).lock()
    release()
    BoxFolder.open(tmp_path, 1).lock()()
    assert BoxFolder.open(tmp_path, 1).bytes() == 0
    (tmp_path / "watch.lock").unlink()
    (tmp_path / "watch.lock").symlink_to("/etc/passwd")
    with pytest.raises(WatchError, match="cannot be locked"):
        BoxFolder.open(tmp_path, 1).lock()


@pytest.mark.parametrize("text", ["foo", "ftp://host/x", "http://", "http:///v1", "http://h:99999/", "http://h/\n", ""])
def test_an_address_of_otlp_is_a_whole_one(text: str) -> None:
    assert parse_url("https://[::1]:4318/v1/metrics", "--otlp") == "https://[::1]:4318/v1/metrics"
    with pytest.raises(BadArgument, match=r"--otlp .*: write a full address, as in http://127\.0\.0\.1:4318"):
        parse_url(text, "--otlp")


def test_the_black_box_cannot_have_more_than_half_of_the_memory() -> None:
    assert parse_memory("64MB", "--memory") == 64 * 10**6
    with pytest.raises(BadArgument, match=r"--memory 1kB: give at least .*kB, 64 KiB for each CPU"):
        parse_memory("1kB", "--memory")
    with pytest.raises(BadArgument, match=r"--memory 900TB: this machine has .* GB; give half of it at most"):
        parse_memory("900TB", "--memory")

"""Which traces there are, and what happens when their files change."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest
from drawing import build_drawn
from wastenot.analyzer.store.opening import open_read_only
from wastenot.analyzer.store.tables import tables_not_made
from wastenot.web import Settings
from wastenot.web import library as library_module
from wastenot.web.library import Library, slug
from wastenot.web.local import Serve

DRAWN = """
cpus 0-1
window 0us 10ms
0us cpu 0 runs 100
0us cpu 1 idle
0us thread 100 work on 0 running mask 0-1
"""


def test_ids_are_made_of_file_names_and_differ(serve: Serve, wasted_trace: Path, tmp_path: Path) -> None:
    assert [slug(n) for n in ("a b.duckdb", "../x.duckdb", "é", "a.b_c-d.duckdb")] == ["a-b", "x", "trace", "a.b_c-d"]
    other = tmp_path / "wasted.duckdb"
    shutil.copyfile(wasted_trace, other)
    own = serve([wasted_trace, other, wasted_trace])
    assert [t["id"] for t in own.ask("/api/traces").json()] == ["wasted", "wasted-2"]


def test_a_folder_shows_its_traces_and_those_that_come_later(serve: Serve, tmp_path: Path) -> None:
    build_drawn(DRAWN, tmp_path / "a.duckdb")
    own = serve([tmp_path])
    assert [t["id"] for t in own.ask("/api/traces").json()] == ["a"]
    build_drawn(DRAWN, tmp_path / "b.duckdb")
    assert own.ask("/api/traces/b/verdict").status == 200
    assert [t["id"] for t in own.ask("/api/traces").json()] == ["a", "b"]


def test_a_file_that_was_replaced_is_read_anew(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    build_drawn(DRAWN, path)
    own = serve([path])
    before = own.ask("/api/traces").json()[0]
    etag = own.ask("/api/traces/t/threads").headers["etag"]
    build_drawn(DRAWN.replace("work", "rest"), tmp_path / "new.duckdb")
    (tmp_path / "new.duckdb").replace(path)
    os.utime(path, ns=(1, 1))
    after = own.ask("/api/traces").json()[0]
    assert before["version"] != after["version"]
    answer = own.ask("/api/traces/t/threads", headers={"If-None-Match": etag})
    assert answer.status == 200 and answer.arrow().column("name").to_pylist() == ["rest"]


def test_more_traces_than_are_kept_open_all_answer(serve: Serve, tmp_path: Path) -> None:
    for name in "abcdef":
        build_drawn(DRAWN, tmp_path / f"{name}.duckdb")
    own = serve([tmp_path], open_traces=2)
    for _ in range(2):
        for name in "abcdef":
            assert own.ask(f"/api/traces/{name}/verdict").status == 200


def test_a_trace_that_cannot_be_shown_is_listed_with_the_reason(serve: Serve, tmp_path: Path) -> None:
    build_drawn(DRAWN, tmp_path / "good.duckdb")
    (tmp_path / "text.duckdb").write_text("no trace")
    (tmp_path / "cut.duckdb").write_bytes((tmp_path / "good.duckdb").read_bytes()[:20_000])
    shutil.copyfile(tmp_path / "good.duckdb", tmp_path / "older.duckdb")
    with duckdb.connect(str(tmp_path / "older.duckdb")) as con:
        con.execute("DROP TABLE thread_cpu")
    rows = {t["id"]: t for t in serve([tmp_path]).ask("/api/traces").json()}
    assert rows["good"]["error"] is None and rows["good"]["threads"] == 1
    for id, reason in (("text", "not a wastenot trace"), ("cut", "damaged"), ("older", "wastenot check")):
        assert reason in rows[id]["error"] and rows[id]["events"] is None


def test_the_list_makes_no_tables_and_a_view_does(serve: Serve, tmp_path: Path) -> None:
    for name in "ab":
        build_drawn(DRAWN, tmp_path / f"{name}.duckdb")
    own = serve([tmp_path])

    def made(name: str) -> bool:
        copied = shutil.copy(tmp_path / f"{name}.duckdb", tmp_path / "copied")  # the server has the file open
        with open_read_only(Path(copied)) as con:
            return not tables_not_made(con)

    assert [t["error"] for t in own.ask("/api/traces").json()] == [None, None]
    assert not made("a") and not made("b")
    assert own.ask("/api/traces/a/tiles/meta").status == 200
    assert made("a") and not made("b")
    assert [t["threads"] for t in own.ask("/api/traces").json()] == [1, 1]


def test_requests_for_all_traces_are_answered_while_tables_are_made(serve: Serve, tmp_path: Path) -> None:
    for name in "abc":
        build_drawn(DRAWN, tmp_path / f"{name}.duckdb")
    own = serve([tmp_path])
    views = [f"/api/traces/{name}/{view}" for name in "abc" for view in ("verdict", "machine", "tiles/meta")]
    with ThreadPoolExecutor(12) as pool:
        answers = pool.map(lambda address: own.ask(address).status, ["/api/traces", "/api/health", *views] * 3)
        assert set(answers) == {200}


def test_a_file_that_has_gone_says_so(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    build_drawn(DRAWN, path)
    own = serve([path])
    path.unlink()
    assert "t.duckdb" in own.ask("/api/traces").json()[0]["error"]
    assert own.ask("/api/traces/t/verdict").status == 404


def test_open_traces_hold_no_more_memory_than_they_may(
    wasted_trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "LOOK_S", 0.0)
    paths = [tmp_path / f"{name}.duckdb" for name in "abc"]
    for path in paths:
        shutil.copyfile(wasted_trace, path)
    for bytes_, left in ((1 << 40, ["a", "b", "c"]), (1, ["c"])):
        library = Library(paths, Settings(traces_bytes=bytes_))
        for path in paths:
            opened = library.open(path.stem)
            with opened.cursor() as cursor:
                cursor.execute("SELECT sum(dur_ns), max(start_ns) FROM thread_state").fetchall()
            assert opened.memory_bytes() > 1
        library.open("c")
        assert list(library._open) == left
        library.close()

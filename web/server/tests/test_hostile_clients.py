"""What a client may send to a server with a token, and to one whose folder holds odd files."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from wastenot.web.local import Serve


def test_the_redirect_that_sets_the_cookie_takes_any_path(serve: Serve, wasted_trace: Path) -> None:
    own = serve([wasted_trace], token="secret-token")
    for path, location in (
        ("/%ff", "/%EF%BF%BD"),
        ("/%C3%A9", "/%C3%A9"),
        ("/a%0d%0aX-Injected:%20yes", "/a%0D%0AX-Injected%3A%20yes"),
        ("/%5cevil.example", "/%5Cevil.example"),
    ):
        answer = own.ask(f"{path}?token=secret-token")
        assert (answer.status, answer.headers["location"]) == (303, location)
        assert "x-injected" not in answer.headers


def test_a_cookie_of_any_length_is_read_in_no_time(serve: Serve, wasted_trace: Path) -> None:
    own = serve([wasted_trace], token="secret-token")
    own.ask("/api/traces", headers={"Authorization": "Bearer secret-token"})
    began = time.monotonic()
    cookie = 'a="' + "\\" * 30_000 + '"; ' + "x;" * 10_000
    assert own.ask("/api/traces", headers={"Cookie": cookie}).status == 401
    assert own.ask("/api/traces", headers={"Cookie": cookie + "; wastenot-token=secret-token"}).status == 200
    assert time.monotonic() - began < 20


def test_odd_files_in_the_folder_are_listed_with_what_is_wrong(
    serve: Serve, wasted_trace: Path, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "fifo.duckdb")
    (tmp_path / "folder.duckdb").mkdir()
    (tmp_path / "gone.duckdb").symlink_to(tmp_path / "nothing")
    (tmp_path / "zero.duckdb").symlink_to("/dev/zero")
    (tmp_path / "empty.duckdb").touch()
    shutil.copy(wasted_trace, tmp_path / "wasted.duckdb")
    own = serve([tmp_path])
    rows = {row["name"]: row["error"] for row in own.ask("/api/traces").json()}
    assert rows.pop("wasted.duckdb") is None
    assert "not a regular file" in rows["fifo.duckdb"]
    assert all(error and "\n" not in error for error in rows.values()) and len(rows) >= 4


def test_modules_in_the_working_folder_are_not_run(serve: Serve, wasted_trace: Path, tmp_path: Path) -> None:
    """`python -m` looks for modules in the working folder first: a recording's folder may hold a `duckdb.py`."""
    hostile = tmp_path / "recording"
    hostile.mkdir()
    for module in ("duckdb", "json", "pyarrow"):
        (hostile / f"{module}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    was = Path.cwd()
    os.chdir(hostile)
    try:
        own = serve([wasted_trace])
        assert own.sql("SELECT 1").status == 200
        assert own.upload("wasted.duckdb", wasted_trace.read_bytes())["state"] == "done"
    finally:
        os.chdir(was)
    assert not (tmp_path / "ran").exists()

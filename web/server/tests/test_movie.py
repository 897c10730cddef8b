"""A film of the replay: what is missing is one line, and a real one has the pictures of its length."""

from __future__ import annotations

import json
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from drawing import OVERLOADED, build_drawn
from wastenot.analyzer import AnalyzerError, CheckOptions
from wastenot.web import headless, movie


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("movie") / "overloaded.duckdb"
    build_drawn(OVERLOADED, path, CheckOptions(tables="all"))
    return path


@pytest.fixture
def needs_tools() -> None:
    for tool in ("chromium", "ffmpeg", "ffprobe"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")


def refusal(trace: Path, target: Path) -> str:
    with pytest.raises(AnalyzerError) as refused:
        movie.write_movie(trace, target)
    text = str(refused.value)
    assert "\n" not in text
    return text


def test_what_is_missing_is_named_in_one_line(trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "name it .mp4 or .webm" in refusal(trace, tmp_path / "film.avi")
    assert "there is no folder" in refusal(trace, tmp_path / "none" / "film.mp4")
    (tmp_path / "there.mp4").touch()
    assert "exists already; --force replaces it" in refusal(trace, tmp_path / "there.mp4")
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    assert "ffmpeg is not installed" in refusal(trace, tmp_path / "film.mp4")
    (programs / "ffmpeg").write_text("#!/bin/sh\n")
    (programs / "ffmpeg").chmod(0o755)
    assert "no Chromium is installed" in refusal(trace, tmp_path / "film.mp4")
    (programs / "chromium").write_text("#!/bin/sh\nexit 3\n")
    (programs / "chromium").chmod(0o755)
    assert refusal(trace, tmp_path / "film.mp4").startswith("Chromium ended")
    assert not list(tmp_path.glob("film*"))


@pytest.mark.usefixtures("needs_tools")
@pytest.mark.parametrize(("suffix", "codec"), [(".mp4", "h264"), (".webm", "vp9")])
def test_a_film_has_the_pictures_of_its_length(
    trace: Path, tmp_path: Path, suffix: str, codec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(movie, "LONGEST_S", 0.6)
    monkeypatch.setattr(movie, "STILL_S", 0.12)
    target = tmp_path / f"film{suffix}"
    reported: list[tuple[int, int]] = []
    film = movie.write_movie(trace, target, progress=lambda done, total: reported.append((done, total)))
    assert 1 <= film.frames <= 0.6 * movie.FPS + 2 * 3 + 1
    assert reported[-1][0] == reported[-1][1] == film.frames - 6
    command = ["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", str(target)]
    [stream] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["streams"]
    assert (stream["codec_name"], stream["width"], stream["height"]) == (codec, 1920, 1080)
    assert int(stream["nb_read_frames"]) == film.frames
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.usefixtures("needs_tools")
def test_the_browser_reaches_no_network_and_its_page_requests_nothing(tmp_path: Path) -> None:
    page_file = tmp_path / "page.html"
    page_file.write_text("<title>here</title>")
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Handler) as server, headless.open_page(320, 240, 1.0) as page:
        Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        page.call("Page.navigate", url=page_file.as_uri())
        page.until("document.title === 'here'", "the page")
        for address in (f"http://localhost:{port}/", f"http://127.0.0.1:{port}/"):
            reached = page.evaluate(f"fetch('{address}', {{mode: 'no-cors'}}).then(() => 'reached', () => 'not')")
            assert reached == "not"
        assert asked == []
        server.shutdown()
        assert page.picture()[:2] == b"\xff\xd8"

"""A report is one page that carries what it shows, about hostile traces too."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import re
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pytest
from deadline_tasks import LATE, UNDESCRIBED
from drawing import build_drawn
from wastenot.analyzer import AnalyzerError, open_trace
from wastenot.web.local import LocalServer
from wastenot.web.report import LARGEST, NotBuilt, write_report

ROOT = Path(__file__).resolve().parents[3]
STATIC = files("wastenot.web").joinpath("static", "report", "report.js")
built = pytest.mark.skipif(not STATIC.is_file(), reason="pages not built: make .tools/ui")


def archive_of(page: str) -> dict[str, Any]:
    """What a page carries."""
    found = re.search(r'<script type="text/plain" id="archive">([A-Za-z0-9+/=]*)</script>', page)
    assert found
    carried: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(found.group(1))))
    return carried


@built
def test_it_carries_the_verdict_the_worst_episodes_and_what_they_are_played_from(
    wasted_trace: Path, tmp_path: Path
) -> None:
    page = tmp_path / "R.html"
    written = write_report(wasted_trace, page, episodes=3)
    text = page.read_text(encoding="utf-8")
    assert written.bytes == len(text.encode()) < LARGEST
    carried = archive_of(text)
    assert carried["json"]["traces/wasted/verdict"]["wasted"]["core_s"] == pytest.approx(9.92, abs=0.01)
    assert len(carried["episodes"]) == written.episodes == 3
    ends = [(s["start"], s["end"]) for s in carried["stretches"]]
    assert ends and all(a < b for a, b in ends)
    assert all(before[1] <= after[0] for before, after in zip(sorted(ends), sorted(ends)[1:], strict=False))
    assert sum(s["moves"]["rows"] for s in carried["stretches"]) == written.changes > 0
    for number in carried["episodes"]:
        assert carried["json"][f"traces/wasted/episodes/{number}"]["episode"]["episode_id"] == number


@built
def test_it_carries_the_page_of_each_rule_that_answers(wasted_trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "R.html"
    write_report(wasted_trace, page, episodes=3)
    carried = archive_of(page.read_text(encoding="utf-8"))
    diagnoses = [carried["json"][f"traces/wasted/episodes/{n}"]["diagnosis"] for n in carried["episodes"]]
    rules = {f"{of['question']}/{of['rule']}" for d in diagnoses for of in (*d["answers"], *d["repairs"]) if of["rule"]}
    assert set(carried["rules"]) == rules and len(rules) > 2
    for rule, text in carried["rules"].items():
        assert text == (ROOT / "docs/causes" / f"{rule}.md").read_text(encoding="utf-8")


@built
def test_of_a_window_it_carries_that_times_statistics_episodes_and_replay(wasted_trace: Path, tmp_path: Path) -> None:
    trace = tmp_path / "wasted.duckdb"
    shutil.copyfile(wasted_trace, trace)
    with open_trace(trace) as opened:
        found = opened.sql("SELECT start_ns, end_ns FROM verdict").one()
        begin, end = found["start_ns"], found["end_ns"]
        window = (begin + (end - begin) // 3, begin + (end - begin) // 2)
        clipped = "least(start_ns + dur_ns, $b) - greatest(start_ns, $a)"
        sums = opened.sql(
            f"""SELECT (SELECT sum(wasted * ({clipped})) FROM wasted WHERE start_ns < $b AND start_ns + dur_ns > $a)
              AS wasted_ns, (SELECT sum({clipped}) FROM thread_state
              WHERE phase IN (1, 2) AND start_ns < $b AND start_ns + dur_ns > $a) AS wait_ns""",
            {"a": window[0], "b": window[1]},
        ).one()
        longest = opened.sql(
            "SELECT max(dur_ns) AS ns FROM waits() WHERE start_ns < $b AND start_ns + dur_ns > $a",
            {"a": window[0], "b": window[1]},
        ).one()["ns"]
        touching = [e["episode_id"] for e in opened.episodes() if e["start_ns"] < window[1] and e["end_ns"] > window[0]]
    page = tmp_path / "R.html"
    written = write_report(trace, page, episodes=2, window=window)
    carried = archive_of(page.read_text(encoding="utf-8"))
    assert (carried["range"]["start"], carried["range"]["end"]) == window
    selection = carried["json"]["traces/wasted/selection"]
    assert (selection["start_ns"], selection["end_ns"], selection["wait_ns"]) == (*window, sums["wait_ns"])
    assert selection["wasted_core_s"] == pytest.approx(float(sums["wasted_ns"]) / 1e9) and sums["wasted_ns"] > 0
    assert carried["json"]["traces/wasted/latency"]["longest"][0]["dur_ns"] == longest
    assert carried["episodes"] == touching[:2] and touching
    assert carried["stretches"][0]["start"] + begin == window[0] and written.replay_ns is not None
    assert written.replay_ns[0] == window[0] and written.replay_ns[1] <= window[1]
    named = set(carried["tables"]["traces/wasted/threads"]["columns"]["utid"]["n"])
    assert {t["utid"] for t in selection["threads"]} <= named
    whole = archive_of_report(trace, tmp_path)
    assert whole["range"] is None and "traces/wasted/selection" not in whole["json"]
    assert whole["json"]["traces/wasted/verdict"] == carried["json"]["traces/wasted/verdict"]
    with pytest.raises(AnalyzerError, match="lies outside of"):
        write_report(trace, tmp_path / "none.html", window=(end + 1, end + 2))
    assert not (tmp_path / "none.html").exists()


def archive_of_report(trace: Path, folder: Path) -> dict[str, Any]:
    """What the report about a whole trace carries."""
    write_report(trace, folder / "whole.html", episodes=1)
    return archive_of((folder / "whole.html").read_text(encoding="utf-8"))


@built
def test_it_carries_what_held_declared_bubbles(team_trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "R.html"
    write_report(team_trace, page)
    carried = archive_of(page.read_text(encoding="utf-8"))
    assert [b["name"] for b in carried["json"]["traces/team/bubbles?kind=declared"]["bubbles"]] == ["team"]
    (stretch,) = carried["stretches"]
    replay = open_trace(team_trace).bubble_replay()
    state, moves = stretch["holders"]["state"], stretch["holders"]["moves"]
    at = replay.state(stretch["start"])
    assert state["columns"]["holder"]["n"] == at["holder"].to_pylist()
    assert state["columns"]["bubble_id"]["n"] == at["bubble_id"].to_pylist()
    reported, whole = replay.moves(stretch["start"] + 1, stretch["end"] + 1)
    assert whole and moves["rows"] == reported.num_rows > 0
    assert list(itertools.accumulate(moves["columns"]["ts_ns"]["n"])) == reported["ts_ns"].to_pylist()
    for name in ("utid", "holder", "holder_id", "state", "from_holder", "from_state"):
        assert moves["columns"][name]["n"] == reported[name].to_pylist()


@built
def test_the_page_forbids_itself_the_network(wasted_trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "R.html"
    write_report(wasted_trace, page, episodes=1)
    text = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r'<(?:script|link|img|iframe)[^>]*(?:src|href)\s*=\s*["\']?http', text)


@built
def test_names_of_threads_are_never_markup(wasted_trace: Path, tmp_path: Path) -> None:
    hostile = tmp_path / "</title><script>alert(1)</script>.duckdb".replace("/", "_")
    shutil.copyfile(wasted_trace, hostile)
    with duckdb.connect(str(hostile)) as con:
        con.execute("UPDATE thread SET name = '</script><script>alert(2)</script>'")
    page = tmp_path / "R.html"
    write_report(hostile, page)
    text = page.read_text(encoding="utf-8")
    assert "alert(" not in text.replace("&lt;script&gt;alert(1)", "")
    assert text.count("</script>") == 2
    threads = next(t for name, t in archive_of(text)["tables"].items() if name.endswith("/threads"))
    assert "</script><script>alert(2)</script>" in threads["columns"]["name"]["values"]


@built
def test_bad_input_is_refused_in_one_line_and_nothing_is_written(wasted_trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "R.html"
    page.write_text("mine")
    with pytest.raises(AnalyzerError, match="exists already"):
        write_report(wasted_trace, page)
    assert page.read_text() == "mine"
    other = tmp_path / "other.html"
    for source in (tmp_path / "none.duckdb", page):
        with pytest.raises(AnalyzerError):
            write_report(source, other)
    with pytest.raises(AnalyzerError, match="no such folder"):
        write_report(wasted_trace, tmp_path / "none" / "R.html")
    assert not other.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["R.html"]


def test_an_installation_without_pages_says_so(
    wasted_trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wastenot.web.report.files", lambda _: tmp_path)
    with pytest.raises(NotBuilt, match="make build"):
        write_report(wasted_trace, tmp_path / "R.html")


@built
@pytest.mark.parametrize(("drawing", "headline"), [(LATE, "1 of 2 deadlines missed"), (UNDESCRIBED, "Not visible: ")])
def test_it_carries_deadlines_where_a_thread_has_one(tmp_path: Path, drawing: str, headline: str) -> None:
    build_drawn(drawing, tmp_path / "late.duckdb")
    write_report(tmp_path / "late.duckdb", tmp_path / "R.html")
    carried = archive_of((tmp_path / "R.html").read_text(encoding="utf-8"))
    assert carried["json"]["traces/late/deadlines"]["headline"].startswith(headline)


@built
def test_it_carries_no_deadlines_where_no_thread_has_one(team_trace: Path, tmp_path: Path) -> None:
    write_report(team_trace, tmp_path / "R.html")
    carried = archive_of((tmp_path / "R.html").read_text(encoding="utf-8"))
    assert "traces/team/deadlines" not in carried["json"]


@built
def test_the_server_makes_the_page_that_the_command_writes(
    wasted_trace: Path, tmp_path: Path, serve: Callable[..., LocalServer]
) -> None:
    trace = tmp_path / "wasted.duckdb"
    shutil.copyfile(wasted_trace, trace)
    with open_trace(trace) as opened:
        found = opened.sql("SELECT start_ns, end_ns FROM verdict").one()
    window = (found["start_ns"] + 1_000_000_000, found["start_ns"] + 1_500_000_000)
    write_report(trace, tmp_path / "whole.html")
    write_report(trace, tmp_path / "window.html", window=window)
    server = serve([trace])
    whole = server.ask("/api/traces/wasted/report")
    assert (whole.status, whole.headers["content-disposition"]) == (200, "attachment")
    assert (
        whole.headers["content-type"].startswith("text/html") and whole.body == (tmp_path / "whole.html").read_bytes()
    )
    of_window = server.ask(f"/api/traces/wasted/report?start={window[0]}&end={window[1]}")
    assert of_window.body == (tmp_path / "window.html").read_bytes() != whole.body
    outside = server.ask(f"/api/traces/wasted/report?start={found['end_ns'] + 1}&end={found['end_ns'] + 2}")
    assert outside.status in (400, 409, 422) and outside.json()

"""Repeated runs compared: the answer is the object of `wastenot compare --json`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
from drawing import OVERLOADED, build_drawn
from wastenot.analyzer.comparison.baseline import save_baseline
from wastenot.analyzer.comparison.comparison import compare_runs
from wastenot.analyzer.comparison.json_view import comparison_json
from wastenot.analyzer.comparison.runs import read_run
from wastenot.web.local import Serve


def test_the_answer_is_what_the_command_prints(serve: Serve, tmp_path: Path) -> None:
    build_drawn(OVERLOADED, tmp_path / "base-0.duckdb")
    paths = {side: [tmp_path / f"{side}-{i}.duckdb" for i in range(4)] for side in ("base", "new")}
    for side, files in paths.items():
        for i, file in enumerate(files):
            if not file.exists():
                shutil.copy(tmp_path / "base-0.duckdb", file)
            with duckdb.connect(str(file)) as con:
                con.execute(f"UPDATE verdict SET wasted_ns = {1000 * i + (500_000 if side == 'new' else 0)}")
                con.execute(f"UPDATE trace SET start_ns = start_ns + {i + (10 if side == 'new' else 0)}")
    read = {side: [read_run(file) for file in files] for side, files in paths.items()}
    expected = json.loads(json.dumps(comparison_json(compare_runs(read["base"], read["new"]))))
    served = serve([*paths["base"], *paths["new"]])
    query = "&".join(f"{side}={file.stem}" for side, files in paths.items() for file in files)
    answer = served.ask(f"/api/compare/runs?{query}")
    assert answer.status == 200, answer
    found = answer.json()
    assert found["primary"]["changed"] is True and found["primary"]["p"] < 0.05
    del expected["schema"]
    assert found == expected
    assert served.ask(f"/api/compare/runs?{query}").json() == found


def test_a_baseline_is_saved_listed_and_compared_as_its_runs_are(serve: Serve, tmp_path: Path) -> None:
    for n, name in enumerate(("a", "b", "new")):
        build_drawn(OVERLOADED, tmp_path / f"{name}.duckdb")
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as con:
            con.execute(f"UPDATE trace SET start_ns = start_ns + {n}")
            con.execute(f"UPDATE verdict SET wasted_ns = wasted_ns + {1000 * n}")
    ours = tmp_path / "ours"
    save_baseline(ours, [read_run(tmp_path / f"{name}.duckdb") for name in ("a", "b")])
    served = serve([tmp_path])
    assert served.ask("/api/compare/baselines").json() == []
    saved = served.ask("/api/compare/baseline?run=a&run=b")
    assert saved.headers["content-disposition"] == 'attachment; filename="base.json"'
    assert saved.body.decode() == ours.read_text()
    shutil.copy(ours, tmp_path / "ours.json")
    (tmp_path / "base.json").write_bytes(saved.body)
    (tmp_path / "other.json").write_text('{"kind": "something else"}')
    (tmp_path / "cut.json").write_bytes(saved.body[: len(saved.body) // 2])
    listed = {of["name"]: of for of in served.ask("/api/compare/baselines").json()}
    assert list(listed) == ["base.json", "cut.json", "ours.json"]
    assert (listed["base.json"]["runs"], listed["base.json"]["error"]) == (2, None)
    assert listed["cut.json"]["error"].startswith("cut.json: not a baseline (no JSON)")
    by_file = served.ask("/api/compare/runs?baseline=base.json&new=new").json()
    assert by_file == served.ask("/api/compare/runs?base=a&base=b&new=new").json()
    assert [run["name"] for run in by_file["base"]] == ["a.duckdb", "b.duckdb"]
    more = served.ask("/api/compare/runs?baseline=base.json&base=new&new=new").json()
    assert len(more["base"]) == 3

    def refused(query: str) -> tuple[int, str]:
        answer = served.ask(f"/api/compare/runs?{query}")
        return answer.status, answer.json()["error"]

    assert refused("new=new") == (422, "base: no runs; give traces or a baseline")
    assert refused("baseline=base.json&baseline=base.json&new=new")[1].startswith("baseline: a file is given twice")
    assert refused("baseline=base.json&base=a&new=new")[0] == 400, "the same run as one of the baseline"
    assert refused("baseline=none.json&new=new") == (
        404, "baseline 'none.json': no such file; api/compare/baselines lists them",
    )  # fmt: skip
    assert refused("baseline=..%2Fa.json&new=new")[0] == 404
    assert refused("baseline=cut.json&new=new")[0] == 422


def test_sides_that_are_wrong_are_refused_with_a_line(serve: Serve, tmp_path: Path) -> None:
    build_drawn(OVERLOADED, tmp_path / "a.duckdb")
    served = serve([tmp_path / "a.duckdb"])
    assert (
        served.ask("/api/compare/runs?base=a&base=a&new=a").json()["error"].startswith("base: a trace is given twice")
    )
    shutil.copy(tmp_path / "a.duckdb", tmp_path / "copy.duckdb")
    beside = serve([tmp_path / "a.duckdb", tmp_path / "copy.duckdb"])
    refused = beside.ask("/api/compare/runs?base=a&base=copy&new=a")
    assert refused.status == 400 and refused.json()["error"].startswith("copy.duckdb: the same run as a.duckdb")
    assert served.ask("/api/compare/runs?base=a").status == 422
    assert served.ask("/api/compare/runs?base=a&new=b").status == 404

"""What the page draws and says of waste: exactly the tables, with its doubts."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from wastenot.analyzer import CheckOptions, ImportOptions, import_source, open_trace
from wastenot.analyzer.store.opening import open_read_only
from wastenot.analyzer.text.causes import answer_clause, answer_words
from wastenot.web import Settings
from wastenot.web.local import LocalServer, Serve

from .conftest import ROOT

DOCS = ROOT / "docs"
PERF = ROOT / "fixtures/traces/guest-6.1/perf.data"
"""A recording without masks and wakeups, which sees four of eight CPUs."""
WINDOW = "start=69427990000&end=69780200000"


@pytest.fixture(scope="module")
def perf_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("perf") / "perf.duckdb"
    import_source(PERF, target, ImportOptions(), CheckOptions())
    return target


def rows(path: Path, sql: str) -> list[tuple[int, ...]]:
    with open_read_only(path, Settings().trace_memory) as con:
        found: list[tuple[int, ...]] = duckdb.DuckDBPyConnection.execute(con, sql).fetchall()
    return found


def test_wasted_cpus_and_avoidable_waits_are_those_of_the_tables(served: LocalServer, wasted_trace: Path) -> None:
    inside = "start_ns < 69780200000 AND start_ns + dur_ns > 69427990000"
    for asked, table, columns in (
        ("wasted", "wasted_cpu", ("cpu",)),
        ("avoidable", "avoidable_wait", ("utid", "waited_on")),
        ("replay/wasted_cpus", "wasted_cpu", ("cpu",)),
    ):
        answer = served.ask(f"/api/traces/wasted/{asked}?{WINDOW}").arrow()
        origin = 0 if asked.startswith("replay") else int((answer.schema.metadata or {})[b"origin_ns"])
        names = ["cpu" if c == "waited_on" else c for c in columns]
        got = sorted(
            (*(r[n] for n in names), r["start_ns"] + origin, r["dur_ns"]) for r in answer.to_pylist()
        )  # fmt: skip
        reported = rows(wasted_trace, f"SELECT {', '.join(columns)}, start_ns, dur_ns FROM {table} WHERE {inside}")
        assert got == sorted(reported) and got, asked


def test_at_every_instant_as_many_cpus_are_wasted_as_the_replay_counts(served: LocalServer) -> None:
    waste = served.ask("/api/traces/wasted/replay/waste").arrow().to_pylist()
    cpus = served.ask("/api/traces/wasted/replay/wasted_cpus").arrow().to_pylist()
    assert len(waste) > 100
    for interval in waste:
        at = interval["start_ns"]
        assert sum(c["start_ns"] <= at < c["start_ns"] + c["dur_ns"] for c in cpus) == interval["wasted"]


@pytest.mark.parametrize("text", ["episode 3", "Episode 3", "episode #3", "#3", "3"])
def test_search_finds_an_episode_by_what_the_page_calls_it(served: LocalServer, text: str) -> None:
    found = served.ask(f"/api/traces/wasted/search?q={text.replace(' ', '%20').replace('#', '%23')}").json()
    assert (found[0]["kind"], found[0]["id"]) == ("episode", 3)


def test_search_finds_a_thread_by_its_name_and_number_as_lanes_show_them(served: LocalServer) -> None:
    found = served.ask("/api/traces/wasted/search?q=HOG%20407").json()
    assert (found[0]["kind"], found[0]["label"]) == ("thread", "hog (tid 407)")
    assert {item["label"] for item in found} == {"hog (tid 407)", "hog (pid 407)"}


def test_search_for_an_event_or_for_nothing(served: LocalServer) -> None:
    found = served.ask("/api/traces/wasted/search?q=event%2012").json()
    assert [(f["kind"], f["id"]) for f in found] == [("event", 12)]
    assert served.ask("/api/traces/wasted/search?q=episode%20999").json() == []


def test_the_list_of_traces_has_the_doubt_beside_the_share(serve: Serve, wasted_trace: Path, perf_trace: Path) -> None:
    by_id = {row["id"]: row for row in serve([wasted_trace, perf_trace]).ask("/api/traces").json()}
    assert by_id["wasted"]["doubt"] is None
    assert by_id["wasted"]["certain_core_s"] == by_id["wasted"]["wasted_core_s"]
    assert (by_id["perf"]["doubt"], by_id["perf"]["certain_core_s"]) == ("none of it certain", 0)


def test_what_was_not_observed_is_neither_idle_nor_busy_in_the_curve(serve: Serve, perf_trace: Path) -> None:
    server = serve([perf_trace])
    share = server.ask("/api/traces/perf/verdict").json()["data_quality"]["unobserved_share"]
    assert share > 0.5
    for bins in (100, 20_000):  # from the levels of detail, and from the slices
        curve = server.ask(f"/api/traces/perf/curve?bins={bins}").arrow().to_pylist()
        length = sum(r["dur_ns"] for r in curve)
        assert sum(r["unobserved"] * r["dur_ns"] for r in curve) / length / 8 == pytest.approx(share, abs=1e-3)
        assert all(r["busy"] + r["unobserved"] <= 8 + 1e-9 for r in curve)


def test_contradictions_are_in_the_data_quality_that_the_page_reads(serve: Serve, perf_trace: Path) -> None:
    verdict = serve([perf_trace]).ask("/api/traces/perf/verdict").json()
    count = sum(verdict["data_quality"]["contradictions"].values())
    assert any(note.startswith(f"{count} events contradicting") for note in verdict["notes"])


def test_each_part_of_a_cause_has_its_own_proof(served: LocalServer) -> None:
    for e in served.ask("/api/traces/wasted/episodes?grade=all").json():
        page = served.ask(f"/api/traces/wasted/episodes/{e['episode_id']}").json()
        for part in ("placed_by", "not_moved_because", "ended_by"):
            assert page["diagnosis"][f"{part}_proof"] == e[f"{part}_proof"]
            if e[part] != "unknown":
                assert f"{answer_clause(part, e[part])} ({e[f'{part}_proof']})" in page["diagnosis"]["text"]


def test_the_page_has_the_alternatives_of_the_command_line(served: LocalServer, wasted_trace: Path) -> None:
    other = 0
    with open_trace(wasted_trace, Settings().trace_memory) as trace:
        for row in trace.episodes("all").rows():
            found = trace.episode(row["episode_id"])
            said = dict(found.diagnosis()).get("also fits", "")
            answers = served.ask(f"/api/traces/wasted/episodes/{row['episode_id']}").json()["diagnosis"]["answers"]
            for question in ("placed_by", "not_moved_because", "ended_by"):
                others = [
                    a["answer"]
                    for a in answers
                    if a["question"] == question and a["answer"] not in ("unknown", row[question])
                ]
                if others:
                    named = [f"{question.replace('_', ' ')}: {answer_words(question, a)} (" for a in others]
                    assert any(words in said for words in named)
                    other += 1
    assert other > 0


def test_the_answers_of_an_episode_are_those_of_its_attribution(served: LocalServer, wasted_trace: Path) -> None:
    """Chosen answers share the episode's waste; each names a rule that has a page, and what the rule says of proof."""
    with open_trace(wasted_trace, Settings().trace_memory) as trace:
        for row in trace.episodes("all").rows():
            causes = trace.episode(row["episode_id"]).causes.rows()
            d = served.ask(f"/api/traces/wasted/episodes/{row['episode_id']}").json()["diagnosis"]
            for question in ("placed_by", "not_moved_because", "ended_by"):
                of_it = [c for c in causes if c["question"] == question]
                total = sum(c["weight_ns"] for c in of_it if c["chosen"])
                answers = [a for a in d["answers"] if a["question"] == question]
                assert (answers[0]["answer"], answers[0]["chosen"]) == (row[question], True)
                for a in answers:
                    same = [c for c in of_it if all(c[k] == a[k] for k in ("answer", "proof", "chosen"))]
                    assert a["core_ns"] == sum(c["weight_ns"] for c in same)
                    assert a["share"] == pytest.approx(a["core_ns"] / total)
                    assert (a["rule"] is None) == (a["answer"] == "unknown")
                    if a["rule"] is not None:
                        assert (DOCS / f"causes/{question}/{a['rule']}.md").is_file()
                        assert a["proved_by"] and a["refuted_by"]


def test_an_episode_says_which_evidence_would_show_what_is_unknown_of_it(served: LocalServer) -> None:
    """The trace has no load-balance attempts: why threads were not moved is not known."""
    d = served.ask("/api/traces/wasted/episodes/8").json()["diagnosis"]
    assert d["not_moved_because"] == "unknown"
    assert "load_balance_attempts" in d["needs"]
    assert d["needed"].startswith("Why nothing moved") or "load-balance attempts" in d["needed"]


def test_the_parts_of_the_main_reason_make_its_sentence(served: LocalServer) -> None:
    found = served.ask("/api/traces/wasted/verdict").json()
    reason = found["main_reason"]
    assert [a["question"] for a in reason["answers"]] == ["placed_by", "ended_by"]
    for a in reason["answers"]:
        assert f"{a['clause']} ({a['proof']}" in reason["sentence"]
    assert found["text"]["main_reason"].startswith(f"Main reason, {reason['core_s']:.2f} core-s")
    assert found["text"]["headline"].endswith(
        " ".join(p for p in (found["text"][k] for k in ("rest", "severity", "limits")) if p)
    )
    assert found["severity"] in found["text"]["severity"]

"""An episode's cause in words: every answer has its sentence, and each says how sure it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from drawing import build_drawn
from wastenot.analyzer import CheckOptions, open_trace
from wastenot.analyzer.text.causes import EVIDENCE_FOR, FURTHER_EVIDENCE, missing_evidence_text, prevention_sentence
from wastenot.analyzer.text.repairs import repairs, rules

ROOT = Path(__file__).parents[2]

SPLIT = """
    kernel 6.1
    cpus 0-3
    llc 0-1 2-3
    node 0-1 2-3
    window 0us 300ms
    domain MC 0-1 2-3
    0us cpu 0 runs 100
    0us cpu 1 runs 101
    0us cpu 2 idle
    0us cpu 3 idle
    0us name 110 worker
    1ms wakeup 110 on 0
"""
"""A thread that no domain can carry to the idle CPUs."""


@pytest.fixture
def split(tmp_path: Path) -> Path:
    path = tmp_path / "split.duckdb"
    build_drawn(SPLIT, path, CheckOptions())
    return path


def test_an_episode_reads_as_what_happened_why_how_sure_and_what_next(split: Path) -> None:
    with open_trace(split) as trace:
        said = dict(trace.episode(1).diagnosis())
    assert said["what"].startswith("CPU") and "waited on CPU 0" in said["what"]
    assert said["why"] == ("Not moved because no scheduling domain spans both the idle CPU and the busy one (proved).")
    assert said["how"].endswith("(consistent).") and "one last-level cache only" in said["how"]
    assert said["ended"] == "Ended when the recording ended (proved)."
    assert "decision itself was recorded" in said["how sure"]
    assert "sched_load_balance" in said["next"] and "docs/causes/not_moved_because/no-common-domain.md" in said["next"]


def test_the_text_and_the_json_carry_it(split: Path) -> None:
    with open_trace(split) as trace:
        episode, verdict = trace.episode(1), trace.verdict()
    assert "no-common-domain" in str(episode)
    assert all(len(line) <= 80 for line in str(episode).splitlines())
    reported = episode.to_json()
    assert reported["diagnosis"]["why"] and reported["not_moved_because_proof"] == "proved"
    assert {c["question"] for c in reported["causes"]} == {"placed_by", "not_moved_because", "ended_by"}
    (cause,) = [c for c in verdict.to_json()["causes"] if c["not_moved_because"][0]["reason"] == "no_common_domain"]
    assert cause["proof"] == "proved" and cause["core_s"] == pytest.approx(0.299)
    assert "not moved because no scheduling domain spans both" in re.sub(r"\s+", " ", str(verdict))


def test_an_unknown_cause_says_what_to_record(tmp_path: Path) -> None:
    build_drawn(SPLIT.replace("    domain MC 0-1 2-3\n", ""), tmp_path / "T.duckdb", CheckOptions())
    with open_trace(tmp_path / "T.duckdb") as trace:
        said = dict(trace.episode(1).diagnosis())
    assert said["why"].startswith("Not known: the machine's scheduling domains, ")
    assert said["why"].endswith(" would show it.")
    assert said["next"].startswith(
        "Import with `--machine` or `--topology` to declare the machine's scheduling domains. "
    )
    assert (
        " Record load-balance attempts, " in said["next"]
        and ": `wastenot record` provides them where `wastenot doctor` says so, " in said["next"]
    )


def test_what_to_change_is_listed_with_its_source(split: Path) -> None:
    with open_trace(split) as trace:
        episode = trace.episode(1)
        listed = episode.to_json()["repairs"]
    assert [r["rule"] for r in listed if r["question"] == "not_moved_because"] == ["no-common-domain"] * 4
    assert all(r["text"] and r["source"] for r in listed)
    assert listed[0]["kind"] == "cpuset" and "cpuset.sched_load_balance" in listed[0]["text"]
    text = re.sub(r"\s+", " ", str(episode))
    assert all(f"{r['text']}" in text and r["source"] in text for r in listed[:8])


def test_what_a_kernel_has_repaired_is_not_advised_to_it() -> None:
    def advised(kernel: str | None) -> str:
        row = {"grade": "lasting"}
        cause = {"chosen": True, "question": "not_moved_because", "rule": "newidle-cut-off", "weight_ns": 5}
        return " ".join(r["text"] for r in repairs(row, [cause], kernel))

    assert "6.1.160 or later" in advised("6.1.155") and "6.12.64" not in advised("6.1.155")
    assert "6.1.160 or later:" not in advised("6.1.192") and "NO_NI_RANDOM" in advised("6.1.192")
    assert "6.12.64 or later:" in advised("6.12.50-amd64") and "6.1.160 or later:" not in advised("6.12.50-amd64")
    assert "6.1.160 or later:" in advised(None) and "NO_NI_RANDOM" not in advised("5.10.0-42-amd64")


def test_answers_of_a_small_share_bring_no_advice() -> None:
    causes = [
        {"chosen": True, "question": "not_moved_because", "rule": "cache-hot", "weight_ns": 96},
        {"chosen": True, "question": "not_moved_because", "rule": "all-pinned", "weight_ns": 4},
        {"chosen": False, "question": "not_moved_because", "rule": "found-balance", "weight_ns": 900},
        {"chosen": True, "question": "placed_by", "rule": None, "weight_ns": 100},
    ]
    assert {r["rule"] for r in repairs({"grade": "lasting"}, causes, "6.1.0")} == {"cache-hot"}


ABSENT: list[dict[str, object]] = [
    {"kind": kind, "state": "absent", "why": None} for kinds in EVIDENCE_FOR.values() for kind in kinds
]
FURTHER: list[dict[str, object]] = [
    {"kind": kind, "state": "recorded"} for kinds in FURTHER_EVIDENCE.values() for kind in kinds
]
UNKNOWN = {"placed_by": "wakeup", "not_moved_because": "unknown", "ended_by": "window_end"}


def trace_row(**more: object) -> dict[str, object]:
    return {"source": "perf", "kernel": "6.1.0-56-amd64", "has_domains": True} | more


def test_unknown_domains_are_named_before_what_only_a_new_recording_has() -> None:
    assert missing_evidence_text(UNKNOWN, ABSENT, trace_row(has_domains=False)) == (
        "Why nothing moved it earlier is not known: the machine's scheduling domains, load-balance attempts, kicks of "
        "idle CPUs or the load balancer's counters would show it. Import with `--machine` or `--topology` to declare "
        "the domains; `wastenot record` provides the others where `wastenot doctor` says so, and so does a function "
        "probe on load_balance (docs/formats.md)."
    )
    assert "--machine" not in missing_evidence_text(UNKNOWN, ABSENT, trace_row())
    assert "--machine" not in missing_evidence_text(UNKNOWN, ABSENT, trace_row(source="ebpf", has_domains=False))
    moved = {**UNKNOWN, "not_moved_because": "affinity", "ended_by": "unknown"}
    assert "--machine" not in missing_evidence_text(moved, ABSENT, trace_row(has_domains=False))


def test_evidence_recorded_in_part_is_asked_for_as_more_of_it() -> None:
    def states(**state: str) -> list[dict[str, object]]:
        return [row | {"state": state.get(str(row["kind"]), "recorded")} for row in ABSENT]

    partial = states(load_balance_attempts="partial", load_balance_kicks="absent")
    assert missing_evidence_text(UNKNOWN, partial, trace_row()) == (
        "Why nothing moved it earlier is not known: more load-balance attempts or kicks of idle CPUs would show it. "
        "`wastenot record` provides them where `wastenot doctor` says so."
    )
    recorded = missing_evidence_text(UNKNOWN, states() + FURTHER, trace_row(has_domains=False))
    assert recorded.endswith(
        "not known: the machine's scheduling domains would show it. "
        "Import with `--machine` or `--topology` to declare the domains."
    )


def test_further_evidence_is_named_where_the_usual_does_not_answer() -> None:
    usual: list[dict[str, object]] = [row | {"state": "recorded"} for row in ABSENT]
    assert missing_evidence_text(UNKNOWN, usual, trace_row(source="ebpf")) == (
        "Why nothing moved it earlier is not known: what load-balance attempts examined or changes of the scheduling "
        "domains would show it. `wastenot doctor` says whether a machine can record them."
    )
    simulated = missing_evidence_text(UNKNOWN, usual, trace_row(source="simulation"))
    assert simulated.endswith("The simulator does not write them.")
    everything = missing_evidence_text(UNKNOWN, usual + FURTHER, trace_row(source="ebpf"))
    assert everything == (
        "Not known although all evidence that could show it was recorded: why nothing moved it earlier."
    )


@pytest.mark.parametrize(
    ("kernel", "function"),
    [
        ("4.19.0", "load_balance"),
        ("6.9.12", "load_balance"),
        ("6.10.0-rc1", "sched_balance_rq"),
        ("7.2", "sched_balance_rq"),
        (None, "sched_balance_rq (load_balance before 6.10)"),
        ("", "sched_balance_rq (load_balance before 6.10)"),
    ],
)
def test_the_function_to_probe_is_that_of_the_release(kernel: str | None, function: str) -> None:
    assert f"a function probe on {function} (docs/formats.md)" in missing_evidence_text(
        UNKNOWN, ABSENT, trace_row(kernel=kernel)
    )


def test_every_rule_has_a_page() -> None:
    for (question, name), rule in rules().items():
        page = (ROOT / f"docs/causes/{question}/{name}.md").read_text(encoding="utf-8")
        assert rule["kernels"] in page or rule["kernels"] == "all"


EITHER = "Either another placement or another decision of the balancer would have prevented"


@pytest.mark.parametrize(
    ("placement", "balancing", "either", "said"),
    [
        (
            *(0.6, 0.4, 0.0),
            "Another placement would have prevented 60.0 % of it; another decision of the balancer a further 40.0 %: "
            "to prevent all of that takes both.",
        ),
        (1.0, 1.0, 1.0, f"{EITHER} 100.0 % of it."),
        (1.0, 0.6, 0.6, f"{EITHER} 60.0 % of it; another placement a further 40.0 %."),
        (0.6, 0.02, 0.0, "Another placement would have prevented 60.0 % of it."),
        (0.02, 0.02, 0.0, ""),
    ],
)
def test_a_verdict_says_where_it_takes_both_decisions(
    placement: float, balancing: float, either: float, said: str
) -> None:
    prevented = {"placement": placement, "balancing": balancing, "either": either}
    assert prevention_sentence(prevented, "cache_hot") == said

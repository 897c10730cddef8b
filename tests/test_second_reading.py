"""The second reading of proved answers (bench/attribution/second_reading.py) refutes what is not true of a trace."""

from __future__ import annotations

from typing import Any

import pytest

from bench.attribution.corpus import OUTERMOST, proved_rows
from bench.attribution.recordings import checked
from bench.attribution.rig import KEPT
from bench.attribution.second_reading import CONDITIONS, not_shown, placements_not_shown

PROVED = f"""
    SELECT a.*, e.start_ns, e.end_ns FROM attribution a JOIN ({OUTERMOST}) e USING (episode_id)
    WHERE chosen AND question_name(question) = 'not_moved_because' AND proof_name(a.proof) = 'proved'"""


@pytest.mark.parametrize(
    ("name", "answer", "others"),
    [
        ("scx-held-7.3-8", "ext_held", "ext_local_queue ext_not_kicked ext_not_dispatched ext_bypass no_common_domain"),
        ("scx-no-kick@simple-7.3-8", "ext_not_kicked", "ext_held ext_local_queue ext_kick_late ext_not_dispatched"),
        ("scx-realtime-7.3-8", "ext_behind_realtime", "ext_held ext_not_kicked realtime_behind_lower ext_bypass"),
        ("scx-local-queue-7.3-8", "ext_local_queue", "ext_behind_realtime ext_held ext_not_kicked no_common_domain"),
        ("no-common-domain-6.1-8", "no_common_domain", "newidle_cut_off newidle_pulled_nothing sched_ext"),
        ("none-overloaded-7.3-faults-8", "newidle_none_overloaded", "newidle_wakeup_pending newidle_pulled_nothing"),
        ("wakeup-pending-7.3-faults-8", "newidle_wakeup_pending", "newidle_none_overloaded newidle_too_short"),
        ("scx-select-cpu-7.3-8", "ext_bypass", "ext_held no_common_domain"),
        ("scx-dispatch-7.3-8", "ext_not_dispatched", "ext_held ext_local_queue ext_bypass"),
        ("scx-late-kick-7.3-8", "ext_kick_late", "ext_held ext_not_kicked ext_local_queue ext_not_dispatched"),
        ("scx-cgroups-7.3-8", "ext_not_granted", "ext_bypass ext_behind_realtime no_common_domain"),
        ("scx-lazy-7.2-8", "sched_ext", "ext_local_queue ext_held ext_bypass"),
        ("placements-6.12-8", "newidle_pulled_nothing", "newidle_cut_off newidle_none_overloaded no_common_domain"),
        ("released-7.2-8", "periodic_did_not_run", "no_common_domain misbuilt_groups newidle_pulled_nothing"),
        ("advice-hot-6.1-8", "cache_hot", "no_common_domain misbuilt_groups"),
        ("advice-interval-6.1-8", "newidle_cut_off", "newidle_pulled_nothing realtime_behind_lower no_common_domain"),
    ],
)
def test_it_speaks_for_the_answer_and_against_others(name: str, answer: str, others: str) -> None:
    with checked(KEPT / f"{name}.part") as trace:
        rows: list[dict[str, Any]] = [row for row in trace.sql(PROVED).rows() if row["answer"] == answer]
        proved = sum(row["weight_ns"] for row in rows)
        assert proved > 50_000_000
        assert not_shown(trace, rows)[answer] <= proved / 100
        for other in others.split():
            assert other in CONDITIONS
            missing = not_shown(trace, [row | {"answer": other} for row in rows])[other]
            assert missing > 0.9 * proved, other


@pytest.mark.parametrize("kernel", ["6.1", "6.12", "7.3"])
def test_wakeups_beside_a_busy_cache_are_read_again(kernel: str) -> None:
    """The keynote's database: no CPU of the cache of the workers is idle, one of the other node is."""
    with checked(KEPT.with_name("kernel-faults") / f"keynote-database-{kernel}.part") as trace:
        rows = [row for row in proved_rows(trace, question="placed_by") if row["answer"] == "wakeup_one_llc"]
        proved = sum(row["weight_ns"] for row in rows)
        assert proved > 1_000_000_000
        assert placements_not_shown(trace, rows).total() <= proved / 1000
        # Without the choice nothing is known; of another answer nothing is shown.
        unseen = [row | {"event_ids": row["event_ids"][:1]} for row in rows]
        assert placements_not_shown(trace, unseen).total() == proved
        assert placements_not_shown(trace, [row | {"answer": "wakeup_scan_cut"} for row in rows]).total() == proved


def test_wakeups_that_left_an_idle_cpu_of_their_cache_did_not_find_it_busy() -> None:
    with checked(KEPT / "placements-6.12-8.part") as trace:
        rows = [row for row in proved_rows(trace, question="placed_by") if row["answer"] == "wakeup_scan_cut"]
        proved = sum(row["weight_ns"] for row in rows)
        assert proved > 50_000_000
        assert placements_not_shown(trace, [row | {"answer": "wakeup_one_llc"} for row in rows]).total() > 0.9 * proved


def test_of_answers_without_a_condition_nothing_is_shown() -> None:
    with checked(KEPT / "all-hot-6.1-8.part") as trace:
        answer = "nohz_kick_late"
        assert answer not in CONDITIONS
        rows = [row | {"answer": answer} for row in trace.sql(PROVED).rows()]
        assert not_shown(trace, rows)[answer] == sum(row["weight_ns"] for row in rows) > 0


def test_attempts_that_come_too_seldom_explain_no_wait() -> None:
    """Kicks are missed there: attempts are not made when they are due, whatever those that are made find."""
    with checked(KEPT.with_name("kernel-faults") / "missed-nohz-kick-6.12.part") as trace:
        query = PROVED.replace("proof_name(a.proof) = 'proved'", "answer = 'nohz_kick_missing'")
        missed = trace.sql(query).rows()
        total = sum(row["weight_ns"] for row in missed)
        for answer in ("cache_hot", "found_balance"):
            assert not_shown(trace, [row | {"answer": answer} for row in missed])[answer] > 0.9 * total > 0


def test_threads_that_were_left_for_another_reason_are_not_pinned() -> None:
    with checked(KEPT.with_name("kernel-faults") / "contended-lock-7.3.part") as trace:
        rows = [row for row in trace.sql(PROVED).rows() if row["answer"] == "found_balance"]
        total = sum(row["weight_ns"] for row in rows)
        assert not_shown(trace, rows)["found_balance"] < 0.01 * total
        assert not_shown(trace, [row | {"answer": "all_pinned"} for row in rows])["all_pinned"] > 0.9 * total > 0

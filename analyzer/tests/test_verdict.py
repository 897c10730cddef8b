"""The verdict: one sentence first, figures that sum, and the JSON object of the contract."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from wastenot.analyzer import Verdict, open_trace
from wastenot.analyzer.render.terminal import as_text
from wastenot.analyzer.text.cause_rows import cause_rows
from wastenot.analyzer.text.sentences import Headline, _looks_pinned, headline, headline_parts, verdict_text
from wastenot.schemas.generated.enums import ExtChange, ExtSchedulerChange

MakeTrace = Callable[..., Path]
CERTAIN = "UPDATE verdict SET certain_ns = wasted_ns; UPDATE wasted SET certain = wasted; DELETE FROM data_quality;"
RECORDED = "UPDATE evidence SET state = 'recorded', why = NULL WHERE list_contains(excuse_values(), kind);"
NOTHING = """UPDATE verdict SET wasted_ns = 0, certain_ns = 0, wall_wasted_ns = 0,
             idle_while_waiting_ns = {idle_while_waiting};
             UPDATE wasted SET wasted = 0, certain = 0, idle_while_waiting = {cores}; DELETE FROM episode;
             DELETE FROM episode_pair;
             UPDATE verdict_grade SET core_ns = 0, episodes = 0;"""
ONLY_NOISE = """DELETE FROM episode WHERE episode_id < 3; DELETE FROM episode_pair;
                UPDATE verdict_grade SET core_ns = 0, episodes = 0 WHERE grade > 0;"""


WHY = (
    " Severity: persistent (over 100 ms or 3 balance intervals). Main reason, 2.40 core-s (96.0 %): queued there by "
    "a wakeup (consistent); ended when the periodic balancer moved a thread (proved). Another placement would have "
    "prevented 79.2 % of it."
)
IF_SO = WHY.replace("Severity:", "Severity, if so:")


def verdict_of(path: Path) -> Verdict:
    with open_trace(path) as trace:
        return trace.verdict()


def test_the_sentence_leads_with_what_is_certain_and_names_what_is_assumed(make_trace: MakeTrace) -> None:
    assert verdict_of(make_trace()).sentence() == (
        "1.0 of 8 cores wasted for 1.50 s (1.50 core-s, 1.88 % of the machine in 10.0 s), certain but for 1 "
        "excuse not recorded; 1.00 core-s more if one thread with unknown affinity may run on any CPU." + WHY
    )


def test_a_wholly_certain_verdict_says_just_that(make_trace: MakeTrace) -> None:
    assert verdict_of(make_trace(CERTAIN + RECORDED)).sentence() == (
        "1.7 of 8 cores wasted for 1.50 s (2.50 core-s, 3.12 % of the machine in 10.0 s), certain." + WHY
    )


def test_a_verdict_on_unknown_masks_alone_is_not_called_certain(make_trace: MakeTrace) -> None:
    more = RECORDED + "UPDATE verdict SET certain_ns = 0; UPDATE wasted SET certain = 0"
    sentence = verdict_of(make_trace(more)).sentence()
    assert sentence.startswith("1.7 of 8 cores wasted for 1.50 s (2.50 core-s")
    assert sentence.endswith(
        "none of it certain: assumes that one thread with unknown affinity may run on any CPU." + IF_SO
    )


def test_a_trace_that_shows_few_excuses_is_certain_as_to_those(make_trace: MakeTrace) -> None:
    few = "list_contains(excuse_values(), kind) AND kind NOT IN ('per_cpu_thread', 'affinity')"
    more = CERTAIN + f"UPDATE evidence SET state = 'absent', why = 'no masks' WHERE {few}"
    found = verdict_of(make_trace(more))
    assert "certain but for 6 excuses not recorded." in found.sentence()
    assert "excuses: migration disabled, outside its cpuset, no quota left, " in " ".join(str(found).split())


def test_a_verdict_with_everything_excused_names_the_excuses(make_trace: MakeTrace) -> None:
    more = RECORDED + NOTHING.format(idle_while_waiting=5_000_000_000, cores=1)
    assert verdict_of(make_trace(more)).sentence() == (
        "No core wasted: CPUs were idle beside waiting threads for 5.00 core-s in 10.0 s, all of it excused "
        "(outside its affinity mask, no quota left)."
    )


def test_nothing_at_all_is_said_plainly(make_trace: MakeTrace) -> None:
    more = RECORDED + NOTHING.format(idle_while_waiting=0, cores=0)
    assert verdict_of(make_trace(more)).sentence() == (
        "No core wasted: in 10.0 s on 8 CPUs none was idle beside a waiting thread."
    )


def test_short_gaps_are_not_made_into_a_lasting_finding(make_trace: MakeTrace) -> None:
    assert (
        verdict_of(make_trace(ONLY_NOISE))
        .sentence()
        .startswith("No lasting waste, only short intervals: 1.0 of 8 cores")
    )


def test_the_headline_is_its_parts_as_one_text(make_trace: MakeTrace) -> None:
    found = verdict_of(make_trace(CERTAIN + RECORDED))
    parts = headline_parts(found)
    assert parts == Headline(
        doubt="",
        head="1.7 of 8 cores wasted for 1.50 s",
        amount="2.50 core-s, 3.12 % of the machine in 10.0 s",
        rest="certain.",
        severity="Severity: persistent (over 100 ms or 3 balance intervals).",
    )
    text = verdict_text(found)
    assert text.headline == f"{text.head} ({text.amount}), {text.rest} {text.severity}"
    assert text.prevented and text.main_reason.endswith(f" {text.prevented}")

    unverified = verdict_of(make_trace("UPDATE trace SET unverified = ['one (1); two']", "unverified.duckdb"))
    in_doubt = headline_parts(unverified)
    assert (in_doubt.doubt, in_doubt.head) == (
        "unverified: one (1); two",
        "As reconstructed, 1.7 of 8 cores wasted for 1.50 s",
    )
    assert headline(unverified) == (
        "unverified: one (1); two. As reconstructed, 1.7 of 8 cores wasted for 1.50 s "
        "(2.50 core-s, 3.12 % of the machine in 10.0 s); nothing of it is certain."
    )
    nothing = RECORDED + NOTHING.format(idle_while_waiting=0, cores=0)
    none = headline_parts(verdict_of(make_trace(nothing, "none.duckdb")))
    assert (none.head, none.amount) == ("No core wasted", "")


def test_the_json_object_is_that_of_the_contract(make_trace: MakeTrace) -> None:
    found = json.loads(json.dumps(verdict_of(make_trace()).to_json()))
    assert found["trace"] == {
        "source": "ebpf",
        "kernel": "6.1.0",
        "preemption": None,
        "sched_ext": None,
        "cpus": 8,
        "start_ns": 0,
        "end_ns": 10_000_000_000,
        "events": 11,
        "evidence_level": "L1",
        "evidence": found["trace"]["evidence"],
    }
    state = {e["kind"]: e["state"] for e in found["trace"]["evidence"]}
    assert (state["migrations"], state["cpus_scanned"], state["affinity"], state["cookie"]) == (
        "recorded", "absent", "recorded", "absent",
    )  # fmt: skip
    assert found["schema"] == 3
    wasted = found["wasted"]
    assert list(wasted) == [
        "core_s",
        "certain_core_s",
        "idle_while_waiting_core_s",
        "share",
        "lower_bound",
        "excused_core_s",
    ]
    assert (wasted["core_s"], wasted["certain_core_s"], wasted["idle_while_waiting_core_s"]) == (2.5, 1.5, 4.5)
    assert wasted["share"] == 2.5 / 80
    assert list(wasted["excused_core_s"]) == [
        "per_cpu_thread",
        "migration_disabled",
        "cpuset",
        "affinity",
        "throttled",
        "isolated",
        "cookie",
        "irq_busy",
    ]
    assert wasted["idle_while_waiting_core_s"] - wasted["core_s"] == sum(wasted["excused_core_s"].values())
    assert list(found["episodes"]) == ["noise", "in_flight", "expected", "lasting", "persistent", "recurrent"]
    assert all(set(g) == {"count", "core_s"} for g in found["episodes"].values())
    assert [set(c) for c in found["causes"]] == [
        {
            "placed_by", "not_moved_because", "ended_by", "proof", "core_s", "episodes", "sentence", "needs",
            "placed_by_proof", "not_moved_because_proof", "ended_by_proof", "prevented",
        }
    ] * 2  # fmt: skip
    assert found["recurrent_causes"] == []
    assert set(found["worst"][0]) == {
        "id",
        "start_ns",
        "end_ns",
        "core_s",
        "grade",
        "severity",
        "idle_cpus",
        "overloaded_cpus",
        "threads",
    }
    assert found["severity"] == "persistent"
    assert found["severities"] == {
        "persistent": {"count": 1, "core_s": 2.4},
        "lasting": {"count": 1, "core_s": 0.099},
        "expected": {"count": 0, "core_s": 0.0},
    }
    assert found["thresholds_ns"] == {}
    assert found["worst"][0]["threads"][0] == {"utid": 1, "tid": 100, "name": "make", "core_s": 1.0}
    assert found["data_quality"] == {
        "lost_events": 0,
        "unobserved_share": 0.0,
        "unknown_mask_threads": 1,
        "rejected": {"unknown cpu": 2},
        "contradictions": {},
        "repaired": {},
        "placements_inferred": 3,
        "idle_with_queue_share": 0.0,
        "suspect": [],
        "unverified": [],
        "notes": [],
        "not_seen": [],
        "silent_cpus": [],
        "looks_pinned": [],
        "bubbles": {},
    }


def test_the_json_object_keeps_its_keys_when_there_is_nothing_to_say(make_trace: MakeTrace) -> None:
    empty = (
        NOTHING.format(idle_while_waiting=0, cores=0)
        + "DELETE FROM data_quality; DELETE FROM excuse_ledger; DELETE FROM verdict_grade"
    )
    found = verdict_of(make_trace(empty)).to_json()
    assert len(found["wasted"]["excused_core_s"]) == 8
    assert found["episodes"]["recurrent"] == {"count": 0, "core_s": 0.0}
    assert (found["causes"], found["worst"], found["data_quality"]["rejected"]) == ([], [], {})


def test_the_text_fits_eighty_columns_and_begins_with_the_sentence(make_trace: MakeTrace) -> None:
    found = verdict_of(make_trace())
    lines = str(found).splitlines()
    first, second = (" ".join(text.split()) for text in str(found).split("\n\n")[:2])
    assert f"{first} {second}".startswith(found.sentence())
    commands = [line for line in lines if "wastenot " in line]
    assert [line for line in lines if len(line) > 80 and line not in commands] == []
    assert "\x1b" not in str(found)
    assert "wastenot episode" in str(found)


@pytest.mark.parametrize("cpus", [64, 1024])
def test_large_machines_still_fit(make_trace: MakeTrace, cpus: int) -> None:
    more = f"UPDATE episode SET idle_cpus = range(1, {cpus}, 2), overloaded_cpus = range(0, {cpus}, 2)"
    lines = as_text(verdict_of(make_trace(more))).splitlines()
    assert [line for line in lines if len(line) > 80 and "wastenot " not in line] == []
    assert len(lines) <= 60


def test_what_is_wasted_and_why_comes_before_what_is_excused_and_not_recorded(make_trace: MakeTrace) -> None:
    paragraphs = [" ".join(text.split()) for text in str(verdict_of(make_trace())).split("\n\n")]
    assert paragraphs[0].startswith("1.0 of 8 cores wasted")
    assert paragraphs[1] == (
        "Main reason, 2.40 core-s (96.0 %): queued there by a wakeup (consistent); ended when the periodic balancer "
        "moved a thread (proved). Another placement would have prevented 79.2 % of it. Why nothing moved it earlier is "
        "not known: load-balance attempts, kicks of idle CPUs or the load balancer's counters would show it. "
        "`wastenot doctor` says whether a machine can record them."
    )
    assert paragraphs[2].startswith(
        "Excused: 2.00 core-s (outside its affinity mask 1.50 core-s, no quota left 0.500 core-s). Not recorded: "
        "load-balance attempts, "
    )


@pytest.mark.parametrize(("recorded", "said"), [("true", False), ("false", True)])
def test_a_verdict_says_where_the_decisions_of_a_sched_ext_scheduler_are_not_recorded(
    make_trace: MakeTrace, recorded: str, said: bool
) -> None:
    change = "(SELECT code FROM range(9) r(code) WHERE ext_change_name(code) = 'enabled')"
    row = f"SELECT 1, 0, 0, {change}, 'simple', false, {recorded}"
    insert = f"INSERT INTO ext_state (id, ts_ns, cpu, change, name, partial, recorded) {row}"
    text = " ".join(str(verdict_of(make_trace(insert))).split())
    assert ("what a sched_ext scheduler decides" in text) == said


def test_why_something_is_not_recorded_is_said_once_by_a_verdict_and_by_an_episode(make_trace: MakeTrace) -> None:
    path = make_trace()
    assert "Not recorded here" not in str(verdict_of(path))
    with open_trace(path) as trace:
        said = dict(trace.episode(1).diagnosis())
    assert "Not recorded here" not in said["why"]
    assert said["next"].endswith(
        "Not recorded here: load-balance attempts, kicks of idle CPUs, the load balancer's counters (not asked for)."
    )


def test_the_main_reason_is_a_part_of_the_json_object(make_trace: MakeTrace) -> None:
    found = verdict_of(make_trace()).to_json()
    reason = found["main_reason"]
    assert reason | {"share": 0.96, "episode": 1} == reason
    assert {k: reason[k] for k in found["causes"][0]} == found["causes"][0]
    assert verdict_of(make_trace(ONLY_NOISE, "noise.duckdb")).to_json()["main_reason"] is None


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("ebpf", "`wastenot doctor` says whether a machine can record them."),
        ("simulation", "`wastenot simulate --evidence-level L2` writes them."),
        (
            "perf",
            "Import with `--machine` or `--topology` to declare the domains; `wastenot record` provides the others "
            "where `wastenot doctor` says so, and so does a function probe on load_balance (docs/formats.md).",
        ),
    ],
)
def test_what_is_not_known_says_how_to_record_it(make_trace: MakeTrace, source: str, says: str) -> None:
    assert says in " ".join(str(verdict_of(make_trace(f"UPDATE trace SET source = '{source}'"))).split())


def test_causes_that_are_not_shown_are_added_up_without_the_recurrent_ones(make_trace: MakeTrace) -> None:
    def episodes(first: int, count: int, grade: int, core_ns: int) -> str:
        """Episodes that differ in how their threads came to wait: as many causes."""
        return f"""INSERT INTO episode SELECT episode.* REPLACE (
                   {first} + n AS episode_id, {grade} AS grade, n + 2 AS placed_by,
                   {core_ns} AS core_ns, {core_ns} AS total_core_ns) FROM episode, range({count}) AS r(n)
                   WHERE episode_id = 2;"""

    timed, recurrent = episodes(10, 6, 3, 10_000_000), episodes(20, 3, 5, 800_000_000)
    found = verdict_of(make_trace(timed + recurrent))
    assert len(found.causes) == 11
    note = "2 more causes: 0.02 core-s; 3 more causes: 2.40 core-s*; * of recurrent episodes"
    assert note in " ".join(str(found).split())
    assert f"<p>{note}</p>" in found._repr_html_()


def test_a_notebook_and_a_terminal_show_the_same_rows_of_causes(make_trace: MakeTrace) -> None:
    found = verdict_of(make_trace("UPDATE episode SET grade = 5 WHERE episode_id = 2"))
    html, text = found._repr_html_(), str(found)
    rows = cause_rows(found.causes)
    assert {row[-1][-1] == "*" for row in rows} == {False, True}
    for row in rows:
        assert "".join(f"<td>{cell}</td>" for cell in row) in html
        assert row[-1] in text


def test_groups_of_threads_that_look_pinned_are_one_remark() -> None:
    group = {"name": "hog", "threads": 8, "cpus": [0, 1], "elsewhere_ns": 0, "avoidable_wait_ns": 12_100_000_000}
    (one,) = _looks_pinned([group])
    assert one == (
        "hog (8 threads) looks pinned to CPU 0-1: it ran nowhere else, and waited 12.1 core-s beside idle CPUs; if it "
        "is pinned, import with --affinity hog=0-1"
    )
    (two,) = _looks_pinned([group, {**group, "name": "cc1"}])
    assert two.startswith("2 groups of threads look pinned: hog (8 threads)") and two.endswith(
        "if they are, import with --affinity hog=0-1 --affinity cc1=0-1"
    )


def test_losses_and_a_crash_are_remarked(make_trace: MakeTrace) -> None:
    more = """UPDATE trace SET complete = false, end_reason = 'crash (recovered)';
              INSERT INTO lost_events VALUES (12, 0, 5, 3, 7, 'sched_switch'), (13, 0, 5, 3, NULL, 'any');"""
    found = verdict_of(make_trace(more))
    text = " ".join(str(found).split())
    assert "cut off (crash (recovered)); it reaches 10.0 s" in text
    assert "8 events lost on CPU 3" in text
    assert found.to_json()["data_quality"]["lost_events"] == 8


def test_names_with_markup_in_them_are_printed_as_they_are(make_trace: MakeTrace) -> None:
    text = str(verdict_of(make_trace("UPDATE thread SET name = '[red]x[/]' WHERE utid = 1")))
    assert "[red]x[/]" in text


def test_the_notebook_view_escapes_and_has_the_same_sections(make_trace: MakeTrace) -> None:
    html = verdict_of(make_trace("UPDATE thread SET name = '<b>' WHERE utid = 1"))._repr_html_()
    assert "&lt;b&gt;" in html and "<b>" not in html
    assert "1.0 of 8 cores wasted" in html and "persistent" in html and "Data quality" in html


ONE_WASTE = """UPDATE episode SET part_of = 2, start_ns = 2400000000, end_ns = 2499000000 WHERE episode_id = 1;
               UPDATE episode SET severity = 4, total_core_ns = 2499000000 WHERE episode_id = 2;"""


def test_one_waste_is_one_row_with_one_amount(make_trace: MakeTrace) -> None:
    found = verdict_of(make_trace(ONE_WASTE + "DELETE FROM episode WHERE episode_id = 3"))
    assert [(e["episode_id"], e["severity"]) for e in found.worst] == [(2, "persistent")]
    assert found.to_json()["worst"][0]["core_s"] == 2.499
    assert found.at_least("persistent") == (1, 2_499_000_000)
    assert sum(c["episodes"] for c in found.causes) == 2, "one of each cause, of the same waste"
    with open_trace(found.path) as trace:
        assert [e["episode_id"] for e in trace.episodes()] == [2]
        assert [e["episode_id"] for e in trace.episodes("all")] == [2, 1]
        assert [e["episode_id"] for e in trace.episodes(severity="expected")] == [2]


def test_a_proof_stands_beside_the_answer_that_it_proves(make_trace: MakeTrace) -> None:
    more = """UPDATE episode SET not_moved_because =
                  list_position(not_moved_because_values(), 'periodic_did_not_run') - 1,
                  not_moved_because_proof = 1, placed_by_proof = 2
              WHERE episode_id = 1"""
    text = " ".join(str(verdict_of(make_trace(more))).split())
    assert (
        "queued there by a wakeup (proved); not moved because no load-balance attempt was made in time over a domain "
        "that spans both CPUs (consistent); ended when the periodic balancer moved a thread (proved)." in text
    )


def test_other_thresholds_are_said_by_every_later_verdict(make_trace: MakeTrace) -> None:
    found = verdict_of(make_trace("""UPDATE verdict SET options = '{"thresholds_ns": {"lasting": 8000000}}'"""))
    assert headline(found).endswith(
        " Graded with other thresholds than the definition's: lasting 8.00 ms (--threshold)."
    )
    assert found.to_json()["thresholds_ns"] == {"lasting": 8_000_000}
    assert "`wastenot check" in " ".join(str(found).split())


ENABLED = get_args(ExtChange).index("enabled")
STATE = f"INSERT INTO ext_state VALUES ({{id}}, {{at}}, NULL, {ENABLED}, 'simple', false, true);"


def changed(id: int, at: int, name: str, change: ExtSchedulerChange = "loaded", cgroup: str = "NULL") -> str:
    code = get_args(ExtSchedulerChange).index(change)
    return f"INSERT INTO ext_scheduler VALUES ({id}, {at}, NULL, {cgroup}, {code}, {name}, true);"


def counted(*readings: tuple[int, int, str, int]) -> str:
    rows = ", ".join(f"({id}, {at}, NULL, NULL, 'SCX_EV_{name}', {value})" for id, at, name, value in readings)
    return f"INSERT INTO ext_counter VALUES {rows};"


def sched_ext_of(path: Path) -> str | None:
    with open_trace(path) as trace:
        found: str | None = trace.verdict().to_json()["trace"]["sched_ext"]
        assert (found is None) == ("sched_ext" not in dict(verdict_text(trace.verdict()).figures))
        return found


def test_a_sched_ext_scheduler_is_named_and_those_of_cgroups_too(make_trace: MakeTrace) -> None:
    assert sched_ext_of(make_trace()) is None
    first = STATE.format(id=900, at=0) + changed(901, 0, "'simple'")
    assert sched_ext_of(make_trace(first)) == "simple"
    more = changed(902, 5, "'part'", cgroup="42")
    more += changed(903, 9, "NULL", "stall", "42")
    assert sched_ext_of(make_trace(first + more)) == "simple; of cgroups: part", "that one's end is not the end of all"
    ended = changed(904, 2_000_000, "NULL", "stall")
    assert sched_ext_of(make_trace(first + ended)) == (
        "simple; after 2.00 ms ended by the watchdog: a thread that could run did not for too long"
    )


def test_counters_of_a_sched_ext_scheduler_count_from_its_first_reading_or_its_start(make_trace: MakeTrace) -> None:
    first = STATE.format(id=900, at=0) + changed(901, 0, "'simple'")
    before = counted((902, 0, "A", 1000), (903, 5, "A", 1007), (904, 5, "B", 0), (905, 5, "X_DURATION", 9**9))
    assert sched_ext_of(make_trace(first + before)) == "simple; the kernel counted A 7 (table ext_counter)"
    again = changed(906, 8, "'simple'")
    again += counted((907, 8, "A", 5), (908, 9, "A", 900), (909, 9, "C", 2), (910, 9, "D", 2), (911, 9, "E", 1))
    assert sched_ext_of(make_trace(first + before + again)) == (
        "simple; the kernel counted A 907, C 2, D 2, 1 more (table ext_counter)"
    )

"""Two sides of runs compared: exact small cases, properties, what makes them incomparable, the words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_runs import HIGH, LOW, MS, S, changed, run, runs
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from wastenot.analyzer import errors
from wastenot.analyzer.comparison.baseline import BadBaseline, read_baseline, save_baseline
from wastenot.analyzer.comparison.comparison import Comparison, compare_runs
from wastenot.analyzer.comparison.copies import on_both_sides, require_distinct
from wastenot.analyzer.comparison.json_view import comparison_json
from wastenot.analyzer.comparison.metrics import metric_of
from wastenot.analyzer.comparison.rank_test import benjamini_hochberg, least_p
from wastenot.analyzer.comparison.runs import Run, read_run
from wastenot.analyzer.comparison.sentences import headline, moved_text, others_text
from wastenot.analyzer.render.comparison import ComparisonView
from wastenot.analyzer.render.terminal import as_text


def test_the_difference_is_that_of_the_means_in_points_of_the_machine() -> None:
    row = compare_runs(runs(*LOW), runs(*HIGH)).primary
    assert row.base.mean == pytest.approx(0.005) and row.new.mean == pytest.approx(0.01505)
    assert row.difference == pytest.approx(0.01005)
    assert row.base.deviation == pytest.approx(np.std([ms / 80_000 for ms in LOW], ddof=1))
    assert row.base.least == pytest.approx(390 / 80_000) and row.base.most == pytest.approx(410 / 80_000)
    assert row.p == row.p_adjusted == pytest.approx(2 / 252) and row.is_finding
    assert row.interval is not None and row.interval[0] < row.difference < row.interval[1]
    assert row.relative == pytest.approx(0.01005 / 0.005)


def test_units_of_the_metrics() -> None:
    one = run(switches=5000, migrations=20, wait__neighbour=5 * S, busy=40 * S, window_s=10)
    values = {key: metric_of(key).of(one) for key in ("wasted", "wasted_core_s", "duration", "switches", "busy")}  # type: ignore[union-attr]
    assert values == {"wasted": 0.005, "wasted_core_s": 0.4, "duration": 10.0, "switches": 500.0, "busy": 0.5}
    assert [metric_of(k).of(one) for k in ("wait.neighbour", "thread.make.run", "thread.make.wait")] == [0.5, 0.3, 0.1]  # type: ignore[union-attr]
    assert metric_of("thread.a.b: 3.run").words == "a.b: 3: running"  # type: ignore[union-attr]
    unknown = (
        "moon",
        "grade.moon",
        "grade.recurrent",
        "cause.moon.unknown",
        "cause.placed_by.moon",
        "thread.run",
        "wait.",
    )
    assert [metric_of(key) for key in unknown] == [None] * len(unknown)


def test_runs_of_unequal_length_are_compared_by_shares() -> None:
    found = compare_runs(runs(*LOW), [run(4 * ms, window_s=40) for ms in LOW])
    assert found.primary.difference == pytest.approx(0) and found.primary.p == pytest.approx(1)
    assert [r for r in found.reasons_against if r.startswith("durations differ: 10.0 s (base) and 40.0 s (new)")]
    assert found.row("wasted_core_s").difference == pytest.approx(1.2)


def test_how_long_a_command_took_is_a_result_and_no_reason_against() -> None:
    def command(*seconds: float) -> list[Run]:
        return [replace(r, facts=replace(r.facts, end_reason="command")) for s in seconds for r in [run(window_s=s)]]

    found = compare_runs(command(10, 10.1, 10.2, 9.9), command(12, 12.1, 12.2, 11.9))
    assert found.reasons_against == []
    assert found.row("duration").difference == pytest.approx(2) and found.row("duration").p == pytest.approx(2 / 70)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 5000), min_size=3, max_size=6), st.lists(st.integers(0, 5000), min_size=3, max_size=6))
def test_swapping_the_sides_negates_the_differences(base: list[int], new: list[int]) -> None:
    assume(base != new)
    there, back = compare_runs(runs(*base), runs(*new)), compare_runs(runs(*new), runs(*base))
    for a, b in zip((there.primary, *there.others), (back.primary, *back.others), strict=True):
        assert a.metric == b.metric and a.difference == pytest.approx(-b.difference)
        assert a.interval == pytest.approx([-x for x in reversed(b.interval or ())])
        assert a.p == pytest.approx(b.p) and a.p_adjusted == pytest.approx(b.p_adjusted)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 5000), min_size=2, max_size=8))
def test_identical_sides_give_no_finding(wasted: list[int]) -> None:
    found = compare_runs(runs(*wasted), runs(*wasted))
    assert not found.primary.is_finding and found.findings == []
    assert all(row.difference == 0 for row in (found.primary, *found.others))


def test_which_cause_moved_is_named_with_the_most_first() -> None:
    new = [
        run(ms, cause__not_moved_because__no_common_domain=round(ms * MS), cause__not_moved_because__found_balance=0)
        for ms in HIGH
    ]
    found = compare_runs(runs(*LOW), new)
    keys = [row.metric.key for row in found.findings]
    assert keys.index("cause.not_moved_because.no_common_domain") < len(keys)
    assert moved_text(found).startswith("What moved: not moved because: ")
    assert moved_text(found).index("+1.50 points") < moved_text(found).index("-0.500 points")


def test_few_runs_claim_no_significance() -> None:
    one = compare_runs(runs(400), runs(*HIGH))
    assert (one.primary.p, one.primary.interval) == (None, None) and one.findings == []
    assert "One run on a side shows no run-to-run noise: no significance is claimed" in headline(one)
    three = compare_runs(runs(*LOW[:3]), runs(*HIGH[:3]))
    assert three.primary.p == pytest.approx(0.1) and not three.can_find
    assert "3 + 3 runs. So few runs cannot reach p < 0.05 (smallest: 0.1)" in headline(three)
    assert "record 4 + 4 runs at least for wasted, 10 + 10 for all metrics" in headline(three)
    assert others_text(three) == ""
    assert three.primary.interval is not None
    assert compare_runs(runs(*LOW[:2]), runs(*HIGH[:2])).primary.interval is None
    with pytest.raises(errors.BadArgument, match="at least one run on each side"):
        compare_runs([], runs(400))


def test_the_headline_says_whether_more_is_wasted() -> None:
    up, down = compare_runs(runs(*LOW), runs(*HIGH)), compare_runs(runs(*HIGH), runs(*LOW))
    assert headline(up).startswith("More is wasted: 0.50 % → 1.50 %, +1.00 points (+201 %); 95 % interval ")
    assert headline(up).endswith("p = 0.0079, 5 + 5 runs.")
    assert headline(down).startswith("Less is wasted: 1.50 % → 0.50 %, -1.00 points (-66.8 %)")
    same = compare_runs(runs(*LOW), runs(*LOW))
    assert headline(same).startswith("No change of waste is shown: 0.50 % → 0.50 %, unchanged; 95 % interval ")


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"shape": {"cpus": 16, "cores": 8, "caches": 2, "nodes": 1}}, "machines differ (base: 8 CPUs, 8 cores, "),
        ({"model": "Xeon"}, "processors differ (base: EPYC; new: EPYC or Xeon)"),
        ({"source": "ctf"}, "sources of the traces differ (base: ebpf; new: ebpf or ctf)"),
        ({"evidence": {"affinity": "absent"}}, "excuses are not recorded alike in all runs, so waste is not either"),
        ({"evidence": {"affinity": "recorded"}}, "evidence is not recorded alike in all runs, so causes"),
        ({"lost_events": 7}, "lost events in 2 of 10 runs (3.duckdb: 7 events and 1 more)"),
        ({"suspect": ["silence"]}, "verdict suspect in 2 of 10 runs (3.duckdb: silence and 1 more)"),
        ({"unverified": ["Linux 9.9 is newer than"]}, "not verified in 2 of 10 runs (3.duckdb: Linux 9.9 is newer"),
        ({"kernel": None}, "kernel release not recorded in 2 of 10 runs"),
        ({"lower_bound": True}, "waits of woken threads not recorded in 2 of 10 runs"),
        ({"unobserved_share": 0.3}, "CPU time not observed in 2 of 10 runs (3.duckdb: 30.0 % and 1 more)"),
        ({"complete": False, "end_reason": "crash"}, "recording cut off in 2 of 10 runs (3.duckdb: crash and 1 more)"),
        ({"thresholds_ns": {"lasting": 8_000_000}}, "thresholds of grades differ"),
        ({"checker": "0.2.0"}, "versions of the checker differ (base: 0.1.0; new: 0.1.0 or 0.2.0)"),
    ],
)  # fmt: skip
def test_what_makes_runs_incomparable_is_said_first(facts: dict[str, Any], says: str) -> None:
    found = compare_runs(runs(*LOW), changed(runs(*HIGH), 3, **facts))
    assert [r for r in found.reasons_against if r.startswith(says)], found.reasons_against
    assert headline(found).startswith(f"Not comparable as they stand: {says}")
    assert "As measured: more is wasted" in headline(found)
    assert comparison_json(found)["comparable"] is False


def test_another_kernel_is_what_may_be_compared() -> None:
    found = compare_runs(runs(*LOW), changed(runs(*HIGH), 0, kernel="6.13.0"))
    assert found.reasons_against == []
    assert found.notes == ["kernels: 6.12.1 (base), 6.13.0 (new)"]
    mixed = compare_runs(runs(*LOW), changed(runs(*HIGH), 3, kernel="6.13.0"))
    assert mixed.notes[0] == "new has runs of several kernels: 6.12.1, 6.13.0"


def test_a_finding_survives_the_correction_and_noise_does_not() -> None:
    drawn = np.random.default_rng(8)

    def side(more: int) -> list[Run]:
        out = []
        for _ in range(10):
            noise = {f"thread.n{i}.wait": int(drawn.integers(1, 10**9)) for i in range(14)}
            one = run(400, needless_migrations=int(more + drawn.integers(100)))
            out.append(replace(one, sums=one.sums | noise))
        return out

    found = compare_runs(side(0), side(1000))
    assert [row.metric.key for row in found.findings] == ["needless_migrations"]
    assert others_text(found).startswith("1 of ")


def test_threads_are_compared_by_the_names_that_ran_longest_and_others_on_request() -> None:
    many = {f"thread.t{i}.run": i * S for i in range(1, 30)}
    sides = [[replace(r, sums=r.sums | many) for r in runs(*side)] for side in (LOW, HIGH)]
    found = compare_runs(sides[0], sides[1])
    listed = {row.metric.key for row in found.others if row.metric.family == "threads"}
    assert "thread.t29.run" in listed and "thread.t1.run" not in listed
    assert found.row("thread.t1.run").base.mean == pytest.approx(0.1)
    with pytest.raises(errors.BadArgument, match="no run has threads of that name"):
        found.row("thread.t30.run")
    with pytest.raises(errors.BadArgument, match="no such metric"):
        found.row("moon")


def test_it_is_printed_in_80_columns() -> None:
    text = as_text(ComparisonView(compare_runs(runs(*LOW), changed(runs(*HIGH), 3, lost_events=7))), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert "wasted" in text and "not comparable" in text and "7 events" in text
    assert "more metrics: --all, or --json" in text
    assert "more metrics" not in as_text(ComparisonView(compare_runs(runs(*LOW), runs(*HIGH)), show_all=True))


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    saved = changed(runs(*LOW), 2, kernel=None, suspect=["silence"], lost_events=3)
    save_baseline(tmp_path / "base.json", saved)
    assert read_baseline(tmp_path / "base.json") == saved
    with pytest.raises(errors.NoAccess, match="cannot write"):
        save_baseline(tmp_path / "absent/base.json", saved)
    with pytest.raises(errors.MissingSource):
        read_baseline(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "it has no kind"),
        ('{"kind": "wastenot baseline"}', "schema None, this version reads 1"),
        ('{"kind": "wastenot baseline", "schema": 1}', "no runs"),
        ('{"kind": "wastenot baseline", "schema": 1, "runs": [1]}', "a run is not an object"),
        ('{"kind": "wastenot baseline", "schema": 1, "runs": [{}]}', "name of a run is None"),
    ],
)
def test_what_is_not_a_baseline_is_refused_in_a_line(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    path.write_text(text)
    with pytest.raises(BadBaseline, match=says):
        read_baseline(path)


@pytest.mark.parametrize("value", ['"x"', "null", "NaN", "true", "1e999"])
def test_a_baseline_with_a_broken_number_is_refused(value: str, tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    save_baseline(path, runs(400))
    path.write_text(path.read_text().replace('"switches": 5000', f'"switches": {value}'))
    with pytest.raises(BadBaseline, match="switches of a run"):
        read_baseline(path)


def test_the_figures_of_a_trace_are_those_of_its_verdict(make_trace: Callable[..., Path]) -> None:
    found = read_run(make_trace())
    assert (found.window_ns, found.online_ns) == (10 * S, 80 * S)
    shown = {key: found.sums.get(key) for key in ("wasted", "certain", "idle_while_waiting", "busy", "switches")}
    assert shown == {
        "wasted": 2500 * MS, "certain": 1500 * MS, "idle_while_waiting": 4500 * MS, "busy": 15 * S, "switches": 4,
    }  # fmt: skip
    assert found.sums["lasting"] == 2400 * MS + 99 * MS and found.sums["grade.persistent"] == 2400 * MS
    assert found.sums["excuse.affinity"] == 1500 * MS
    assert sum(v for k, v in found.sums.items() if k.startswith("cause.placed_by.")) == 2500 * MS
    assert found.sums["wait.after_wakeup"] == 3 * S and found.sums["wait.neighbour"] == 300 * MS
    assert found.sums["thread.make.run"] == 2 * S and found.sums["thread.cc*.avoidable_wait"] == S
    assert found.facts.shape == {"cpus": 8, "cores": 8, "caches": 2, "nodes": 1} or found.facts.shape["cpus"] == 8
    assert found.facts.kernel == "6.1.0" and found.facts.evidence["affinity"] == "recorded"


def test_comparison_is_a_value(make_trace: Callable[..., Path]) -> None:
    found = compare_runs([read_run(make_trace(name="a.duckdb"))], [read_run(make_trace(name="b.duckdb"))])
    assert isinstance(found, Comparison) and found.primary.difference == 0
    assert comparison_json(found)["primary"]["metric"] == "wasted"


def test_copies_are_found_by_what_was_recorded() -> None:
    side = runs(*LOW)
    require_distinct("base", side)
    copy = replace(side[1], facts=replace(side[1].facts, name="copy.duckdb"))
    with pytest.raises(errors.BadArgument, match=r"copy\.duckdb: the same run as 1\.duckdb .* on the base side"):
        require_distinct("base", [*side, copy])
    rechecked = replace(copy, sums=copy.sums | {"wasted": 1, "grade.lasting": 7})
    old = replace(copy, facts=replace(copy.facts, start_ns=None))
    longer = replace(copy, window_ns=copy.window_ns + 1)
    ran_longer = replace(copy, sums=copy.sums | {"thread.make.run": 3 * S + 1})
    for one, is_same in ((rechecked, True), (old, True), (longer, False), (ran_longer, False)):
        assert bool(on_both_sides(side, [one])) is is_same
    simulated = replace(copy, facts=replace(copy.facts, source="simulation"))
    assert on_both_sides(side, [simulated]) == []
    found = compare_runs(side, [*runs(*HIGH), copy])
    assert found.reasons_against == ["the same recording is on both sides (1.duckdb = copy.duckdb)"]
    assert headline(found).startswith("Not comparable as they stand: the same recording is on both sides")


def noisy(side: list[Run], drawn: np.random.Generator, metrics: int) -> list[Run]:
    """The runs with so many more metrics, of independent values."""
    return [
        replace(r, sums=r.sums | {f"thread.n{i}.{what}": int(drawn.integers(1, 10**9)) for i in range(metrics // 2)
                                  for what in ("wait", "avoidable_wait")})
        for r in side
    ]  # fmt: skip


@pytest.mark.parametrize("count", [4, 5, 7, 10])
def test_it_is_said_what_so_few_runs_can_find_among_many_metrics(count: int) -> None:
    drawn = np.random.default_rng(3)
    base, new = (noisy([run(400 + i) for i in range(count)], drawn, 60) for _ in range(2))
    found = compare_runs(base, new, names=40)
    least, tests = least_p(count, count), found.tests
    assert tests >= 60 and found.findings == []
    by_hand = next(
        k for k in range(1, tests + 1) if benjamini_hochberg([least] * k + [1.0] * (tests - k))[0] < 0.05 - 1e-12
    )
    assert found.least_findings == by_hand
    text = others_text(found)
    assert text.startswith(f"None of {len(found.others)} other metrics is shown to have changed (adjusted by ")
    alone = f" {count} + {count} runs are too few to show one change alone: only {by_hand} or more of the {tests} that"
    assert (alone in text) is (by_hand > 1) and (by_hand > 1) is (count < 7)
    assert text.endswith("7 + 7 runs can show each.") is (count < 7)


@pytest.mark.parametrize("kind", ["affinity", "load_balance_attempts"])
def test_causes_that_are_not_comparable_are_not_said_to_have_moved(kind: str) -> None:
    def new(evidence: dict[str, str]) -> list[Run]:
        moved: dict[str, Any] = {"cause__not_moved_because__no_common_domain": 1200 * MS}
        side = [run(ms, **moved, cause__not_moved_because__found_balance=0) for ms in HIGH]
        return changed(side, 3, evidence=evidence)

    alike = {"affinity": "recorded", "load_balance_attempts": "recorded"}
    assert moved_text(compare_runs(runs(*LOW), new(alike))).startswith("What moved: ")
    differing = compare_runs(runs(*LOW), new(alike | {kind: "absent"}))
    assert differing.findings and moved_text(differing) == comparison_json(differing)["moved"] == ""


@pytest.mark.parametrize(("count", "how"), [(30, "exact"), (31, "normal approximation")])
def test_json_names_the_test_that_was_used(count: int, how: str) -> None:
    found = compare_runs([run(400 + i) for i in range(count)], [run(400 + i) for i in range(count)], resamples=9)
    json = comparison_json(found)
    assert json["method"]["test"] == f"Wilcoxon-Mann-Whitney, {how}, two-sided"
    assert json["others"] == others_text(found)
    listed = {row["metric"]: (row["always_listed"], row["more_is_worse"]) for row in json["metrics"]}
    assert listed["certain" if "certain" in listed else "wasted_core_s"] == (True, True)
    assert listed["switches"] == (True, False) and listed["thread.make.run"] == (False, False)

"""Causes on real traces whose truth is known (fixtures/traces/README.md)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from wastenot.analyzer import Trace, open_trace

ROOT = Path(__file__).parents[1]
TRACES = ROOT / "fixtures/traces"
MACHINE = ROOT / "fixtures/machines/guest-2n8.json"
MISSING = "no_common_domain"


def imported(trace: str, out: Path, *options: str) -> Trace:
    command = [sys.executable, "-m", "wastenot.cli", "import", "-q", str(TRACES / trace), "-o", str(out), *options]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert ran.returncode == 0, ran.stderr
    return open_trace(out)


def split_machine(folder: Path) -> Path:
    """The guest's machine with the domains it had in `wasted`: no load is balanced in the root, so none is above MC."""
    machine: dict[str, Any] = json.loads(MACHINE.read_text(encoding="utf-8"))
    machine["domains"] = [
        {**d, "span_exact": True, "parameters_exact": True} for d in machine["domains"] if d["name"] == "MC"
    ]
    path = folder / "split.json"
    path.write_text(json.dumps(machine), encoding="utf-8")
    return path


def shares(trace: Trace, question: str) -> dict[tuple[str, str], float]:
    """Share of the waste for which an answer is chosen, by answer and proof; recurrent episodes left out."""
    rows = trace.sql(
        """SELECT answer, proof_name(a.proof) AS proof, sum(weight_ns) AS ns FROM attribution a
           JOIN episode e USING (episode_id) WHERE chosen AND question_name(question) = $question
             AND grade_name(grade) <> 'recurrent' GROUP BY ALL""",
        {"question": question},
    ).rows()
    total = sum(row["ns"] for row in rows)
    return {(row["answer"], row["proof"]): float(row["ns"] / total) for row in rows}


def test_two_sides_without_a_common_domain_are_proved_where_the_domains_are_known(tmp_path: Path) -> None:
    with imported("guest-6.1/wasted", tmp_path / "T.duckdb", "--machine", str(split_machine(tmp_path))) as trace:
        assert shares(trace, "not_moved_because")[MISSING, "proved"] > 0.95
        worst = trace.verdict().worst[0]
        said = dict(trace.episode(worst["episode_id"]).diagnosis())
    assert said["why"].startswith("Not moved because no scheduling domain spans") and said["why"].endswith("(proved).")
    assert "sched_load_balance" in said["next"]


def test_without_the_domains_nothing_about_them_is_proved(tmp_path: Path) -> None:
    for name, options in (("bare", ()), ("machine", ("--machine", str(MACHINE)))):
        with imported("guest-6.1/wasted", tmp_path / f"{name}.duckdb", *options) as trace:
            found = shares(trace, "not_moved_because")
        assert all(proof != "proved" for (_, proof) in found), found


def test_threads_that_are_declared_pinned_waste_nothing(tmp_path: Path) -> None:
    options = ("--machine", str(MACHINE), "--affinity", "hog=0-1")
    with imported("guest-6.1/pinned", tmp_path / "T.duckdb", *options) as trace:
        hogs = "SELECT count(*) AS n FROM attribution JOIN thread USING (utid) WHERE name = 'hog'"
        assert trace.sql(hogs).one() == {"n": 0}


def test_hotplug_is_not_a_missing_domain(tmp_path: Path) -> None:
    for kernel in ("guest-6.1", "guest-6.12"):
        with imported(f"{kernel}/hotplug", tmp_path / f"{kernel}.duckdb", "--machine", str(MACHINE)) as trace:
            assert all(answer != MISSING for answer, _ in shares(trace, "not_moved_because")), kernel


def test_the_stacks_of_two_releases_give_the_paths_of_nearly_all_moves(tmp_path: Path) -> None:
    for kernel in ("guest-6.1", "guest-6.12"):
        with imported(f"{kernel}/normal", tmp_path / f"{kernel}.duckdb", "--machine", str(MACHINE)) as trace:
            reported = {
                row["path"]: row["n"]
                for row in trace.sql(
                    """SELECT migration_path_name(path) AS path, count(*) AS n FROM migration
                       WHERE stack_id IS NOT NULL AND proof_name(path_proof) = 'proved' GROUP BY path"""
                ).rows()
            }
            stacks = trace.sql("SELECT count(stack_id) AS n FROM migration").one()["n"]
        assert {"wakeup", "newidle", "periodic"} <= reported.keys(), reported
        assert sum(reported.values()) > 0.95 * stacks


def test_an_answer_has_the_proof_of_most_of_its_waste(tmp_path: Path) -> None:
    """The heaviest pair of an episode may be proved where most of the answer's waste is not."""
    of_each = """
        SELECT e.episode_id, question_name(a.question) AS question, a.answer,
               CASE question_name(a.question) WHEN 'placed_by' THEN proof_name(placed_by_proof)
                    WHEN 'not_moved_because' THEN proof_name(not_moved_because_proof)
                    ELSE proof_name(ended_by_proof) END AS shown,
               sum(weight_ns) FILTER (proof_name(a.proof) = 'proved') AS proved, sum(weight_ns) AS whole
        FROM episode e JOIN attribution a USING (episode_id)
        WHERE a.chosen AND a.answer <> 'unknown' AND a.answer = CASE question_name(a.question)
              WHEN 'placed_by' THEN placed_by_name(placed_by)
              WHEN 'not_moved_because' THEN not_moved_because_name(not_moved_because)
              ELSE ended_by_name(ended_by) END
        GROUP BY ALL"""
    mixed = 0
    for name in ("kernel-faults/imbalance-pct-6.12.part", "kernel-faults/misplaced-fork-6.1.part"):
        with imported(name, tmp_path / f"{Path(name).stem}.duckdb") as trace:
            for row in trace.sql(of_each).rows():
                proved = row["proved"] or 0
                assert row["shown"] == ("proved" if 2 * proved > row["whole"] else "consistent"), row
                mixed += 0 < proved < row["whole"]
            if "imbalance-pct" in name:
                episode = trace.sql(
                    """SELECT episode_id FROM attribution a JOIN episode USING (episode_id)
                       WHERE chosen AND answer = not_moved_because_name(not_moved_because) GROUP BY episode_id
                       HAVING min(proof_name(a.proof)) = 'consistent' AND max(proof_name(a.proof)) = 'proved'
                       ORDER BY sum(weight_ns) DESC LIMIT 1"""
                ).rows()[0]["episode_id"]
                why = dict(trace.episode(episode).diagnosis())["why"]
                assert " for the rest)." in why, why
    assert mixed > 20, "the recordings have answers of both proofs"

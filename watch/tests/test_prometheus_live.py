"""A real Prometheus scrapes real watches of this machine, one of each mode, and is asked what we ship. Needs BPF.

Not all that the queries are about happens here in some seconds: `NEEDS_AN_EVENT` lists what may be without data, and
why.
`test_metrics.py` asks for all of it, of watches with known figures.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_server import Prometheus, dashboard_queries, free_port, rules
from wastenot._native import collector

SOURCE = json.loads(collector.doctor())["source"]
pytestmark = pytest.mark.skipif(SOURCE != "ebpf", reason="`wastenot doctor`: eBPF cannot record here")

NOT_SERVED = {
    "sentinel": (
        "wastenot_caused_core_seconds",  # causes, excuses and the reasons of waits follow from events
        "wastenot_excused_core_seconds",
        "wastenot_wait_seconds",
        "wastenot:neighbour_wait",
        "wastenot:avoidable_wait",
    ),
    "exact": ("wastenot_sampled_wasted_core_seconds",),  # wastenot_wasted_core_seconds instead
}
"""Parts of queries of figures that a mode does not have."""

NEEDS_AN_EVENT = (
    "wastenot_caused_core_seconds",  # an episode that ended, in exact mode
    "histogram_quantile(0.99, sum by (le) (rate(wastenot_episode_seconds",  # the same, or an episode of a box
    "wastenot_episode_seconds_sum",
    'reason="neighbour"',  # threads of two cgroups on one CPU
    "wastenot:neighbour_wait",
    "wastenot:avoidable_wait",  # a wait beside an idle CPU
)
"""Parts of queries that have data only after something happened."""

MODES: dict[str, tuple[str, ...]] = {"sentinel": (), "exact": ("--exact",)}

NEVER = "wasted>99%"
"""A condition that does not hold beside the load."""

LIMIT_S = 25


def names(query: str, parts: tuple[str, ...]) -> bool:
    return any(part in query for part in parts)


class Watched:
    """A Prometheus and the watches that it scrapes, by mode."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.targets = {mode: f"127.0.0.1:{free_port()}" for mode in MODES}
        self.prometheus = Prometheus(folder, list(self.targets.values()))
        self._processes = [self._start(folder / mode, mode) for mode in MODES]
        # More threads than CPUs, some of which sleep.
        load = "for i in 1 2 3; do (while :; do :; done) & (while :; do sleep 0.001; done) & done; wait"
        self._processes.append(subprocess.Popen(["timeout", "90", "bash", "-c", load]))

    def _start(self, folder: Path, mode: str) -> subprocess.Popen[bytes]:
        folder.mkdir()
        command = [sys.executable, "-m", "wastenot.cli", "watch", "--json", "--on", NEVER, *MODES[mode]]
        command += ["--out", str(folder / "boxes"), "--run-dir", str(folder / "run"), "--memory", "8MB"]
        command += ["--metrics", self.targets[mode], "--for", "90s"]
        with (folder / "printed").open("wb") as printed:
            return subprocess.Popen(command, cwd=folder, stdout=printed, stderr=printed)

    def asked(self, mode: str) -> dict[str, str]:
        """The queries of the dashboard and the recording rules, of one watch, by what is shipped."""
        target = self.targets[mode]
        queries = {q: q.replace("$__rate_interval", "1m").replace("$instance", target) for q in dashboard_queries()}
        return queries | {r["record"]: f'{r["record"]}{{instance="{target}"}}' for r in rules() if "record" in r}

    def absent(self, mode: str) -> set[str]:
        """Queries without data."""
        results = {query: self.prometheus.query(of_mode) for query, of_mode in self.asked(mode).items()}
        return {query for query, rows in results.items() if all(row["value"][1] == "NaN" for row in rows)}

    def missing(self, mode: str) -> set[str]:
        """Queries that have no data and should."""
        return {q for q in self.absent(mode) if not names(q, (*NOT_SERVED[mode], *NEEDS_AN_EVENT))}

    def close(self) -> None:
        for process in self._processes:
            assert process.poll() is None, [f.read_text() for f in self._folder.glob("*/printed")]
            process.terminate()
        for process in self._processes:
            process.wait(60)
        self.prometheus.close()


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    found = Watched(tmp_path_factory.mktemp("watched"))
    try:
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            time.sleep(1)
            try:
                if not any(found.missing(mode) for mode in MODES):
                    break
            except OSError:
                continue  # Prometheus has not started yet
        yield found
    finally:
        found.close()


@pytest.mark.parametrize("mode", MODES)
def test_every_query_has_data_in_each_mode_that_has_its_figures(watched: Watched, mode: str) -> None:
    assert watched.missing(mode) == set()
    absent = watched.absent(mode)
    assert [q for q in watched.asked(mode) if names(q, NOT_SERVED[mode]) and q not in absent] == []
    assert len(watched.asked(mode)) - len(absent) > 25


def test_both_modes_are_scraped_and_each_rule_can_be_evaluated(watched: Watched) -> None:
    targets = watched.prometheus.api("targets")["activeTargets"]
    assert [(t["health"], t["lastError"]) for t in targets] == [("up", "")] * len(MODES)
    found = [rule for group in watched.prometheus.api("rules")["groups"] for rule in group["rules"]]
    assert [(r["name"], r["lastError"]) for r in found if r["health"] != "ok"] == []
    assert len(found) == len(rules())
    modes = {r["metric"]["instance"]: r["metric"]["mode"] for r in watched.prometheus.query("wastenot_build_info")}
    assert modes == {target: mode for mode, target in watched.targets.items()}

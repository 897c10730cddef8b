"""The metrics: what promtool says of them, and that a real Prometheus has data for every query that we ship."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from drawn import MS, ROOT, S, status
from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.exposition import generate_latest as openmetrics
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.samples import Sample
from prometheus_server import DASHBOARD, MONITORING, Prometheus, dashboard_queries, rules
from wastenot.schemas.generated.enums import EXCUSE_WORDS
from wastenot.watch.metrics.families import BUCKETS_S, ViewCollector, bucket_of, families
from wastenot.watch.model.boxes import Counts
from wastenot.watch.model.status import ExactCounters, Wait
from wastenot.watch.model.view import Facts, View

HERE = Path(__file__).parent


def view(exact: ExactCounters | None = None, **changes: Any) -> View:
    facts = Facts("exact" if exact else "sentinel", ("lasting>0",), 10, 2, "/boxes", "0.1.0", "6.1")
    now = status(5 * S, wasted_ns=2 * S, longest_ns=7 * MS, looks=1000, missed_looks=3, looks_with_waste=9, lost=4)
    waits = exact.new_waits if exact else ()
    return View(facts, 5 * S, 0, now, exact, waits=waits, **changes)


def exact() -> ExactCounters:
    hostile = 'a"b\\c\nd{}=é'
    return ExactCounters(
        1, 2, 3, wasted_by={("cache_hot", 0): S, ("unknown", -1): S}, excused_ns=dict.fromkeys(EXCUSE_WORDS, S),
        new_waits=(Wait(f"/kubepods/{hostile}", "neighbour", S), Wait("other", "own_quota", 2 * S)),
    )  # fmt: skip


def text_of(of: View) -> str:
    collector = ViewCollector(of)
    registry = CollectorRegistry()
    registry.register(collector)
    return str(openmetrics(registry).decode())  # type: ignore[no-untyped-call]


def parsed(of: View) -> list[Sample]:
    """The samples that a scraper reads of the text."""
    found = text_string_to_metric_families(text_of(of))  # type: ignore[no-untyped-call]
    return [sample for family in found for sample in family.samples]


def samples(of: View) -> dict[str, float]:
    return {f"{s.name}{dict(s.labels) or ''}": s.value for s in parsed(of)}


def test_promtool_finds_nothing_wrong_with_the_metrics() -> None:
    promtool = shutil.which("promtool") or pytest.skip("promtool is not installed (package prometheus)")
    collector = ViewCollector(view())
    registry = CollectorRegistry()
    registry.register(collector)
    from prometheus_client import generate_latest

    for of in (view(), view(exact())):
        collector.view = of
        ran = subprocess.run([promtool, "check", "metrics"], input=generate_latest(registry), capture_output=True)
        assert (ran.returncode, ran.stdout + ran.stderr) == (0, b"")


def test_the_sentinels_waste_has_another_name_than_the_exact_one() -> None:
    sampled, measured = samples(view()), samples(view(exact()))
    assert sampled["wastenot_sampled_wasted_core_seconds_total"] == 2
    assert not any(name.startswith("wastenot_wasted_core_seconds") for name in sampled)
    assert measured["wastenot_wasted_core_seconds_total"] == 3e-9
    assert measured["wastenot_caused_core_seconds_total{'cause': 'cache_hot', 'node': '0'}"] == 1
    assert measured["wastenot_caused_core_seconds_total{'cause': 'unknown', 'node': 'unknown'}"] == 1
    assert not any(name.startswith("wastenot_sampled") for name in measured)


def test_names_of_cgroups_come_through_unchanged() -> None:
    names = [s.labels["cgroup"] for s in parsed(view(exact())) if s.name == "wastenot_wait_seconds_total"]
    assert names == ['/kubepods/a"b\\c\nd{}=é', "other"]


def test_the_histogram_of_episodes_counts_each_length_once() -> None:
    lengths = [0.0005, 0.001, 0.0011, 3.0, 100.0]
    counts: dict[float, int] = {}
    for length in lengths:
        counts[bucket_of(length)] = counts.get(bucket_of(length), 0) + 1
    found = samples(view(episode_lengths=counts, episode_seconds=sum(lengths)))
    bounds = [*(str(b) for b in BUCKETS_S), "+Inf"]
    by_bound = [found[f"wastenot_episode_seconds_bucket{{'le': '{b}'}}"] for b in bounds]
    assert by_bound == [sum(length <= float(b.replace("+Inf", "inf")) for length in lengths) for b in bounds]
    assert found["wastenot_episode_seconds_count"] == 5
    assert found["wastenot_episode_seconds_sum"] == pytest.approx(sum(lengths))


def test_every_counter_is_there_from_the_start_so_that_its_first_increase_is_seen() -> None:
    found = samples(view())
    for outcome in Counts().boxes:
        assert found[f"wastenot_boxes_total{{'outcome': '{outcome}'}}"] == 0
    for reason in Counts().suppressed:
        assert found[f"wastenot_suppressed_triggers_total{{'reason': '{reason}'}}"] == 0


def test_semantics_define_every_metric_and_no_other() -> None:
    text = (ROOT / "docs/semantics.md").read_text(encoding="utf-8").split("## Metrics of a watch")[1].split("\n## ")[0]
    defined = set(re.findall(r"^\| `(wastenot_\w+?)(?:_total|_info)?(?:\{[^}]*\})?` \|", text, re.M))
    served = {family.name for of in (view(), view(exact())) for family in families(of)}
    assert defined == served


# ---- rules, dashboard, compose file


@pytest.mark.parametrize(
    "words",
    [["check", "rules", "rules.yml"], ["test", "rules", "rules_test.yml"], ["check", "config", "prometheus.yml"]],
)
def test_promtool_accepts_the_rules_and_their_tests_pass(words: list[str]) -> None:
    promtool = shutil.which("promtool") or pytest.skip("promtool is not installed (package prometheus)")
    ran = subprocess.run([promtool, *words], cwd=MONITORING, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_alert_has_a_test_that_it_fires_and_a_line_in_the_guide() -> None:
    tests = yaml.safe_load((MONITORING / "rules_test.yml").read_text())["tests"]
    fires = {a["alertname"] for t in tests for a in t.get("alert_rule_test", []) if a["exp_alerts"]}
    alerts = {rule["alert"] for rule in rules() if "alert" in rule}
    guide = (ROOT / "docs/guide/watch.md").read_text(encoding="utf-8")
    assert alerts == fires and len(alerts) > 8
    assert [a for a in sorted(alerts) if f"`{a}`" not in guide] == []


def test_each_query_names_metrics_that_exist() -> None:
    served = {name.split("{")[0] for of in (view(), view(exact())) for name in samples(of)}
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    queries = [*dashboard_queries(), *(rule["expr"] for rule in rules())]
    used = {name for q in queries for name in re.findall(r"\bwastenot[\w:]*", q)} - {"wastenot"}
    assert len(queries) > 40
    assert used - served - recorded == set()


def lacks(written: Any, decoded: Any, at: str = "") -> list[str]:
    """Where something that was written is missing or differs."""
    if isinstance(written, dict) and isinstance(decoded, dict):
        inside = [lacks(v, decoded[k], f"{at}.{k}") if k in decoded else [f"{at}.{k}"] for k, v in written.items()]
        return [place for places in inside for place in places]
    if isinstance(written, list) and isinstance(decoded, list) and len(written) == len(decoded):
        return [x for i, pair in enumerate(zip(written, decoded, strict=True)) for x in lacks(*pair, f"{at}[{i}]")]
    return [] if written == decoded else [at]


def test_the_dashboard_has_nothing_that_grafanas_schema_does_not_have() -> None:
    """Decoded by Grafana's own library and encoded again, all of it is there: an unknown key would be gone."""
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.cog.plugins import register_default_plugins
    from grafana_foundation_sdk.models.dashboard import Dashboard

    register_default_plugins()
    written = json.loads(DASHBOARD.read_text())
    assert lacks(written, json.loads(JSONEncoder().encode(Dashboard.from_json(written)))) == []
    misspelt = {**written, "panels": [{**written["panels"][0], "descripton": "x"}]}
    assert lacks(misspelt, json.loads(JSONEncoder().encode(Dashboard.from_json(misspelt)))) == [".panels[0].descripton"]
    boxes = [p["gridPos"] for p in written["panels"]]
    cells = [(x, y) for b in boxes for x in range(b["x"], b["x"] + b["w"]) for y in range(b["y"], b["y"] + b["h"])]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24, "no panel covers another"


def test_the_files_that_the_compose_profile_mounts_exist() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    of_profile = {name: s for name, s in services.items() if "watch" in s.get("profiles", [])}
    assert set(of_profile) == {"watch", "prometheus", "grafana"}
    mounted = [v.split(":")[0] for s in of_profile.values() for v in s["volumes"] if v.startswith("./")]
    assert len(mounted) == 4 and [m for m in mounted if not (ROOT / m).exists()] == []


# ---- a real Prometheus


class Running:
    """`drawn_watch.py` in a process, and where its metrics are."""

    def __init__(self, folder: Path, mode: str) -> None:
        command = [sys.executable, str(HERE / "drawn_watch.py"), str(folder), mode]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.target = str(json.loads(self.process.stdout.readline())["wastenot_metrics"])

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(40)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """A Prometheus that has scraped a sentinel and an exact watch for some seconds, after both saved a box."""
    folder = tmp_path_factory.mktemp("prometheus")
    watches = [Running(folder / mode, mode) for mode in ("sentinel", "exact")]
    found = Prometheus(folder, [w.target for w in watches])
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(1)
            try:
                lengths = found.query("rate(wastenot_episode_seconds_count[1h]) > 0")
                seen = found.query("count_over_time(wastenot:own_cpu_share[1m]) > 5")
            except OSError:
                continue
            if lengths and len(seen) == 2 and found.query('ALERTS{alertname="WastenotBoxSaved"}'):
                break
        yield found
    finally:
        found.close()
        for watch in watches:
            watch.close()


def test_a_real_prometheus_scrapes_both_modes_as_openmetrics(prometheus: Prometheus) -> None:
    targets = prometheus.api("targets")["activeTargets"]
    assert [(t["health"], t["lastError"]) for t in targets] == [("up", "")] * 2
    kinds = prometheus.api("metadata", metric="wastenot_episode_seconds")
    assert kinds["wastenot_episode_seconds"][0]["type"] == "histogram"


def test_every_query_of_the_dashboard_returns_data(prometheus: Prometheus) -> None:
    without = []
    for expression in dashboard_queries():
        asked = expression.replace("$__rate_interval", "1m").replace("$instance", ".*")
        if not any(r["value"][1] != "NaN" for r in prometheus.query(asked)):
            without.append(asked)
    assert without == []


def test_every_rule_has_data_and_the_alert_for_a_saved_box_fires(prometheus: Prometheus) -> None:
    found = [rule for group in prometheus.api("rules")["groups"] for rule in group["rules"]]
    assert [(r["name"], r["lastError"]) for r in found if r["health"] != "ok"] == []
    assert [r["record"] for r in rules() if "record" in r and not prometheus.query(r["record"])] == []
    conditions = [r["expr"].rsplit(" ", 2)[0] for r in rules() if "alert" in r]
    assert [c for c in conditions if not prometheus.query(c)] == []
    firing = {r["metric"]["alertname"] for r in prometheus.query('ALERTS{alertstate="firing"}')}
    assert "WastenotBoxSaved" in firing


def test_the_figures_of_prometheus_are_those_of_the_watch(prometheus: Prometheus) -> None:
    """Half a core of two is wasted in exact mode by what the drawing says; 0.3 cores are sampled in the other."""
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline and not prometheus.query("min(count_over_time(wastenot_cpus[20s])) >= 19"):
        time.sleep(1)
    exact, sampled = (
        float(prometheus.query(f"avg(rate({name}[20s]))")[0]["value"][1])
        for name in ("wastenot_excused_core_seconds_total", "wastenot_sampled_wasted_core_seconds_total")
    )
    assert exact == pytest.approx(0.25, rel=0.2) and sampled == pytest.approx(0.3, rel=0.2)

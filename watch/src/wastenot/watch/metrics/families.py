"""The metrics of a view. docs/semantics.md (Metrics of a watch) defines each.

Counters start at 0 with the watch. Label values come from enumerations, but for `cgroup`, whose number is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from wastenot.watch.model.status import ExactCounters
from wastenot.watch.model.view import View

BUCKETS_S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Upper bounds of `wastenot_episode_seconds`.

A classic histogram: prometheus_client 0.26 has native histograms as parsed samples only, and Prometheus scrapes them by
its protobuf format alone.
"""


class ViewCollector(Collector):
    """The metrics of the latest view. A scrape reads a value and asks nothing of the kernel."""

    def __init__(self, view: View) -> None:
        self.view = view

    def collect(self) -> Iterable[Metric]:
        """All families; which they are depends on the mode alone."""
        return families(self.view)


def families(view: View) -> Iterator[Metric]:
    """All metrics of a view."""
    yield _build(view)
    yield from _waste(view)
    yield from _sentinel(view)
    yield _episodes(view)
    yield from _boxes(view)
    yield from _cost(view)


def _build(view: View) -> Metric:
    info = InfoMetricFamily("wastenot_build", "Version of wastenot, mode of the watch and release of the kernel.")
    info.add_metric([], {"version": view.facts.version, "mode": view.facts.mode, "kernel": view.facts.kernel})
    return info


def _waste(view: View) -> Iterator[Metric]:
    if view.exact is None:
        yield _counter(
            "wastenot_sampled_wasted_core_seconds",
            "Core time that looks of the sentinel found wasted; a sample, not the exact figure.",
            view.status.wasted_ns / 1e9,
        )
    else:
        yield from _exact(view, view.exact)


def _exact(view: View, exact: ExactCounters) -> Iterator[Metric]:
    yield _counter(
        "wastenot_wasted_core_seconds",
        "Core time in which a CPU was idle and a thread waited that may use it.",
        exact.wasted_ns / 1e9,
    )
    by_cause = CounterMetricFamily(
        "wastenot_caused_core_seconds",
        "Waste of episodes that are over, by why the threads were not moved and by node of the idle CPU.",
        labels=["cause", "node"],
    )
    for (cause, node), ns in sorted(exact.wasted_by.items()):
        by_cause.add_metric([cause, str(node) if node >= 0 else "unknown"], ns / 1e9)
    yield by_cause
    excused = CounterMetricFamily(
        "wastenot_excused_core_seconds",
        "Core time idle beside waiting threads that was not waste, by the excuse that took it off.",
        labels=["excuse"],
    )
    for excuse, ns in sorted(exact.excused_ns.items()):
        excused.add_metric([excuse], ns / 1e9)
    yield excused
    waits = CounterMetricFamily(
        "wastenot_wait_seconds",
        "Time in which threads of a cgroup were runnable and did not run, by reason; a bounded number of cgroups.",
        labels=["cgroup", "reason"],
    )
    for wait in view.waits:
        waits.add_metric([wait.cgroup, wait.reason], wait.ns / 1e9)
    yield waits


def _sentinel(view: View) -> Iterator[Metric]:
    status = view.status
    yield _counter("wastenot_looks", "Looks of the sentinel at all runqueues.", status.looks)
    yield _counter("wastenot_missed_looks", "Looks that came too late or not at all.", status.missed_looks)
    yield _counter("wastenot_looks_with_waste", "Looks that found waste.", status.looks_with_waste)
    yield _gauge(
        "wastenot_violation_seconds", "For how long the present violation has lasted.", status.longest_ns / 1e9
    )
    yield _gauge("wastenot_cpus", "Online CPUs.", len(status.cpus))
    yield _gauge("wastenot_overloaded_cpus", "CPUs with more than one runnable task.", status.overloaded_cpus)
    yield _gauge("wastenot_kept_seconds", "Time that the black box reaches back.", status.kept_ns / 1e9)
    yield _counter("wastenot_written_bytes", "Bytes of events written to the black box.", status.written_bytes)
    lost = max(status.lost, view.exact.lost if view.exact else 0)
    yield _counter("wastenot_lost_events", "Events that were not recorded.", lost)


def _episodes(view: View) -> Metric:
    family = HistogramMetricFamily(
        "wastenot_episode_seconds",
        "How long episodes lasted, from a tick on: in exact mode all, else those of confirmed boxes.",
    )
    total, buckets = 0, []
    for bound in BUCKETS_S:
        total += view.episode_lengths.get(bound, 0)
        buckets.append((str(bound), total))
    total += view.episode_lengths.get(float("inf"), 0)
    family.add_metric([], [*buckets, ("+Inf", total)], view.episode_seconds)
    return family


def _boxes(view: View) -> Iterator[Metric]:
    yield _labelled("wastenot_boxes", "Saved boxes, by what became of them.", "outcome", view.counts.boxes)
    yield _labelled(
        "wastenot_suppressed_triggers", "Triggers that saved no box, by why.", "reason", view.counts.suppressed
    )
    yield _labelled("wastenot_alarm_commands", "Runs of the alarm command.", "result", view.counts.commands)
    yield _counter("wastenot_deleted_boxes", "Boxes deleted to keep to the limit of the disk.", view.counts.deleted)
    yield _gauge("wastenot_boxes_bytes", "What the saved boxes take on the disk.", view.boxes_bytes)


def _cost(view: View) -> Iterator[Metric]:
    status = view.status
    parts = {"sentinel": status.sentinel_ns, "process": view.cpu_ns, "checks": view.children_ns}
    if status.bpf_ns is not None:
        parts["programs"] = status.bpf_ns
    yield _labelled(
        "wastenot_self_cpu_seconds",
        "CPU time that the watch itself took.",
        "part",
        {k: ns / 1e9 for k, ns in parts.items()},
    )


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(name, text, value=value)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _labelled(name: str, text: str, label: str, values: dict[str, int] | dict[str, float]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def bucket_of(seconds: float) -> float:
    """The upper bound of the bucket of a length."""
    return next((bound for bound in BUCKETS_S if seconds <= bound), float("inf"))

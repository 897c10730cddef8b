"""Metrics by OTLP over HTTP, through the OpenTelemetry SDK. Imported with --otlp only; the extra `otlp` installs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.metrics import CallbackOptions, Meter, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from prometheus_client.metrics_core import Metric
from wastenot.watch.metrics.families import ViewCollector

EVERY_MS = 15_000
TIMEOUT_S = 5


class OtlpExport:
    """Sends the metrics of a collector to `url` (the full address, as http://127.0.0.1:4318/v1/metrics)."""

    def __init__(self, url: str, collector: ViewCollector, every_ms: int = EVERY_MS) -> None:
        exporter = OTLPMetricExporter(endpoint=url, timeout=TIMEOUT_S)
        reader = PeriodicExportingMetricReader(exporter, export_interval_millis=every_ms)
        resource = Resource.create({"service.name": "wastenot-watch"})
        self._provider = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
        self._collector = collector
        meter = self._provider.get_meter("wastenot.watch")
        for family in collector.collect():
            self._observe(meter, family)

    def close(self) -> None:
        """Send once more and end."""
        self._provider.shutdown(timeout_millis=TIMEOUT_S * 1000)

    def _observe(self, meter: Meter, family: Metric) -> None:
        """An instrument that reads the family of this name anew at each export; a histogram as its count and sum."""
        if family.type == "histogram":
            for suffix in ("_count", "_sum"):
                name = f"{family.name}{suffix}"
                meter.create_observable_counter(
                    name, [self._reader(family.name, name)], description=family.documentation
                )
            return
        if family.type == "counter":
            read = self._reader(family.name, f"{family.name}_total")
            meter.create_observable_counter(family.name, [read], description=family.documentation)
        elif family.type in ("gauge", "info"):
            sample = f"{family.name}_info" if family.type == "info" else family.name
            meter.create_observable_gauge(
                family.name, [self._reader(family.name, sample)], description=family.documentation
            )

    def _reader(self, family: str, sample: str) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def read(_: CallbackOptions) -> Iterable[Observation]:
            for found in self._collector.collect():
                if found.name == family:
                    yield from (Observation(s.value, dict(s.labels)) for s in found.samples if s.name == sample)

        return read

"""Metrics by OTLP over HTTP, through the OpenTelemetry SDK. Imported with --otlp only; the extra `otlp` installs it."""

from __future__ import annotations

import logging
import math
import time
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
REPORTED_EVERY_S = 60.0


class OtlpExport:
    """Sends the metrics of a collector to `url` (the full address, as http://127.0.0.1:4318/v1/metrics).

    `report` gets a line when they could not be sent, from another thread; `REPORTED_EVERY_S` apart.
    """

    def __init__(
        self, url: str, collector: ViewCollector, report: Callable[[str], None], every_ms: int = EVERY_MS
    ) -> None:
        self._log = _SdkLog(url, report)
        self._log.start()
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
        self._log.stop()

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


class _SdkLog(logging.Handler):
    """Takes what the SDK logs: it would write to stderr, several lines a failure."""

    def __init__(self, url: str, report: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._url, self._report = url, report
        self._reported_s = -math.inf
        self._logger = logging.getLogger("opentelemetry")

    def start(self) -> None:
        """Take the messages from now on."""
        self._logger.addHandler(self)
        self._logger.propagate = False

    def stop(self) -> None:
        """Take none any more."""
        self._logger.removeHandler(self)
        self._logger.propagate = True

    def emit(self, record: logging.LogRecord) -> None:
        """Report it, unless one was reported lately."""
        now = time.monotonic()
        if now - self._reported_s >= REPORTED_EVERY_S:
            self._reported_s = now
            self._report(f"metrics could not be sent to {self._url}: {' '.join(record.getMessage().split())[:200]}")

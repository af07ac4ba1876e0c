"""The declared metrics and spans, created with the OpenTelemetry SDK."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import CallbackOptions, Counter, Histogram, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import INVALID_SPAN, Span, SpanContext, Tracer
from prometheus_client import CollectorRegistry, generate_latest

from monitor.telemetry.metrics import BY_NAME, METRICS
from monitor.telemetry.otlp import SIGNALS, Exporting, OtlpExport
from monitor.telemetry.recorder import NOTHING, Attributes, GaugeValue
from monitor.telemetry.sampling import TraceIds, sampler
from monitor.telemetry.traces import step

FLUSH_S = 2.0  # longest delay of a stop by a slow or unavailable endpoint
EXPORT_FAILURES = "driftd.telemetry.export.failures"


class Telemetry:
    """A `Recorder` that serves `/metrics`, and exports over OTLP when `export` has an endpoint. Without one no span is
    created.
    """

    def __init__(self, *, version: str = "", export: OtlpExport | None = None) -> None:
        resource = Resource({"service.name": "driftd", "service.version": version, "telemetry.sdk.language": "python"})
        self._registry = CollectorRegistry()
        self._scrape = threading.Lock()  # the reader's collector does not support concurrent scrapes
        self._exporting = None if export is None else Exporting(export, self._count_failure)
        readers: list[MetricReader] = [PrometheusMetricReader(registry=self._registry, scope_info_enabled=False)]
        if self._exporting:
            readers.append(self._exporting.metrics)
        self._provider = MeterProvider(metric_readers=readers, resource=resource, shutdown_on_exit=False)
        self._meter = self._provider.get_meter("driftd", version)
        self._counters = self._make_counters()
        self._histograms = self._make_histograms()
        for signal in SIGNALS:
            self.count(EXPORT_FAILURES, 0, {"signal": signal})
        self._traces = None if export is None else self._make_traces(resource, export)
        self._tracer: Tracer | None = self._traces.get_tracer("driftd", version) if self._traces else None

    def count(self, name: str, amount: float, labels: Mapping[str, str] = NOTHING) -> None:
        _check(name, labels)
        self._counters[name].add(amount, dict(labels))

    def record(self, name: str, value: float, labels: Mapping[str, str] = NOTHING) -> None:
        _check(name, labels)
        self._histograms[name].record(value, dict(labels))

    def observe(self, name: str, read: Callable[[], Iterable[GaugeValue]]) -> None:
        """Register a declared gauge. Every scrape and export calls `read`, which never raises."""
        metric = BY_NAME[name]

        def levels(_options: CallbackOptions) -> Iterable[Observation]:
            for level in read():
                _check(name, level.labels)
                yield Observation(level.value, dict(level.labels))

        self._meter.create_observable_gauge(name, [levels], metric.unit, metric.description)

    def span(
        self,
        name: str,
        attributes: Attributes = NOTHING,
        *,
        links: Sequence[SpanContext] = (),
        starts_trace: str | None = None,
        in_trace: str | None = None,
    ) -> AbstractContextManager[Span]:
        if self._tracer is None:
            return nullcontext(INVALID_SPAN)
        return step(self._tracer, name, attributes, links=links, starts_trace=starts_trace, in_trace=in_trace)

    def exposition(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        with self._scrape:
            return generate_latest(self._registry)

    def close(self) -> None:
        """Export what is left, within `FLUSH_S` seconds."""
        if self._exporting is None:
            self._provider.shutdown()
        else:
            self._exporting.close(self._shut_down, FLUSH_S)

    def _shut_down(self) -> None:
        if self._traces is not None:
            self._traces.shutdown()
        self._provider.shutdown()

    def _make_traces(self, resource: Resource, export: OtlpExport) -> TracerProvider:
        provider = TracerProvider(
            sampler=sampler(export.ingest_sample_ratio),
            resource=resource,
            shutdown_on_exit=False,
            id_generator=TraceIds(),
        )
        assert self._exporting is not None, "spans need an endpoint"
        provider.add_span_processor(self._exporting.spans)
        return provider

    def _make_counters(self) -> dict[str, Counter]:
        made = {
            m.name: self._meter.create_counter(m.name, m.unit, m.description) for m in METRICS if m.kind == "counter"
        }
        for metric in METRICS:
            if metric.kind == "counter" and not metric.labels:
                made[metric.name].add(0)  # a rate needs the zero before the first count
        return made

    def _make_histograms(self) -> dict[str, Histogram]:
        return {
            m.name: self._meter.create_histogram(
                m.name, m.unit, m.description, explicit_bucket_boundaries_advisory=m.buckets
            )
            for m in METRICS
            if m.kind == "histogram"
        }

    def _count_failure(self, signal: str) -> None:
        self.count(EXPORT_FAILURES, 1, {"signal": signal})


def _check(name: str, labels: Mapping[str, Any]) -> None:
    declared = BY_NAME[name].labels
    if labels.keys() != set(declared):
        raise ValueError(f"metric {name} has the labels {', '.join(declared) or '(none)'}, not {', '.join(labels)}")

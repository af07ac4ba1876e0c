"""Sends the daemon's own traces and metrics over OTLP/HTTP, in threads of its own: an endpoint that is down costs
the daemon nothing but a counter and one line in the log.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData, PeriodicExportingMetricReader
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult

from monitor.telemetry.spans import OWN_HEADER

if TYPE_CHECKING:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

log = logging.getLogger(__name__)
SIGNALS = ("traces", "metrics")
# What they say of each failed attempt is said once here, and counted.
_CHATTY = (
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    "opentelemetry.sdk._shared_internal",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtlpExport:
    """Where telemetry goes: `/v1/traces` and `/v1/metrics` below `endpoint`. Headers may hold a secret."""

    endpoint: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    interval_s: float = 60.0  # between two exports of the metrics
    span_delay_s: float = 5.0  # the longest a span waits for others
    ingest_sample_ratio: float = 1.0
    timeout_s: float = 10.0  # of one export with its retries


class Exporting:
    """The two pipelines. `failed` is told the signal of every export that did not arrive."""

    def __init__(self, settings: OtlpExport, failed: Callable[[str], None]) -> None:
        self._quiet = _Quiet()
        self._spans = _span_exporter(settings, _Watch("traces", settings.endpoint, failed))
        self._metrics = _metric_exporter(settings, _Watch("metrics", settings.endpoint, failed))
        self.spans = BatchSpanProcessor(self._spans, schedule_delay_millis=settings.span_delay_s * 1000)
        self.metrics = PeriodicExportingMetricReader(
            self._metrics,
            export_interval_millis=settings.interval_s * 1000,
            export_timeout_millis=settings.timeout_s * 1000,
        )

    def close(self, shut_down: Callable[[], None], within_s: float) -> None:
        """Send what is left, and give up what the endpoint does not take in time."""
        closing = threading.Thread(target=shut_down, name="driftd-telemetry-close", daemon=True)
        closing.start()
        closing.join(within_s)
        for exporter in (self._spans, self._metrics):
            exporter.shutdown()  # wakes an exporter that waits to try again
        closing.join(0.5)
        if not closing.is_alive():  # what hangs still would complain after we are gone
            self._quiet.end()


class _Watch:
    """Counts failed exports; the log hears of the first one, and of the first success after it."""

    def __init__(self, signal: str, endpoint: str, failed: Callable[[str], None]) -> None:
        self._signal, self._endpoint, self._failed = signal, endpoint, failed
        self._down = False

    def saw(self, *, arrived: bool) -> None:
        if not arrived:
            self._failed(self._signal)
            if not self._down:
                log.warning(
                    "%s cannot be sent to telemetry.otlp_endpoint %s; driftd works on, and counts what is lost",
                    self._signal,
                    self._endpoint,
                )
        elif self._down:
            log.info("%s are sent to telemetry.otlp_endpoint %s again", self._signal, self._endpoint)
        self._down = not arrived


class _Quiet:
    """Drops the SDK's own lines about exports while it lives."""

    def __init__(self) -> None:
        for name in _CHATTY:
            logging.getLogger(name).addFilter(self._drop)

    def end(self) -> None:
        for name in _CHATTY:
            logging.getLogger(name).removeFilter(self._drop)

    def _drop(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.CRITICAL


def _span_exporter(settings: OtlpExport, watch: _Watch) -> "OTLPSpanExporter":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # slow, and rarely wanted

    class WatchedSpans(OTLPSpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            result = super().export(spans)
            watch.saw(arrived=result is SpanExportResult.SUCCESS)
            return result

        def shutdown(self) -> None:
            if not self._shutdown:
                super().shutdown()  # type: ignore[no-untyped-call]  # the SDK's

    return WatchedSpans(**_arguments(settings, "traces"))


def _metric_exporter(settings: OtlpExport, watch: _Watch) -> "OTLPMetricExporter":
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # slow, and rarely wanted

    class WatchedMetrics(OTLPMetricExporter):
        def export(
            self, metrics_data: MetricsData, timeout_millis: float | None = 10_000, **kwargs: Any
        ) -> MetricExportResult:
            result = super().export(metrics_data, timeout_millis, **kwargs)
            watch.saw(arrived=result is MetricExportResult.SUCCESS)
            return result

        def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:
            if not self._shutdown:
                super().shutdown(timeout_millis, **kwargs)

    return WatchedMetrics(**_arguments(settings, "metrics"))


def _arguments(settings: OtlpExport, signal: str) -> dict[str, Any]:
    import requests  # the exporter's own client

    session = requests.Session()
    session.trust_env = False  # the environment's proxies and .netrc are no configuration of ours
    return {
        "endpoint": f"{settings.endpoint.rstrip('/')}/v1/{signal}",
        "headers": {**settings.headers, OWN_HEADER: "1"},
        "timeout": settings.timeout_s,
        "session": session,
    }

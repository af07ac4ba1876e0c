"""Export the daemon's own traces and metrics over OTLP/HTTP, in threads of their own.

An unavailable endpoint does not delay the daemon: failed exports are counted, and the first one is logged.
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
# These loggers report every failed attempt. driftd counts failures and logs the first one.
_NOISY_LOGGERS = (
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    "opentelemetry.sdk._shared_internal",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtlpExport:
    """The endpoint and the intervals of the export, to `/v1/traces` and `/v1/metrics`. Headers may contain a secret."""

    endpoint: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    interval_s: float = 60.0  # between two exports of the metrics
    span_delay_s: float = 5.0  # longest time for which a span waits for others
    ingest_sample_ratio: float = 1.0
    timeout_s: float = 10.0  # of one export with its retries


class Exporting:
    """The two export pipelines. They call `failed` with the signal of every failed export."""

    def __init__(self, settings: OtlpExport, failed: Callable[[str], None]) -> None:
        self._log_filter = _SdkLogFilter()
        self._spans = _span_exporter(settings, _ExportHealth("traces", settings.endpoint, failed))
        self._metrics = _metric_exporter(settings, _ExportHealth("metrics", settings.endpoint, failed))
        self.spans = BatchSpanProcessor(self._spans, schedule_delay_millis=settings.span_delay_s * 1000)
        self.metrics = PeriodicExportingMetricReader(
            self._metrics,
            export_interval_millis=settings.interval_s * 1000,
            export_timeout_millis=settings.timeout_s * 1000,
        )

    def close(self, shut_down: Callable[[], None], within_s: float) -> None:
        """Export what is left. Discard what the endpoint does not accept within `within_s` seconds."""
        closing = threading.Thread(target=shut_down, name="driftd-telemetry-close", daemon=True)
        closing.start()
        closing.join(within_s)
        for exporter in (self._spans, self._metrics):
            exporter.shutdown()  # wakes an exporter that waits for its next attempt
        closing.join(0.5)
        if not closing.is_alive():  # a thread that still hangs would log after the close
            self._log_filter.end()


class _ExportHealth:
    """Count failed exports. Log the first failure and the first success after it."""

    def __init__(self, signal: str, endpoint: str, failed: Callable[[str], None]) -> None:
        self._signal, self._endpoint, self._failed = signal, endpoint, failed
        self._down = False

    def record(self, *, arrived: bool) -> None:
        if not arrived:
            self._failed(self._signal)
            if not self._down:
                log.warning(
                    "%s cannot be exported to telemetry.otlp_endpoint %s; driftd continues and counts failed exports",
                    self._signal,
                    self._endpoint,
                )
        elif self._down:
            log.info("%s are exported to telemetry.otlp_endpoint %s again", self._signal, self._endpoint)
        self._down = not arrived


class _SdkLogFilter:
    """Suppress the SDK's own log lines about failed exports until `end`."""

    def __init__(self) -> None:
        for name in _NOISY_LOGGERS:
            logging.getLogger(name).addFilter(self._drop)

    def end(self) -> None:
        for name in _NOISY_LOGGERS:
            logging.getLogger(name).removeFilter(self._drop)

    def _drop(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.CRITICAL


def _span_exporter(settings: OtlpExport, health: _ExportHealth) -> "OTLPSpanExporter":
    # Slow to import and rarely needed.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    class CountedSpans(OTLPSpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            result = super().export(spans)
            health.record(arrived=result is SpanExportResult.SUCCESS)
            return result

        def shutdown(self) -> None:
            if not self._shutdown:
                super().shutdown()  # type: ignore[no-untyped-call]  # the SDK's

    return CountedSpans(**_arguments(settings, "traces"))


def _metric_exporter(settings: OtlpExport, health: _ExportHealth) -> "OTLPMetricExporter":
    # Slow to import and rarely needed.
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

    class CountedMetrics(OTLPMetricExporter):
        def export(
            self, metrics_data: MetricsData, timeout_millis: float | None = 10_000, **kwargs: Any
        ) -> MetricExportResult:
            result = super().export(metrics_data, timeout_millis, **kwargs)
            health.record(arrived=result is MetricExportResult.SUCCESS)
            return result

        def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:
            if not self._shutdown:
                super().shutdown(timeout_millis, **kwargs)

    return CountedMetrics(**_arguments(settings, "metrics"))


def _arguments(settings: OtlpExport, signal: str) -> dict[str, Any]:
    import requests  # the exporter's own client

    session = requests.Session()
    session.trust_env = False  # driftd uses neither proxies from the environment nor .netrc
    return {
        "endpoint": f"{settings.endpoint.rstrip('/')}/v1/{signal}",
        "headers": {**settings.headers, OWN_HEADER: "1"},
        "timeout": settings.timeout_s,
        "session": session,
    }

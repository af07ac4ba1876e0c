"""What the daemon counts about itself: one declared list of metrics with units, read at /metrics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import Counter, Histogram
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import CollectorRegistry, generate_latest


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One declared instrument; `labels` are all the attribute keys it may carry."""

    name: str
    kind: Literal["counter", "histogram"]
    unit: str
    description: str
    labels: tuple[str, ...] = ()


METRICS = (
    Metric(
        name="driftd.loop.steps", kind="counter", unit="{step}", description="Steps a loop has made.", labels=("loop",)
    ),
    Metric(
        name="driftd.loop.rows",
        kind="counter",
        unit="{row}",
        description="Rows a loop has handled: links, changes, planned runs, outcomes, findings, notifications.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.loop.step.duration",
        kind="histogram",
        unit="s",
        description="How long a step that handled something took.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.loop.retries",
        kind="counter",
        unit="{retry}",
        description="Steps that failed in a way that may pass, and were tried again.",
        labels=("loop",),
    ),
)


class Telemetry:
    """The daemon's own instruments. Recording never fails and never blocks."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._provider = MeterProvider(metric_readers=[PrometheusMetricReader(registry=self._registry)])
        meter = self._provider.get_meter("driftd")
        self._counters: dict[str, Counter] = {
            m.name: meter.create_counter(m.name, m.unit, m.description) for m in METRICS if m.kind == "counter"
        }
        self._histograms: dict[str, Histogram] = {
            m.name: meter.create_histogram(m.name, m.unit, m.description) for m in METRICS if m.kind == "histogram"
        }

    def count(self, name: str, amount: int, labels: Mapping[str, str]) -> None:
        """Add to a declared counter; an undeclared name is a KeyError, found by the first test that passes it."""
        self._counters[name].add(amount, dict(labels))

    def record(self, name: str, value: float, labels: Mapping[str, str]) -> None:
        self._histograms[name].record(value, dict(labels))

    def exposition(self) -> bytes:
        """Everything counted so far, in Prometheus' text format."""
        return generate_latest(self._registry)

    def close(self) -> None:
        self._provider.shutdown()

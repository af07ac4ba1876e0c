"""The ids of spans, and which traces of ingest requests are sampled."""

from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_OFF,
    ALWAYS_ON,
    ParentBased,
    Sampler,
    SamplingResult,
    TraceIdRatioBased,
)
from opentelemetry.trace import Link, SpanKind, TraceState
from opentelemetry.util.types import Attributes as OtelAttributes

from monitor.telemetry.spans import OWN, RECEIVE
from monitor.telemetry.traces import trace_root


class TraceIds(RandomIdGenerator):
    """Generate random ids. A root that starts the trace of an id of driftd gets the ids derived from it."""

    def generate_trace_id(self) -> int:
        root = trace_root.get()
        return root.trace_id if root else super().generate_trace_id()

    def generate_span_id(self) -> int:
        root = trace_root.get()
        return root.span_id if root else super().generate_span_id()


class IngestSampler(Sampler):
    """Sample a share of the ingest requests, no request with driftd's own telemetry, and every other trace."""

    def __init__(self, ratio: float) -> None:
        self._requests = TraceIdRatioBased(ratio)

    def should_sample(  # noqa: PLR0917  the SDK's signature
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: OtelAttributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        rule = self._rule(name, attributes or {})
        return rule.should_sample(parent_context, trace_id, name, kind, attributes, links, trace_state)

    def _rule(self, name: str, attributes: Mapping[str, Any]) -> Sampler:
        if name != RECEIVE:
            return ALWAYS_ON
        return ALWAYS_OFF if OWN in attributes else self._requests

    def get_description(self) -> str:
        return f"IngestSampler({self._requests.get_description()})"


def sampler(ingest_ratio: float) -> Sampler:
    """Return the sampler. A span with a parent is sampled if its parent is."""
    return ParentBased(root=IngestSampler(ingest_ratio))

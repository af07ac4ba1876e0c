"""How spans are made: what may be in them, which trace they belong to, and how many of ingest's are kept."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
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
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    Tracer,
    TraceState,
    get_current_span,
    set_span_in_context,
    use_span,
)
from opentelemetry.util.types import Attributes as OtelAttributes

from monitor.telemetry.recorder import Attributes
from monitor.telemetry.spans import BY_NAME, ERROR_TYPE, OWN, RECEIVE

_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_beginning: ContextVar[SpanContext | None] = ContextVar("driftd_beginning", default=None)


def here() -> SpanContext:
    """The step this thread or task is in; invalid when it is in none."""
    return get_current_span().get_span_context()


def root_of(subject: str) -> SpanContext:
    """The root span of the trace of an id of ours: the same in every process, so that nothing must be remembered."""
    digest = hashlib.sha256(subject.encode()).digest()
    trace_id, span_id = int.from_bytes(digest[:16]), int.from_bytes(digest[16:24])
    return SpanContext(trace_id, span_id, is_remote=True, trace_flags=_SAMPLED)


@contextmanager
def step(
    tracer: Tracer,
    name: str,
    attributes: Attributes,
    *,
    links: Sequence[SpanContext] = (),
    begins: str | None = None,
    follows: str | None = None,
) -> Iterator[Span]:
    """See `Recorder.span`."""
    span = _start(tracer, name, attributes, links=links, begins=begins, follows=follows)
    with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield span
        except BaseException as error:
            mark_failed(span, error)
            raise


def mark_failed(span: Span, error: BaseException) -> None:
    """By its class alone: a message may quote what is private."""
    span.set_attribute(ERROR_TYPE, type(error).__name__)
    span.set_status(Status(StatusCode.ERROR))


def _start(
    tracer: Tracer,
    name: str,
    attributes: Attributes,
    *,
    links: Sequence[SpanContext] = (),
    begins: str | None = None,
    follows: str | None = None,
) -> Span:
    token = _beginning.set(root_of(begins) if begins else None)
    try:
        return tracer.start_span(
            name,
            context=_context(begins, follows),
            kind=BY_NAME[name].kind,
            attributes=dict(attributes),
            links=[Link(link) for link in links],
        )
    finally:
        _beginning.reset(token)


def _context(begins: str | None, follows: str | None) -> Context | None:
    if follows:
        return set_span_in_context(NonRecordingSpan(root_of(follows)), Context())
    return Context() if begins else None


class Ids(RandomIdGenerator):
    """Random ids, but for a root that begins the trace of an id of ours."""

    def generate_trace_id(self) -> int:
        root = _beginning.get()
        return root.trace_id if root else super().generate_trace_id()

    def generate_span_id(self) -> int:
        root = _beginning.get()
        return root.span_id if root else super().generate_span_id()


class ShareOfIngest(Sampler):
    """Keeps a share of the traces of requests, none of our own exports, and all of the others, which are few."""

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
        return f"ShareOfIngest({self._requests.get_description()})"


def sampler(ingest_ratio: float) -> Sampler:
    """A step inside another is kept when that one is."""
    return ParentBased(root=ShareOfIngest(ingest_ratio))

"""Create spans: their attributes, their links and the trace that they belong to."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from opentelemetry.context import Context
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    Tracer,
    get_current_span,
    set_span_in_context,
    use_span,
)

from monitor.telemetry.recorder import Attributes
from monitor.telemetry.spans import BY_NAME, ERROR_TYPE

_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
trace_root: ContextVar[SpanContext | None] = ContextVar("driftd_trace_root", default=None)


def current_span_context() -> SpanContext:
    """Return the context of the current span of this thread or task. It is invalid without one."""
    return get_current_span().get_span_context()


def root_of(subject: str) -> SpanContext:
    """Return the context of the root span of the trace of an id of driftd.

    It is derived from the id, so every process computes the same context and nothing is stored.
    """
    digest = hashlib.sha256(subject.encode()).digest()
    trace_id, span_id = int.from_bytes(digest[:16]), int.from_bytes(digest[16:24])
    return SpanContext(trace_id, span_id, is_remote=True, trace_flags=_SAMPLED)


def call_context(trace_id: str | None, span_id: str | None) -> SpanContext | None:
    """Return the context of a span of another system from its ids in hex; None without valid ids.

    >>> call_context("ab" * 16, "cd" * 8).is_valid
    True
    >>> call_context("trace 7", None) is None
    True
    """
    try:
        context = SpanContext(int(trace_id or "0", 16), int(span_id or "0", 16), is_remote=True, trace_flags=_SAMPLED)
    except ValueError:
        return None
    return context if context.is_valid else None


@contextmanager
def step(
    tracer: Tracer,
    name: str,
    attributes: Attributes,
    *,
    links: Sequence[SpanContext] = (),
    starts_trace: str | None = None,
    in_trace: str | None = None,
) -> Iterator[Span]:
    """See `Recorder.span`."""
    span = _start(tracer, name, attributes, links=links, starts_trace=starts_trace, in_trace=in_trace)
    with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield span
        except BaseException as error:
            mark_failed(span, error)
            raise


def mark_failed(span: Span, error: BaseException) -> None:
    """Mark the span as failed with the class of the error. The message may quote private text and is left out."""
    span.set_attribute(ERROR_TYPE, type(error).__name__)
    span.set_status(Status(StatusCode.ERROR))


def _start(
    tracer: Tracer,
    name: str,
    attributes: Attributes,
    *,
    links: Sequence[SpanContext] = (),
    starts_trace: str | None = None,
    in_trace: str | None = None,
) -> Span:
    token = trace_root.set(root_of(starts_trace) if starts_trace else None)
    try:
        return tracer.start_span(
            name,
            context=_context(starts_trace, in_trace),
            kind=BY_NAME[name].kind,
            attributes=dict(attributes),
            links=[Link(link) for link in links],
        )
    finally:
        trace_root.reset(token)


def _context(starts_trace: str | None, in_trace: str | None) -> Context | None:
    if in_trace:
        return set_span_in_context(NonRecordingSpan(root_of(in_trace)), Context())
    return Context() if starts_trace else None

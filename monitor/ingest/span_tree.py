"""Which span stands in which, as far as one request tells: what lies around a call is often said there."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from monitor.ingest.otlp_records import OtlpSpan

MAX_ANCESTORS = 64
NOTHING: Mapping[str, Any] = {}

Key = tuple[str, str]  # trace id and span id


class SpanTree:
    """The spans of one request. Spans that name each other as parents, or themselves, end after 64 steps."""

    def __init__(self, spans: Sequence[OtlpSpan]) -> None:
        self._spans = spans
        self._around: dict[Key, Mapping[str, Any]] = {}

    @cached_property
    def _by_key(self) -> dict[Key, OtlpSpan]:
        """Made when the first parent is asked for: many requests hold nothing but spans without one."""
        return {(span.trace_id, span.span_id): span for span in self._spans}

    def ancestors(self, span: OtlpSpan) -> Iterator[OtlpSpan]:
        """Those of the same request, the nearest first."""
        for _ in range(MAX_ANCESTORS):
            if not span.parent_span_id or (above := self._by_key.get((span.trace_id, span.parent_span_id))) is None:
                return
            yield above
            span = above

    def around(self, span: OtlpSpan) -> Mapping[str, Any]:
        """The attributes of the ancestors, the nearest winning; worked out once for all spans with one parent."""
        if not span.parent_span_id:
            return NOTHING
        key = (span.trace_id, span.parent_span_id)
        known = self._around.get(key)
        if known is None:
            above = [a.attributes for a in self.ancestors(span)]
            known = {name: value for own in reversed(above) for name, value in own.items()}
            self._around[key] = known
        return known

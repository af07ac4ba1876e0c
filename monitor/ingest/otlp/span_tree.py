"""Which span is the parent of which within one request: what concerns a call is often said by the spans above it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final

from monitor.ingest.limits import SHARED_CHARS
from monitor.ingest.spans import OtlpSpan

MAX_ANCESTORS: Final = 64
KEPT_CHARS: Final = 4096  # of the attributes of spans above that stay with a call

Key = tuple[str, str]  # trace id and span id
Keep = Callable[[Mapping[str, Any]], dict[str, Any]]  # attributes of a span to those that stay with the calls below


class ParentAttributes(Mapping[str, Any]):
    """The attributes of the spans above a call, the nearest winning; `kept` are those that stay with the call.

    They are looked up and never merged, and their texts end at SHARED_CHARS: thousands of calls may be below one span,
    and each copy of its attributes would multiply the memory that one request takes.
    """

    __slots__ = ("_above", "kept")

    def __init__(self, above: Sequence[Mapping[str, Any]], kept: Mapping[str, Any]) -> None:
        self._above = above
        self.kept = kept

    def __getitem__(self, name: str) -> Any:
        for attributes in self._above:
            if name in attributes:
                found = attributes[name]
                return found[:SHARED_CHARS] if isinstance(found, str) else found
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(chain.from_iterable(self._above)))

    def __len__(self) -> int:
        return len(dict.fromkeys(chain.from_iterable(self._above)))

    def __bool__(self) -> bool:
        return bool(self._above)


class SpanTree:
    """The spans of one request. Spans that name each other as parents, or themselves, end after 64 steps."""

    def __init__(self, spans: Sequence[OtlpSpan], keep: Keep) -> None:
        self._spans = spans
        self._keep = keep
        self._kept: dict[Key, dict[str, Any]] = {}
        self._around: dict[Key, ParentAttributes] = {}

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

    def around(self, span: OtlpSpan) -> ParentAttributes:
        """What the ancestors say; worked out once for all spans with one parent."""
        if not span.parent_span_id:
            return NOTHING
        key = (span.trace_id, span.parent_span_id)
        known = self._around.get(key)
        if known is None:
            above = list(self.ancestors(span))
            known = ParentAttributes([a.attributes for a in above], self._kept_of(above)) if above else NOTHING
            self._around[key] = known
        return known

    def _kept_of(self, above: Sequence[OtlpSpan]) -> Mapping[str, Any]:
        merged: dict[str, Any] = {}
        room = KEPT_CHARS
        for span in above:
            key = (span.trace_id, span.span_id)
            if key not in self._kept:
                self._kept[key] = self._keep(span.attributes)
            for name, value in self._kept[key].items():
                size = len(name) + len(str(value))
                if name not in merged and size <= room:
                    merged[name] = value
                    room -= size
        return merged


NOTHING: Final = ParentAttributes((), {})

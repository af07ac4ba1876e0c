"""Which span is the parent of which within one request: what concerns a call is often said by the spans above it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final

from monitor.ingest.limits import SHARED_CHARS
from monitor.ingest.spans import OtlpSpan

MAX_ANCESTORS: Final = 64
MAX_KEPT_CHARS: Final = 4096  # of the attributes of spans above that stay with a call

Key = tuple[str, str]  # trace id and span id
Keep = Callable[[Mapping[str, Any]], dict[str, Any]]  # attributes of a span to those that stay with the calls below


class ParentAttributes(Mapping[str, Any]):
    """The attributes of the spans above a call, the nearest winning; `kept` are those that stay with the call.

    They are looked up and never merged, and their texts end at SHARED_CHARS: thousands of calls may be below one span,
    and each copy of its attributes would multiply the memory that one request takes.
    """

    __slots__ = ("_ancestors", "kept")

    def __init__(self, ancestors: Sequence[Mapping[str, Any]], kept: Mapping[str, Any]) -> None:
        self._ancestors = ancestors
        self.kept = kept

    def __getitem__(self, name: str) -> Any:
        for attributes in self._ancestors:
            if name in attributes:
                found = attributes[name]
                return found[:SHARED_CHARS] if isinstance(found, str) else found
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(chain.from_iterable(self._ancestors)))

    def __len__(self) -> int:
        return len(dict.fromkeys(chain.from_iterable(self._ancestors)))

    def __bool__(self) -> bool:
        return bool(self._ancestors)


class SpanTree:
    """The spans of one request. Spans that name each other as parents, or themselves, end after 64 steps."""

    def __init__(self, spans: Sequence[OtlpSpan], keep: Keep) -> None:
        self._spans = spans
        self._keep = keep
        self._kept: dict[Key, dict[str, Any]] = {}
        self._inherited: dict[Key, ParentAttributes] = {}

    @cached_property
    def _by_key(self) -> dict[Key, OtlpSpan]:
        """Made when the first parent is asked for: many requests hold nothing but spans without one."""
        return {(span.trace_id, span.span_id): span for span in self._spans}

    def ancestors(self, span: OtlpSpan) -> Iterator[OtlpSpan]:
        """Those of the same request, the nearest first."""
        for _ in range(MAX_ANCESTORS):
            if not span.parent_span_id or (parent := self._by_key.get((span.trace_id, span.parent_span_id))) is None:
                return
            yield parent
            span = parent

    def inherited_attributes(self, span: OtlpSpan) -> ParentAttributes:
        """What the ancestors say; worked out once for all spans with one parent."""
        if not span.parent_span_id:
            return NO_ANCESTORS
        key = (span.trace_id, span.parent_span_id)
        inherited = self._inherited.get(key)
        if inherited is None:
            ancestors = list(self.ancestors(span))
            inherited = (
                ParentAttributes([a.attributes for a in ancestors], self._merge_kept(ancestors))
                if ancestors
                else NO_ANCESTORS
            )
            self._inherited[key] = inherited
        return inherited

    def _merge_kept(self, ancestors: Sequence[OtlpSpan]) -> Mapping[str, Any]:
        merged: dict[str, Any] = {}
        remaining = MAX_KEPT_CHARS
        for span in ancestors:
            key = (span.trace_id, span.span_id)
            if key not in self._kept:
                self._kept[key] = self._keep(span.attributes)
            for name, value in self._kept[key].items():
                size = len(name) + len(str(value))
                if name not in merged and size <= remaining:
                    merged[name] = value
                    remaining -= size
        return merged


NO_ANCESTORS: Final = ParentAttributes((), {})

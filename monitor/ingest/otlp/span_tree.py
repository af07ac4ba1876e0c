"""The parent relations of the spans in one request: spans above a call often have attributes that apply to it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final

from monitor.ingest.limits import SHARED_CHARS
from monitor.ingest.spans import OtlpSpan

MAX_ANCESTORS: Final = 64
MAX_KEPT_CHARS: Final = 4096  # of inherited attributes that a call keeps

Key = tuple[str, str]  # trace id and span id
Keep = Callable[[Mapping[str, Any]], dict[str, Any]]  # attributes of a span -> those that the calls below keep


class ParentAttributes(Mapping[str, Any]):
    """The attributes of the ancestors of a call; the nearest wins. `kept` are those that stay with the call.

    They are looked up, not merged, and texts are truncated to SHARED_CHARS. Thousands of calls may be below one span,
    and a copy for each would multiply the memory of the request.
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
    """The spans of one request. A path of ancestors ends after 64 spans, because spans may form a cycle."""

    def __init__(self, spans: Sequence[OtlpSpan], keep: Keep) -> None:
        self._spans = spans
        self._keep = keep
        self._kept: dict[Key, dict[str, Any]] = {}
        self._inherited: dict[Key, ParentAttributes] = {}

    @cached_property
    def _by_key(self) -> dict[Key, OtlpSpan]:
        """Computed on first use: in many requests no span has a parent."""
        return {(span.trace_id, span.span_id): span for span in self._spans}

    def ancestors(self, span: OtlpSpan) -> Iterator[OtlpSpan]:
        """Yield the ancestors in the same request, the nearest first."""
        for _ in range(MAX_ANCESTORS):
            if not span.parent_span_id or (parent := self._by_key.get((span.trace_id, span.parent_span_id))) is None:
                return
            yield parent
            span = parent

    def inherited_attributes(self, span: OtlpSpan) -> ParentAttributes:
        """Return the attributes of the ancestors, computed once for all spans with the same parent."""
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

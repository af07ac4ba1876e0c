"""Cache of the decisions that depend on attribute names alone.

The spans of one instrumentation have the same few sets of attribute names. Three decisions follow from the names,
whatever the values are: which convention may recognize a span, which spelling of a field the span has, and which
attributes driftd keeps. `cached_by_names` stores the result for each sequence of names, so that only the values of
most spans are read. A sender that invents names costs time but no memory: long sequences are not cached, and the
cache is cleared when it is full.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Answer = TypeVar("Answer")

MAX_KEPT = 512
MAX_NAMES, MAX_CHARS = 128, 8_192  # of one cached sequence; about 4 MB for the whole cache


def cached_by_names(decide: Callable[[tuple[str, ...]], Answer]) -> Callable[[Mapping[str, Any]], Answer]:
    """Return `decide` as a function of attributes that caches its result by their names, in order.

    Callers share the result and must not change it.
    """
    known: dict[tuple[str, ...], Answer] = {}

    def decided(attributes: Mapping[str, Any]) -> Answer:
        names = tuple(attributes)
        try:
            return known[names]
        except KeyError:
            answer = decide(names)
            if may_be_cached(names):
                if len(known) >= MAX_KEPT:
                    known.clear()
                known[names] = answer
            return answer

    return decided


def may_be_cached(names: tuple[str, ...]) -> bool:
    """Return whether the result for these names is kept."""
    return len(names) <= MAX_NAMES and sum(map(len, names)) <= MAX_CHARS

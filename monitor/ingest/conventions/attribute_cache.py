"""What names alone decide, decided once: the spans of one instrumentation have the same few sets of attribute names.

Which convention may claim a span, which of a field's spellings it holds and which attributes stay with the call follow
from the names, whatever the values. `by_names` keeps the answer for each sequence of names that it has met, so that
for most spans there are only values to look at. A sender that invents names costs the work, and no memory: long lists
of names are not kept, and all are forgotten when they become many.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Answer = TypeVar("Answer")

MAX_KEPT = 512
MAX_NAMES, MAX_CHARS = 128, 8_192  # of one sequence that is kept: some 4 MB for all


def by_names(decide: Callable[[tuple[str, ...]], Answer]) -> Callable[[Mapping[str, Any]], Answer]:
    """`decide` for the names of any attributes, in their order; its answer must not be changed."""
    known: dict[tuple[str, ...], Answer] = {}

    def decided(attributes: Mapping[str, Any]) -> Answer:
        names = tuple(attributes)
        try:
            return known[names]
        except KeyError:
            answer = decide(names)
            if len(names) <= MAX_NAMES and sum(map(len, names)) <= MAX_CHARS:
                if len(known) >= MAX_KEPT:
                    known.clear()
                known[names] = answer
            return answer

    return decided

"""Find which of many texts have a shape of a private value, with one search over all of them."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence, Sized
from itertools import accumulate
from typing import Any, Final

from monitor.ingest.redact.automaton import union

_SEPARATOR_BYTES: Final = 1  # between two texts


class Shapes:
    """One automaton for all shapes of the redacted kinds. A text without a hit has no private value; a text with a hit
    needs an exact check.
    """

    def __init__(self, shapes: Sequence[bytes]) -> None:
        self._any = union(shapes)

    def first(self, joined: bytes) -> Any:
        """Return the first match; None when no text has a shape, as in most batches."""
        return self._any.search(joined)

    def hits(self, joined: bytes, texts: Sequence[Sized], first: Any) -> Iterator[int]:
        """Yield the index of each of `texts` that has a shape. `joined` is all of them with line breaks between.

        A match may continue in the next text. It is a hit of the text where it starts, and the search continues with
        the next text.
        """
        starts = [0, *accumulate(len(text) + _SEPARATOR_BYTES for text in texts)]
        match = first
        while match is not None:
            index = min(bisect_right(starts, match.start()), len(texts)) - 1
            yield index
            match = self._any.search(joined, starts[index + 1]) if index + 1 < len(texts) else None

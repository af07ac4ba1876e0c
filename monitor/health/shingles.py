"""Texts as sets of shingles, and the share of one text that another contains."""

import math
from collections import Counter
from collections.abc import Mapping

from replay.normal_form import normal_form

MANY = 20  # texts; from this number on, a shingle that more than half of them have is left out
LENGTH = 8  # characters: long enough to be rare, short enough to survive a changed word


def normal(text: str) -> str:
    r"""Return the text in the form for comparison: NFKC, lower case, letters and digits, single spaces.

    >>> normal("  Is 7, a PRIME\nnumber? ")
    'is 7 a prime number'
    """
    folded = normal_form(text, "NFKC").casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


def shingles(normalized: str) -> frozenset[str]:
    """Return every substring of LENGTH characters. A shorter text is its own shingle; an empty text has none."""
    if not normalized:
        return frozenset()
    return frozenset(normalized[i : i + LENGTH] for i in range(max(1, len(normalized) - LENGTH + 1)))


class ShingleIndex:
    """Finds which of some texts a given text contains.

    Formula:   containment of text c in text t: sum of w(s) over the shingles s of c that t has, over that of all
               of c's; w(s) = ln((n + 1) / d(s)), d(s) the number of the n texts that have s. A shingle of all texts (a
               template) has nearly no weight; a shingle of c alone has the most.
    Range:     [0, 1]: 1 when all of c is there.
    Smallest:  one text; then every shingle has the same weight and the result is plain containment.
    Source:    Broder, On the resemblance and containment of documents, SEQUENCES 1997; weights: Sparck Jones,
               Journal of Documentation 28 (1972) 11-21.
    Differs:   all shingles are compared, none sampled: the sets are small enough. From 20 texts on a shingle that more
               than half of them have is left out. Candidates come by prefix filtering, which loses none: Chaudhuri,
               Ganti and Kaushik, ICDE 2006.

    >>> index = ShingleIndex({"a": "Is 17077 a prime number?", "b": "Is 17078 a prime number?"})
    >>> sorted((key, round(share, 2)) for key, share in index.found_in("Well: is 17077 a prime number? Yes.").items())
    [('a', 1.0), ('b', 0.27)]
    """

    def __init__(self, texts: Mapping[str, str], at_least: float = 0.0) -> None:
        """`at_least` is the share of a text that must be found. A larger share makes the search faster."""
        pieces = {key: found for key, text in texts.items() if (found := shingles(normal(text)))}
        df = Counter(piece for found in pieces.values() for piece in found)
        if len(pieces) >= MANY:
            rare = {key: frozenset(p for p in found if 2 * df[p] <= len(pieces)) for key, found in pieces.items()}
            pieces = {key: found for key, found in rare.items() if found}
        self._at_least, self._pieces = at_least, pieces
        self._weight = {piece: math.log((len(pieces) + 1) / count) for piece, count in df.items()}
        self._whole = {key: sum(self._weight[piece] for piece in held) for key, held in pieces.items()}
        self._keys_of: dict[str, list[str]] = {}  # inverted index: from a shingle to the texts that have it
        for key in pieces:
            for piece in self._needed(key):
                self._keys_of.setdefault(piece, []).append(key)

    def found_in(self, text: str) -> dict[str, float]:
        """Return by key the share of each text that this text contains, for shares of at least `at_least`."""
        given = shingles(normal(text))
        hit = {key for piece in given for key in self._keys_of.get(piece, ())}
        shares = {key: self._share(key, given) for key in hit}
        return {key: share for key, share in shares.items() if share >= self._at_least}

    def _share(self, key: str, given: frozenset[str]) -> float:
        found = sum(self._weight[piece] for piece in self._pieces[key] & given)
        return min(found / self._whole[key], 1.0)

    def _needed(self, key: str) -> list[str]:
        """Return the rarest shingles of a text: a text that has none of them cannot contain `at_least` of it."""
        needed: list[str] = []
        left = (1.0 - self._at_least) * self._whole[key] + 1e-9
        for piece in sorted(self._pieces[key], key=lambda piece: (-self._weight[piece], piece)):
            if left < 0.0:
                break
            needed.append(piece)
            left -= self._weight[piece]
        return needed

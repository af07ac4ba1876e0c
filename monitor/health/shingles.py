"""Texts as sets of short pieces, and how much of one is found in another: what copies are recognised by."""

import math
from collections import Counter
from collections.abc import Mapping

from replay.normal_form import normal_form

MANY = 20  # texts; from here on a shingle of more than half of them is left out
LENGTH = 8  # characters: long enough to be rare, short enough to survive a changed word


def normal(text: str) -> str:
    r"""As texts are compared: NFKC, lower case, letters and digits, single spaces between.

    >>> normal("  Is 7, a PRIME\nnumber? ")
    'is 7 a prime number'
    """
    folded = normal_form(text, "NFKC").casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


def shingles(normalised: str) -> frozenset[str]:
    """Every run of LENGTH characters; of a shorter text the text itself, of none nothing."""
    if not normalised:
        return frozenset()
    return frozenset(normalised[i : i + LENGTH] for i in range(max(1, len(normalised) - LENGTH + 1)))


class ShingleIndex:
    """Which of some texts a given one holds.

    Formula:   containment of text c in text t: sum of w(s) over the shingles s of c that t has, over that of all
               of c's; w(s) = ln((n + 1) / d(s)), d(s) the texts of the n that have s. What all of them share (a
               template) weighs nearly nothing, what is c's own weighs most.
    Range:     [0, 1]: 1 when all of c is there.
    Smallest:  one text; then every shingle weighs the same and it is plain containment.
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
        """`at_least` of a text must be found; the larger it is, the faster the search."""
        pieces = {key: held for key, text in texts.items() if (held := shingles(normal(text)))}
        df = Counter(piece for held in pieces.values() for piece in held)
        if len(pieces) >= MANY:
            rare = {key: frozenset(p for p in held if 2 * df[p] <= len(pieces)) for key, held in pieces.items()}
            pieces = {key: held for key, held in rare.items() if held}
        self._at_least, self._pieces = at_least, pieces
        self._weight = {piece: math.log((len(pieces) + 1) / count) for piece, count in df.items()}
        self._whole = {key: sum(self._weight[piece] for piece in held) for key, held in pieces.items()}
        self._holders: dict[str, list[str]] = {}
        for key in pieces:
            for piece in self._needed(key):
                self._holders.setdefault(piece, []).append(key)

    def found_in(self, text: str) -> dict[str, float]:
        """By key, how much of each text is in this one; only what shares anything and reaches `at_least`."""
        there = shingles(normal(text))
        hit = {key for piece in there for key in self._holders.get(piece, ())}
        shares = {key: self._share(key, there) for key in hit}
        return {key: share for key, share in shares.items() if share >= self._at_least}

    def _share(self, key: str, there: frozenset[str]) -> float:
        found = sum(self._weight[piece] for piece in self._pieces[key] & there)
        return min(found / self._whole[key], 1.0)

    def _needed(self, key: str) -> list[str]:
        """The rarest pieces of a text, so many that none of them missing leaves less than `at_least` of it."""
        needed: list[str] = []
        left = (1.0 - self._at_least) * self._whole[key] + 1e-9
        for piece in sorted(self._pieces[key], key=lambda piece: (-self._weight[piece], piece)):
            if left < 0.0:
                break
            needed.append(piece)
            left -= self._weight[piece]
        return needed

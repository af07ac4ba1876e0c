"""Texts as sets of short pieces, and how much of one is found in another: what copies are recognised by."""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

MANY = 20  # texts; from here on a shingle of more than half of them is left out
LENGTH = 8  # characters: long enough to be rare, short enough to survive a changed word


def normal(text: str) -> str:
    r"""As texts are compared: NFKC, lower case, letters and digits, single spaces between.

    >>> normal("  Is 7, a PRIME\nnumber? ")
    'is 7 a prime number'
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
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
               than half of them have is left out.

    >>> index = ShingleIndex({"a": "Is 17077 a prime number?", "b": "Is 17078 a prime number?"})
    >>> {key: round(share, 2) for key, share in index.found_in("Well: is 17077 a prime number? Yes.").items()}
    {'a': 1.0, 'b': 0.27}
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        pieces = {key: shingles(normal(text)) for key, text in texts.items()}
        self._keys = [key for key, held in pieces.items() if held]
        df = Counter(piece for held in pieces.values() for piece in held)
        if (
            len(self._keys) >= MANY
        ):  # what most of them share weighs nearly nothing, and would be looked up by every text
            pieces = {key: frozenset(p for p in held if 2 * df[p] <= len(self._keys)) for key, held in pieces.items()}
            self._keys = [key for key in self._keys if pieces[key]]
        self._weight = {piece: math.log((len(self._keys) + 1) / count) for piece, count in df.items() if count}
        self._holders: dict[str, list[int]] = {}
        for number, key in enumerate(self._keys):
            for piece in pieces[key]:
                self._holders.setdefault(piece, []).append(number)
        self._whole = [sum(self._weight[piece] for piece in pieces[key]) for key in self._keys]

    def found_in(self, text: str, at_least: float = 0.0) -> dict[str, float]:
        """By key, how much of each text is in this one; only what shares anything and reaches `at_least`."""
        found: dict[int, float] = {}
        for piece in shingles(normal(text)):
            for number in self._holders.get(piece, ()):
                found[number] = found.get(number, 0.0) + self._weight[piece]
        shares = {self._keys[number]: min(weight / self._whole[number], 1.0) for number, weight in found.items()}
        return {key: share for key, share in shares.items() if share >= at_least}


def nearest(index: ShingleIndex, texts: Iterable[str]) -> Sequence[float]:
    """For each text, the largest share of any indexed one that it holds; 0 when it holds nothing of any."""
    return [max(index.found_in(text).values(), default=0.0) for text in texts]

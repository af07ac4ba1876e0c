"""The similarity of production calls and cases, on an absolute scale and relative to the set."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.health.shingles import ShingleIndex, normal

Floats = NDArray[np.float64]
Postings = Mapping[str, tuple[NDArray[np.int64], Floats]]
ALIKE = 0.5  # cosine from which two texts are near each other in any set
CONTAINED = 0.75  # share of a case: a call that contains this share is near the case
LONGER = 4  # times as many words as the case: a longer text contains most words of a case by chance
SHORTEST = 4  # words of a case: fewer words are in most texts
QUANTILE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearness:
    """`far` [calls]: whether a call is near no case. `mark` is the least cosine of a near call."""

    far: NDArray[np.bool_]
    mark: float


class CaseTexts:
    """The texts of a set, prepared for comparisons with several samples of calls. What depends on one call alone is
    computed once for each text.
    """

    def __init__(self, cases: Sequence[str]) -> None:
        self._words = [_words(text) for text in cases]
        self._sizes = np.array([len(words) for words in self._words])
        self._postings = _postings([dict.fromkeys(words, 1.0 / max(len(words), 1)) for words in self._words])
        self._index = ShingleIndex({str(number): text for number, text in enumerate(cases)}, CONTAINED)
        self._known: dict[str, tuple[Counter[str], bool]] = {}

    def nearness(self, calls: Sequence[str]) -> Nearness:
        """Return which calls are near no case.

        Formula:   a call is near a case if one of these is true: it contains CONTAINED of the case's shingles
                   (`ShingleIndex`); it contains CONTAINED of the case's words and has at most LONGER times as many
                   words; or the cosine of their tf-idf vectors reaches mark = min(ALIKE, tenth percentile of the
                   cosines of the cases and their nearest other case). The weight of a word is
                   (1 + ln tf) ln((N + 1) / (df + 1)) over cases and calls together.
        Direction: the first two rules and ALIKE are absolute: cases that are copies of each other cannot raise the
                   mark so far that a greeting makes a call far. The percentile lowers the mark for sets of different
                   cases.
        Shapes:    `calls` are texts; the result has one entry for each call.
        Source:    Salton and Buckley, Information Processing and Management 24 (1988) 513-523; Broder, SEQUENCES 1997.
        """
        known = [self._of_call(text) for text in calls]
        near_cases, near_calls = _cosines([*self._words, *(words for words, _ in known)], len(self._words))
        mark = min(ALIKE, float(np.quantile(near_cases, QUANTILE)))
        contains = np.array([found for _, found in known], np.bool_)
        return Nearness(far=(near_calls < mark) & ~contains, mark=mark)

    def _of_call(self, text: str) -> tuple[Counter[str], bool]:
        """Return the words of a call, and whether it contains a case."""
        if (found := self._known.get(text)) is None:
            words = _words(text)
            found = self._known[text] = (words, bool(self._index.found_in(text)) or self._has_words_of_a_case(words))
        return found

    def _has_words_of_a_case(self, words: Counter[str]) -> bool:
        """Return whether a call contains most words of a case and few other words."""
        shares = _sums(words, self._postings, len(self._words))
        return bool(((shares >= CONTAINED - 1e-9) & _comparable(len(words), self._sizes)).any())


def nearness(cases: Sequence[str], calls: Sequence[str]) -> Nearness:
    """Return which calls are near no case: `CaseTexts.nearness`."""
    return CaseTexts(cases).nearness(calls)


def _words(text: str) -> Counter[str]:
    return Counter(normal(text).split())


def _comparable(words: int, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    fits: NDArray[np.bool_] = (sizes >= SHORTEST) & (words <= LONGER * sizes)
    return fits


def _cosines(words: Sequence[Counter[str]], cases: int) -> tuple[Floats, Floats]:
    """Return the cosine of each case and its nearest other case, and of each call and its nearest case."""
    df = Counter(word for counts in words for word in counts)
    rarity = {word: math.log((len(words) + 1) / (count + 1)) for word, count in df.items()}
    vectors = [_unit({word: (1 + math.log(tf)) * rarity[word] for word, tf in counts.items()}) for counts in words]
    postings = _postings(vectors[:cases])
    own = [_closest(vector, postings, cases, skip=n) for n, vector in enumerate(vectors[:cases])]
    return np.array(own), np.array([_closest(vector, postings, cases) for vector in vectors[cases:]])


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
    return {word: value / length for word, value in vector.items()}


def _postings(vectors: Sequence[Mapping[str, float]]) -> dict[str, tuple[NDArray[np.int64], Floats]]:
    """Return an inverted index: for each word the numbers of the texts that have it, and its value in each."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    for number, vector in enumerate(vectors):
        for word, value in vector.items():
            numbers, values = found.setdefault(word, ([], []))
            numbers.append(number)
            values.append(value)
    return {word: (np.array(numbers), np.array(values)) for word, (numbers, values) in found.items()}


def _closest(vector: Mapping[str, float], postings: Postings, count: int, skip: int | None = None) -> float:
    similarity = _sums(vector, postings, count, weights=vector)
    if skip is not None:
        similarity[skip] = 0.0
    return float(similarity.max(initial=0.0))


def _sums(
    words: Mapping[str, object], postings: Postings, count: int, weights: Mapping[str, float] | None = None
) -> Floats:
    """Return [count]: for each text the sum of its values of `words`, multiplied by `weights` if given."""
    sums = np.zeros(count)
    for word in words:
        if word in postings:
            numbers, values = postings[word]
            sums[numbers] += values if weights is None else weights[word] * values
    return sums

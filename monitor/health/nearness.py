"""How near a production call is to the cases of a set, on an absolute scale and by the set's own measure."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.health.shingles import ShingleIndex, normal

Floats = NDArray[np.float64]
Holders = Mapping[str, tuple[NDArray[np.int64], Floats]]
ALIKE = 0.5  # cosine from which two texts are near each other in any set
CONTAINED = 0.75  # of a case: a call with so much of it asks the case, whatever else it says
LONGER = 4  # times as many words as the case: a longer text holds most words of a case by accident
SHORTEST = 4  # words of a case: fewer are found everywhere
QUANTILE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearness:
    """`far` [calls]: whether a call is near no case; `mark` is the cosine that was asked of it."""

    far: NDArray[np.bool_]
    mark: float


def nearness(cases: Sequence[str], calls: Sequence[str]) -> Nearness:
    """Which calls are near no case.

    Formula:   a call is near when one of these is true of a case: it holds CONTAINED of the case's pieces of text
               (`ShingleIndex`); it holds CONTAINED of the case's words, in at most LONGER times as many words; or the
               cosine of their tf-idf vectors reaches mark = min(ALIKE, tenth percentile of what the cases are to their
               own nearest other case). Words weigh (1 + ln tf) ln((N + 1) / (df + 1)) over cases and calls together.
    Direction: the first two and ALIKE are absolute: cases that are copies of each other cannot raise the mark until a
               greeting makes a call far. The percentile lowers it for sets whose cases differ from each other.
    Source:    Salton and Buckley, Information Processing and Management 24 (1988) 513-523; Broder, SEQUENCES 1997.
    """
    words = [Counter(normal(text).split()) for text in [*cases, *calls]]
    asked, said = words[: len(cases)], words[len(cases) :]
    near_cases, near_calls = _cosines(words, len(cases))
    mark = min(ALIKE, float(np.quantile(near_cases, QUANTILE)))
    index = ShingleIndex({str(number): text for number, text in enumerate(cases)}, CONTAINED)
    repeats = np.array([bool(index.found_in(text)) for text in calls])
    return Nearness(far=(near_calls < mark) & ~repeats & ~_contained(asked, said), mark=mark)


def _contained(asked: Sequence[Counter[str]], said: Sequence[Counter[str]]) -> NDArray[np.bool_]:
    """[calls]: whether a call holds most words of a case and little else."""
    sizes = np.array([len(held) for held in asked])
    holders = _holders([dict.fromkeys(held, 1.0 / len(held)) for held in asked])
    return np.array(
        [
            bool(((_sums(held, holders, len(asked)) >= CONTAINED - 1e-9) & _comparable(len(held), sizes)).any())
            for held in said
        ]
    )


def _comparable(words: int, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    fits: NDArray[np.bool_] = (sizes >= SHORTEST) & (words <= LONGER * sizes)
    return fits


def _cosines(words: Sequence[Counter[str]], cases: int) -> tuple[Floats, Floats]:
    """Of each case to the nearest other case, and of each call to the nearest case."""
    df = Counter(word for held in words for word in held)
    rarity = {word: math.log((len(words) + 1) / (count + 1)) for word, count in df.items()}
    vectors = [_unit({word: (1 + math.log(tf)) * rarity[word] for word, tf in held.items()}) for held in words]
    holders = _holders(vectors[:cases])
    own = [_closest(vector, holders, cases, skip=n) for n, vector in enumerate(vectors[:cases])]
    return np.array(own), np.array([_closest(vector, holders, cases) for vector in vectors[cases:]])


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
    return {word: value / length for word, value in vector.items()}


def _holders(vectors: Sequence[Mapping[str, float]]) -> dict[str, tuple[NDArray[np.int64], Floats]]:
    found: dict[str, tuple[list[int], list[float]]] = {}
    for number, vector in enumerate(vectors):
        for word, value in vector.items():
            numbers, values = found.setdefault(word, ([], []))
            numbers.append(number)
            values.append(value)
    return {word: (np.array(numbers), np.array(values)) for word, (numbers, values) in found.items()}


def _closest(vector: Mapping[str, float], holders: Holders, count: int, skip: int | None = None) -> float:
    similarity = _sums(vector, holders, count, weights=vector)
    if skip is not None:
        similarity[skip] = 0.0
    return float(similarity.max(initial=0.0))


def _sums(
    words: Mapping[str, object], holders: Holders, count: int, weights: Mapping[str, float] | None = None
) -> Floats:
    """[count]: for each text, the sum of its values of `words`, times `weights` where given."""
    sums = np.zeros(count)
    for word in words:
        if word in holders:
            numbers, values = holders[word]
            sums[numbers] += values if weights is None else weights[word] * values
    return sums

"""Whether a set still asks what production asks."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.health.shingles import normal
from monitor.stats.wilson import wilson

Floats = NDArray[np.float64]
FEWEST_CASES = 20  # a quantile of fewer is nobody's
FEWEST_CALLS = 30
QUANTILE = 0.1
MISSED_SHARE = 0.01  # of production: a category below it is a stray call


@dataclass(frozen=True, slots=True, kw_only=True)
class Staleness:
    """`far` is the share of production calls that are near no case, with Wilson's interval: a tenth is what calls like
    the cases would show. `elsewhere` is about the share of production that comes from other questions (0 when a tenth
    explains it). All None with fewer than 20 cases or 30 calls. `missed` are production's categories that no case
    has, with their shares.
    """

    calls: int
    cases: int
    far: float | None
    far_low: float | None
    far_high: float | None
    elsewhere: float | None
    missed: Mapping[str, float]


def staleness_of(
    cases: Sequence[str],
    calls: Sequence[str],
    case_categories: Sequence[str] = (),
    call_categories: Sequence[str | None] = (),
) -> Staleness:
    """How far production has moved away from the cases.

    Formula:   similarity: cosine of tf-idf vectors of words, (1 + ln tf) ln((N + 1) / (df + 1)) over cases and calls
               together. A call is far when its nearest case is less similar than the tenth percentile of what the
               cases are to their own nearest other case. elsewhere = max(0, (far - 0.1) / 0.9).
    Range:     shares in [0, 1].
    Direction: 0.1 far is no news; near 1 the set asks about something else.
    Smallest:  20 cases, 30 calls.
    Source:    Salton and Buckley, Information Processing and Management 24 (1988) 513-523; the lower bound of a mixture
               by a quantile of one part: Blanchard, Lee and Scott, JMLR 11 (2010) 2973-3009.
    Differs:   words only: a paraphrase without a common word is far. A set whose own cases have nothing in common
               sets a low mark, and misses what moved away.
    """
    missed = _missed(case_categories, call_categories)
    if len(cases) < FEWEST_CASES or len(calls) < FEWEST_CALLS:
        return Staleness(
            calls=len(calls), cases=len(cases), far=None, far_low=None, far_high=None, elsewhere=None, missed=missed
        )
    near_cases, near_calls = _nearest(cases, calls)
    far = float((near_calls < np.quantile(near_cases, QUANTILE)).mean())
    low, high = wilson(far, len(calls))
    return Staleness(
        calls=len(calls),
        cases=len(cases),
        far=far,
        far_low=float(low),
        far_high=float(high),
        elsewhere=max(0.0, (far - QUANTILE) / (1.0 - QUANTILE)),
        missed=missed,
    )


def _missed(cases: Sequence[str], calls: Sequence[str | None]) -> dict[str, float]:
    named = Counter(category for category in calls if category is not None)
    total = sum(named.values())
    known = set(cases)
    return {
        name: count / total
        for name, count in named.most_common()
        if name not in known and count / total >= MISSED_SHARE
    }


def _nearest(cases: Sequence[str], calls: Sequence[str]) -> tuple[Floats, Floats]:
    """The similarity of each case to the nearest other case, and of each call to the nearest case."""
    words = [Counter(normal(text).split()) for text in [*cases, *calls]]
    df = Counter(word for held in words for word in held)
    rarity = {word: math.log((len(words) + 1) / (count + 1)) for word, count in df.items()}
    vectors = [_unit({word: (1 + math.log(tf)) * rarity[word] for word, tf in held.items()}) for held in words]
    holders = _holders(vectors[: len(cases)])
    own = [_closest(vector, holders, len(cases), skip=n) for n, vector in enumerate(vectors[: len(cases)])]
    theirs = [_closest(vector, holders, len(cases)) for vector in vectors[len(cases) :]]
    return np.array(own), np.array(theirs)


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


def _closest(
    vector: Mapping[str, float],
    holders: Mapping[str, tuple[NDArray[np.int64], Floats]],
    count: int,
    skip: int | None = None,
) -> float:
    similarity = np.zeros(count)
    for word, value in vector.items():
        if word in holders:
            numbers, values = holders[word]
            similarity[numbers] += value * values
    if skip is not None:
        similarity[skip] = 0.0
    return float(similarity.max(initial=0.0))

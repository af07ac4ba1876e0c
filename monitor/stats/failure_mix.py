"""The failure mix: one upward channel for each failure category."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.conformal_z import Scores, conformal_scores
from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]
NEW_SHARE = 0.25  # of the weight, kept for failure categories that appear after the baseline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixScores:
    """The scores of the failure categories.

    - `scores` [T, F]: one column per failure category, in the order of `names`.
    - `weights` [F]: add up to at most 1.
    - `seen` [T, F]: whether the category has occurred by then; before that it adds no evidence.
    """

    names: tuple[str, ...]
    scores: Scores
    weights: Floats
    seen: NDArray[np.bool_]


def failure_mix_scores(
    failures: Mapping[str, Floats],
    count: Floats,
    *,
    baseline: int,
    scores_of: Callable[[str], Scores] | None = None,
) -> MixScores:
    """Return standard normal scores of the count of every failure category, with its weight in their average.

    Formula:   of a case's labelled samples so far, those with one failure category are hypergeometric over nights under
               'no change': `conformal_scores` of that count. Categories that occur in the first `baseline` nights
               share 3/4 of the weight; the j-th one that appears later gets 1 / (4 j (j + 1)), and its first night is
               left out: that it is unusual is how it got here. Later scores do not depend on that night.
    Range:     as `conformal_scores`.
    Direction: positive is more failures of that kind.
    Shapes:    failures {name: counts [T, n]}, count [T, n] labelled samples; scores [T, F]; `scores_of` returns the
               `conformal_scores` of one category where the caller has them.
    Empty:     no failure category gives arrays without columns. Nights before a category first appears have no z and
               the square 1: its silence is the yardstick of what comes.
    Smallest:  see `conformal_scores`.
    Source:    as `conformal_scores`.
    Differs:   weights depend on the order in which categories appeared, never on tonight.

    >>> counts = np.zeros((4, 3)); counts[2:, :2] = 1.0
    >>> mix = failure_mix_scores({"format": counts}, np.ones((4, 3)), baseline=1)
    >>> mix.scores.z.round(2).ravel().tolist(), mix.weights.tolist()
    ([nan, nan, nan, 1.27], [0.125])
    """
    names = _by_appearance(failures)
    if not names:
        nothing = np.zeros((count.shape[0], 0))
        none = Scores(z=nothing, square=nothing)
        return MixScores(names=(), scores=none, weights=np.zeros(0), seen=nothing > 0)
    first = [_first_night(failures[name]) for name in names]
    known = [_class_scores(failures[name], count) if scores_of is None else scores_of(name) for name in names]
    columns = [_without_first(scores, night, baseline) for scores, night in zip(known, first, strict=True)]
    return MixScores(
        names=tuple(names),
        scores=Scores(
            z=np.concatenate([each.z for each in columns], axis=1),
            square=np.concatenate([each.square for each in columns], axis=1),
        ),
        weights=appearance_weights(first, baseline),
        seen=np.arange(count.shape[0])[:, None] >= np.array(first),
    )


def class_tally(failures: Floats, count: Floats) -> NightTally:
    """Return one failure category as a score: 1 for a sample that failed this way."""
    return NightTally(count=count, first=failures, second=failures, third=failures)


def _class_scores(failures: Floats, count: Floats) -> Scores:
    return conformal_scores(class_tally(failures, count), np.ones((count.shape[1], 1)))


def _without_first(scores: Scores, first: int, baseline: int) -> Scores:
    if first < baseline:
        return scores
    z, square = scores.z.copy(), scores.square.copy()
    z[first], square[first] = np.nan, np.nan
    return Scores(z=z, square=square)


def _first_night(failures: Floats) -> int:
    return int((failures.sum(axis=1) > 0).argmax())


def _by_appearance(failures: Mapping[str, Floats]) -> list[str]:
    seen = [name for name, counts in failures.items() if counts.sum() > 0]
    return sorted(seen, key=lambda name: (_first_night(failures[name]), name))


def appearance_weights(first: Sequence[int], baseline: int) -> Floats:
    """Return [F] weights by the first night of each category, in that order: those before `baseline` share three
    quarters.

    >>> appearance_weights([0, 2, 9], baseline=5).tolist()
    [0.375, 0.375, 0.125]
    """
    known = sum(night < baseline for night in first)
    later = np.arange(1, len(first) - known + 1)
    share = 1.0 - NEW_SHARE
    return np.concatenate([np.full(known, share / max(known, 1)), NEW_SHARE / (later * (later + 1.0))])

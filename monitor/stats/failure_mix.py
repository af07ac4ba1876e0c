"""Do more cases fail in one particular way? One upward channel for each failure category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.certain_nights import draw_certain
from monitor.stats.conformal_z import conformal_z
from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]
NEW_SHARE = 0.25  # of the weight, kept for failure categories that appear after the baseline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixScores:
    """`z` [T, F]: one column a failure category, in the order of `names`; `weights` [F] add up to at most 1; `seen`
    [T, F]: whether it had appeared by then, before which it has no part in any evidence.
    """

    names: tuple[str, ...]
    z: Floats
    weights: Floats
    seen: NDArray[np.bool_]


def failure_mix_z(
    failures: Mapping[str, Floats], count: Floats, uniforms: Mapping[str, Floats], *, baseline: int
) -> MixScores:
    """Standard normal scores of every failure category's count, and how much each may weigh in their average.

    Formula:   of a case's labelled samples so far, those with one failure category are hypergeometric over nights under
               'no change': `conformal_z` of that count. Categories seen in the first `baseline` nights share 3/4 of the
               weight; the j-th one that appears later gets 1 / (4 j (j + 1)), and its first night is left out: that it
               is unusual is how it got here. Later scores do not depend on that night.
    Range:     standard normal under 'no change', independent over nights.
    Direction: positive is more failures of that kind.
    Shapes:    failures {name: counts [T, n]}, count [T, n] labelled samples, uniforms {name: [T]}; z [T, F].
    Empty:     no failure category gives arrays without columns. Nights before a category first appears are draws (see
               `draw_certain`): its silence is the yardstick of what comes.
    Smallest:  see `conformal_z`.
    Source:    as `conformal_z`.
    Differs:   weights depend on the order in which categories appeared, never on tonight.

    >>> counts = np.zeros((4, 3)); counts[2:, :2] = 1.0
    >>> scores = failure_mix_z({"format": counts}, np.ones((4, 3)), {"format": np.full(4, 0.5)}, baseline=1)
    >>> scores.z.round(2).ravel().tolist(), scores.weights.tolist()
    ([nan, 0.0, nan, 1.15], [0.125])
    """
    names = _by_appearance(failures)
    if not names:
        nothing = np.zeros((count.shape[0], 0))
        return MixScores(names=(), z=nothing, weights=np.zeros(0), seen=nothing > 0)
    columns = [_class_z(failures[name], count, uniforms[name], baseline) for name in names]
    first = [_first_night(failures[name]) for name in names]
    return MixScores(
        names=tuple(names),
        z=np.stack(columns, axis=1),
        weights=_weights(first, baseline),
        seen=np.arange(count.shape[0])[:, None] >= np.array(first),
    )


def class_tally(failures: Floats, count: Floats) -> NightTally:
    """One failure category as a score: 1 for a sample that failed this way."""
    return NightTally(count=count, first=failures, second=failures, third=failures)


def _class_z(failures: Floats, count: Floats, uniforms: Floats, baseline: int) -> Floats:
    tally, everyone, ties = class_tally(failures, count), np.ones((count.shape[1], 1)), uniforms[:, None]
    z = draw_certain(conformal_z(tally, everyone, ties), tally, everyone, ties)[:, 0]
    first = _first_night(failures)
    if first >= baseline:
        z[first] = np.nan
    return z


def _first_night(failures: Floats) -> int:
    return int((failures.sum(axis=1) > 0).argmax())


def _by_appearance(failures: Mapping[str, Floats]) -> list[str]:
    seen = [name for name, counts in failures.items() if counts.sum() > 0]
    return sorted(seen, key=lambda name: (_first_night(failures[name]), name))


def _weights(first: Sequence[int], baseline: int) -> Floats:
    known = sum(night < baseline for night in first)
    late = np.arange(1, len(first) - known + 1)
    share = 1.0 - NEW_SHARE
    return np.concatenate([np.full(known, share / max(known, 1)), NEW_SHARE / (late * (late + 1.0))])

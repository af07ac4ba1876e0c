"""Change-point detection at an unknown night with unknown size: a Shiryaev-Roberts mixture e-detector."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NEVER = -np.inf
WINDOW = 60  # newest onsets that are considered: an older change is a part of what is normal


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """The changes to detect, each as (size, weight).

    `steps` are in standard deviations of one night, `ramps` in standard deviations more each night. Weights add up to
    1.
    """

    steps: tuple[tuple[float, float], ...]
    ramps: tuple[tuple[float, float], ...]


# A set's overall score moves by one or two standard deviations of a night; a category is a tenth of it and as noisy as
# that makes it: only large changes can be detected there. The weights are tuned on simulated drops: docs/statistics.md.
WHOLE = Mixture(
    steps=((0.5, 0.5 / 6.0), (1.0, 1.0 / 6.0), (2.0, 2.0 / 6.0), (4.0, 1.0 / 6.0)),
    ramps=((0.03, 0.5 / 6.0), (0.1, 1.0 / 6.0)),
)
PART = Mixture(
    steps=((1.0, 0.7 / 6.0), (2.0, 1.0 / 6.0), (4.0, 4.0 / 6.0)),
    ramps=((0.1, 0.3 / 6.0),),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """The evidence of each channel on each night.

    - `log_e` [T, C]: the logarithm of the e-detector.
    - `log_best` [T, C]: the logarithm of the largest likelihood ratio of any onset and template so far.
    - `onset` [T, C]: the onset of that ratio; -1 before the first.
    """

    log_e: Floats
    log_best: Floats
    onset: NDArray[np.int64]

    def average(self, weights: Floats) -> Floats:
        """Return the log of the weighted average over channels, [T]: again an e-detector, under any dependence between
        them.
        """
        weighted = self.log_e + np.log(weights)
        top = weighted.max(axis=1)
        safe = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore"):
            total: Floats = safe + np.log(np.exp(weighted - safe[:, None]).sum(axis=1))
        return total


def shiryaev_roberts(u: Floats, first_onset: int, mixtures: Sequence[Mixture] | None = None) -> Evidence:
    """Return the evidence that each channel rises.

    M_t is the sum over the last 60 onsets r <= t of the weighted mean over templates of a likelihood ratio.

    Formula:   the ratio of onset r is the product over nights s = r..t of exp(m u_s - m^2 / 2), with the mean m of
               night s under a change at r that the self-starting reference absorbs: for a step of d standard
               deviations m = d r / sqrt(s (s + 1)) (r nights were before it), for a ramp of d a night
               m = d (s (s + 1) - r (r - 1)) / (2 sqrt(s (s + 1))). Both are sums over nights of a product of a term of
               s and a term of r, so that a ratio costs the same however many nights it spans.
    Range:     M_t >= 0 with E[M_t] <= min(t, 60) under 'no change': P(M reaches A within H nights) <= H / A, and the
               mean time to a false alarm is at least A nights: onsets that leave the window only take evidence away.
    Direction: large is evidence for a rise; give -u to look for a drop.
    Shapes:    u [T, C] float64, standard normal under 'no change', night 0 the first of the reference; no onset
               before `first_onset` is considered (the nights until then are reference only); one mixture a channel,
               WHOLE when not given.
    Cost:      linear in nights and channels.
    Empty:     NaN is a night without information: its factor is 1.
    Smallest:  first_onset >= 1. Onsets are nights from the first of the reference.
    Source:    Shiryaev, Theory Probab Appl 8 (1963) 22-46; Roberts, Technometrics 8 (1966) 411-430; Shin, Ramdas and
               Rinaldo, E-detectors, New England J Stat Data Sci 2 (2024) 229-260, section 2 for the guarantee; a window
               of onsets: Lai, IEEE Trans Inf Theory 44 (1998) 2917-2929.
    Differs:   templates fade as the reference absorbs the change; mixtures over steps and ramps.

    >>> evidence = shiryaev_roberts(np.array([[0.0]] * 10 + [[2.0]] * 4), 5, [WHOLE])
    >>> int(evidence.onset[-1, 0]), round(float(evidence.log_best[-1, 0]), 1)
    (10, 7.7)
    """
    if first_onset < 1:
        raise ValueError(f"at least one night must precede the first onset, got {first_onset}")
    shape = u.shape
    evidence = Evidence(
        log_e=np.full(shape, NEVER), log_best=np.full(shape, NEVER), onset=np.full(shape, -1, dtype=np.int64)
    )
    if first_onset < shape[0]:
        sums, window = _sums(u), _window(shape[0], first_onset)
        for channel, mixture in enumerate(mixtures or [WHOLE] * shape[1]):
            _fill(evidence, channel, _log_ratios(sums, window, channel, mixture), window)
    return evidence


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Window:
    """The nights from `first` on, by the age of an onset: `onset` [nights, WINDOW], and `begun` where there is one."""

    first: int
    night: NDArray[np.int64]  # [nights, 1]
    onset: NDArray[np.int64]
    begun: NDArray[np.bool_]


def _window(nights: int, first_onset: int) -> _Window:
    night = np.arange(first_onset, nights)[:, None]
    # Column j is the onset j nights before the night of the row.
    onset = night - np.arange(min(WINDOW, nights - first_onset))[None, :]
    begun = onset >= first_onset
    return _Window(first=first_onset, night=night, onset=np.where(begun, onset, first_onset), begun=begun)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sums:
    """Cumulative sums over the known nights before each night, [T + 1, C], with s the number of the night.

    They are the sums of u / root, 1 / root^2, u root, root^2 and 1, where root^2 = s (s + 1).
    """

    score_by_root: Floats
    one_by_square: Floats
    score_root: Floats
    square: Floats
    known: Floats


def _sums(u: Floats) -> _Sums:
    known = ~np.isnan(u)
    score = np.where(known, u, 0.0)
    position = np.arange(u.shape[0], dtype=np.float64)[:, None]
    square = np.maximum(position * (position + 1.0), 1e-9)  # night 0 is never after an onset

    def before(values: Floats) -> Floats:
        return np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(np.where(position > 0, values, 0.0), axis=0)])

    return _Sums(
        score_by_root=before(score / np.sqrt(square)),
        one_by_square=before(known / square),
        score_root=before(score * np.sqrt(square)),
        square=before(known * square),
        known=before(known.astype(np.float64)),
    )


def _log_ratios(sums: _Sums, window: _Window, channel: int, mixture: Mixture) -> list[tuple[Floats, float]]:
    """Return, for each template, the log ratio of each onset by each night, [nights, WINDOW], and its weight."""

    def since_onset(values: Floats) -> Floats:
        of_channel = values[:, channel]
        return of_channel[window.night + 1] - of_channel[window.onset]

    onset = window.onset.astype(np.float64)
    by_root, by_square = since_onset(sums.score_by_root), since_onset(sums.one_by_square)
    # Steps: the sums of m_s u_s and m_s^2 / 2 for a step of size 1; other sizes scale them.
    gained, spent = onset * by_root, 0.5 * onset * onset * by_square
    ratios = [(size * gained - size * size * spent, weight) for size, weight in mixture.steps]
    if mixture.ramps:
        # Ramps: the mean of night s is (s (s + 1) - r (r - 1)) / (2 root_s), so both sums split into four.
        behind = onset * (onset - 1.0)
        gained = 0.5 * (since_onset(sums.score_root) - behind * by_root)
        spent = 0.125 * (
            since_onset(sums.square) - 2.0 * behind * since_onset(sums.known) + behind * behind * by_square
        )
        ratios += [(size * gained - size * size * spent, weight) for size, weight in mixture.ramps]
    return ratios


def _fill(evidence: Evidence, channel: int, ratios: list[tuple[Floats, float]], window: _Window) -> None:
    # The largest ratio over templates, for each night and onset.
    best = np.where(window.begun, np.maximum.reduce([log_ratio for log_ratio, _ in ratios]), NEVER)
    newest_last = best[:, ::-1]  # of equal ratios the oldest onset is reported
    position = best.shape[1] - 1 - newest_last.argmax(axis=1)
    top = best.max(axis=1)
    # Sum the ratios relative to the largest one, so that no exponential overflows.
    mixed = np.zeros_like(best)
    for log_ratio, weight in ratios:
        mixed += weight * np.exp(np.minimum(log_ratio - top[:, None], 0.0))
    evidence.onset[window.first :, channel] = window.onset[np.arange(position.size), position]
    evidence.log_best[window.first :, channel] = top
    evidence.log_e[window.first :, channel] = top + np.log((window.begun * mixed).sum(axis=1))

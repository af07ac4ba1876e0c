"""Evidence for a change at an unknown night, of unknown size: a Shiryaev-Roberts mixture e-detector."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NEVER = -np.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """What changes are looked for, each (size, weight): `steps` in standard deviations of one night, `ramps` in
    standard deviations more each night. Weights add up to 1.
    """

    steps: tuple[tuple[float, float], ...]
    ramps: tuple[tuple[float, float], ...]


# A set's overall score moves by one or two standard deviations of a night; a category is a tenth of it and as noisy as
# that makes it: what can be seen there at all is large. The weights are tuned on simulated drops: docs/statistics.md.
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
    """`log_e` [T, C]: the logarithm of each channel's e-detector on each night. `log_best` [T, C]: the logarithm of the
    largest likelihood ratio of any onset and template by then, `onset` [T, C] the onset it belongs to (-1: none yet).
    """

    log_e: Floats
    log_best: Floats
    onset: NDArray[np.int64]

    def average(self, weights: Floats) -> Floats:
        """Log of the weighted average over channels, [T]: an e-detector again, under any dependence between them."""
        weighted = self.log_e + np.log(weights)
        top = weighted.max(axis=1)
        safe = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore"):
            total: Floats = safe + np.log(np.exp(weighted - safe[:, None]).sum(axis=1))
        return total


def shiryaev_roberts(u: Floats, first_onset: int, mixtures: Sequence[Mixture] | None = None) -> Evidence:
    """Evidence that a channel rises: M_t = sum over onsets r <= t of the weighted mean over templates of a likelihood
    ratio.

    Formula:   the ratio of onset r is the product over nights s = r..t of exp(m u_s - m^2 / 2), with the mean m of
               night s under a change at r that the self-starting reference absorbs: for a step of d standard
               deviations m = d r / sqrt(s (s + 1)) (r nights stood before it), for a ramp accordingly.
    Range:     M_t >= 0 with E[M_t] <= t under 'no change': P(M reaches A within H nights) <= H / A, and the mean time
               to a false alarm is at least A nights.
    Direction: large is evidence for a rise; give -u to look for a drop.
    Shapes:    u [T, C] float64, standard normal under 'no change', night 0 the first of the reference; no onset
               before `first_onset` is considered (the nights until then are reference only); one mixture a channel,
               WHOLE when not given.
    Empty:     NaN is a night that says nothing: its factor is 1.
    Smallest:  first_onset >= 1. Onsets are nights from the first of the reference.
    Source:    Shiryaev, Theory Probab Appl 8 (1963) 22-46; Roberts, Technometrics 8 (1966) 411-430; Shin, Ramdas and
               Rinaldo, E-detectors, New England J Stat Data Sci 2 (2024) 229-260, section 2 for the guarantee.
    Differs:   templates fade as the reference absorbs the change; mixtures over steps and ramps.

    >>> evidence = shiryaev_roberts(np.array([[0.0]] * 10 + [[2.0]] * 4), 5, [WHOLE])
    >>> int(evidence.onset[-1, 0]), round(float(evidence.log_best[-1, 0]), 1)
    (10, 7.7)
    """
    if first_onset < 1:
        raise ValueError(f"at least one night must stand before the first onset, {first_onset} do")
    shape = u.shape
    evidence = Evidence(
        log_e=np.full(shape, NEVER), log_best=np.full(shape, NEVER), onset=np.full(shape, -1, dtype=np.int64)
    )
    if first_onset < shape[0]:
        step, ramp = _step_means(shape[0], first_onset), _ramp_means(shape[0], first_onset)
        for channel, mixture in enumerate(mixtures or [WHOLE] * shape[1]):
            families = ((step, mixture.steps), (ramp, mixture.ramps))
            _fill(evidence, channel, u[:, channel], first_onset, families)
    return evidence


_Families = Sequence[tuple[Floats, tuple[tuple[float, float], ...]]]  # means [onset, night] at size 1; (size, weight)


def _fill(evidence: Evidence, channel: int, u: Floats, first_onset: int, families: _Families) -> None:
    known = ~np.isnan(u[first_onset:])
    score = np.where(known, u[first_onset:], 0.0)
    begun = _has_begun(score.size)
    ratios = [ratio for means, sizes in families for ratio in _log_ratios(means, sizes, score, known)]
    best = np.where(begun, np.maximum.reduce([log_ratio for log_ratio, _ in ratios]), NEVER)
    top = best.max(axis=0)
    mixed = np.zeros_like(best)
    for log_ratio, weight in ratios:
        mixed += weight * np.exp(np.minimum(log_ratio - top, 0.0))
    mixed = (begun * mixed).sum(axis=0)
    evidence.onset[first_onset:, channel] = best.argmax(axis=0) + first_onset
    evidence.log_best[first_onset:, channel] = top
    evidence.log_e[first_onset:, channel] = top + np.log(mixed)


def _has_begun(nights: int) -> NDArray[np.bool_]:
    """[onset, night]: whether the onset is not after the night."""
    return np.tri(nights, dtype=np.bool_).T


def _log_ratios(
    means: Floats, sizes: tuple[tuple[float, float], ...], score: Floats, known: NDArray[np.bool_]
) -> list[tuple[Floats, float]]:
    """For each size the sum over the nights since the onset, [onset, night], and its weight."""
    means = np.where(known, means, 0.0)
    gained = np.cumsum(means * score, axis=1)
    spent = np.cumsum(0.5 * means * means, axis=1)
    return [(size * gained - size * size * spent, weight) for size, weight in sizes]


def _step_means(nights: int, first_onset: int) -> Floats:
    onset, night = _grid(nights, first_onset)
    return np.where(night >= onset, onset / np.sqrt(night * (night + 1.0)), 0.0)


def _ramp_means(nights: int, first_onset: int) -> Floats:
    onset, night = _grid(nights, first_onset)
    since = night - onset
    risen = since + 1.0 - since * (since + 1.0) / (2.0 * night)
    return np.where(night >= onset, risen * np.sqrt(night / (night + 1.0)), 0.0)


def _grid(nights: int, first_onset: int) -> tuple[Floats, Floats]:
    span = np.arange(first_onset, nights, dtype=np.float64)
    return span[:, None], span[None, :]

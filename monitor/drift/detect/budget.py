"""The share of the false-alarm probability of each kind of drift, and the evidence thresholds that follow from it."""

import math
from dataclasses import dataclass

import numpy as np

# The e-detector guarantees P(alarm within H) <= H / A. Evidence overshoots and starts from nothing, so the chance is a
# fraction of that: A = FRACTION H / alpha gives at most alpha. Mix and single channels: quantiles of 3,000 simulated
# paths with nearly these templates, 365 nights as 180. Scores: set at 180 nights by whole histories, so that
# moods cut off at 100 % keep to alpha too and all others stay below it (figure 1 in docs/figures.md); other horizons in
# the proportion of simulated paths, that of 365 nights by extension.
_HORIZONS = (30, 90, 180, 365)
_FRACTION_OF_SCORES = (0.25, 0.31, 0.32, 0.33)  # overall and ten categories
_FRACTION_OF_MIX = (0.13, 0.16, 0.16, 0.16)  # six failure categories known from the start
_FRACTION_OF_ONE = (0.27, 0.33, 0.42, 0.42)  # a single channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Shares of alpha; they add up to at most 1."""

    score: float
    mix: float
    behaviour: float


UNLABELLED = Shares(score=0.9, mix=0.0, behaviour=0.1)
LABELLED = Shares(score=0.55, mix=0.35, behaviour=0.1)
CHANGE_UNLABELLED = Shares(score=1.0, mix=0.0, behaviour=0.0)
CHANGE_LABELLED = Shares(score=0.7, mix=0.3, behaviour=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """The log evidence at which each kind raises an alarm; infinite for a kind that is not monitored."""

    score: float
    mix: float
    behaviour: float


def unannounced_thresholds(alpha: float, horizon: int, *, labelled: bool) -> Thresholds:
    """Return the thresholds of the change-point detector."""
    shares = LABELLED if labelled else UNLABELLED
    return Thresholds(
        score=_log_threshold(_FRACTION_OF_SCORES, horizon, alpha * shares.score),
        mix=_log_threshold(_FRACTION_OF_MIX, horizon, alpha * shares.mix),
        behaviour=_log_threshold(_FRACTION_OF_ONE, horizon, alpha * shares.behaviour),
    )


def announced_shares(*, labelled: bool) -> Shares:
    """Return the shares of alpha of the test after an announced change."""
    return CHANGE_LABELLED if labelled else CHANGE_UNLABELLED


def _log_threshold(fractions: tuple[float, ...], horizon: int, alpha: float) -> float:
    if alpha <= 0.0:
        return math.inf
    fraction = float(np.interp(horizon, _HORIZONS, fractions))
    return math.log(fraction * horizon / alpha)

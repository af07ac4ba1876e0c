"""The noise floor: how much scores vary without a change, within a case in one night and between nights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]
LARGEST = 0.25  # no mean of scores in [0, 1] has a larger variance
LARGEST_WITHIN = 0.5  # nor a single sample's, as two of them show it
NOTHING = 1e-12  # what sums of equal scores leave of a variance


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor:
    """Variances in squared score units (scores between 0 and 1; times 10,000 is squared points) with 95 % intervals.

    - `within_variance`: of one sample of one case within one night, mean over cases; None without repeats. For pass or
      fail it is half of how often two answers of one night differ.
    - `cell_variance`: of the mean of a case in one night around case and night; None with a single night. It includes
      sampling and the variation of single cases from night to night.
    - `case_night_variance`: the latter part alone; None where the two cannot be separated.
    - `night_variance`: of what moves all cases of a night together.
    """

    within_variance: float | None
    within_interval: tuple[float, float] | None
    cell_variance: float | None
    case_night_variance: float | None
    night_variance: float | None
    night_interval: tuple[float, float] | None
    nights: int
    repeated_cells: int  # cases of a night that were sampled at least twice

    @property
    def night_sd(self) -> float | None:
        """The standard deviation between nights in score units: 0.01 is one point."""
        return None if self.night_variance is None else self.night_variance**0.5


def noise_floor(values: Floats) -> NoiseFloor:
    """Return sampling variance and night variance of one version, from all its nights and repeats.

    Formula:   see `noise_of_sums`, which this is for scores that are still apart.
    Shapes:    values[T, n, k] float64, NaN where a sample is missing or not scored; k = 1 is allowed.

    >>> night_one = [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    >>> night_two = [[1.0, 1.0], [1.0, np.nan], [0.0, 1.0]]
    >>> floor = noise_floor(np.array([night_one, night_two]))
    >>> round(floor.within_variance, 4), round(floor.cell_variance, 4), round(floor.night_variance, 4)
    (0.1667, 0.0417, 0.0417)
    """
    if values.ndim != 3:
        raise ValueError(f"values must have the shape [nights, cases, repeats], got {values.shape}")
    if np.any((values < 0.0) | (values > 1.0)):
        raise ValueError("scores must be between 0 and 1, or NaN where one is missing")
    return noise_of_sums(NightTally.of_values(values))


def noise_of_sums(tally: NightTally, repeats: NightTally | None = None) -> NoiseFloor:
    """Return the same from sums. `repeats` has the samples that were taken for the noise alone.

    Formula:   within: per case the squared deviations from the means of its nights over sum (k - 1), mean over cases,
               samples of `repeats` among the k. Between, from `tally` alone: y = case + night + rest is fitted to the
               means of each case and night; rest = RSS / df (cell variance); night = (SS(night | case) - (T - 1) rest)
               / (N - n) or 0, N cells of n cases in T nights. Case by night: cell - within mean(1 / k) or 0.
    Range:     [0, 0.25], within up to 0.5. Unbiased before the cut at 0, which lifts the mean of small variances.
    Direction: larger sees less.
    Shapes:    tallies of the same T nights and n cases.
    Empty:     what cannot be estimated is None: within without repeats, the night effect of one night or of one case.
    Smallest:  two repeats somewhere; two nights that share two cases. An A/A share is enough: the cases may be a
               stratified fraction. A night variance from fewer than ten nights is a guess: see its interval.
    Source:    Henderson, Biometrics 9 (1953) 226-252, method 3; interval of the ratio of variances by F: Searle,
               Casella and McCulloch, Variance Components (1992), section 3.6.
    Differs:   cells count the same whatever their k; interval of the within variance by t over cases, and where no
               repeat differed from its case up to what 95 % of chance would have left unseen; that of the night
               variance is exact for equal normal cells and takes the cell variance as known.

    >>> asked = NightTally.of_passes(np.array([[1.0, 0.0], [1.0, 1.0]]), np.ones((2, 2)))
    >>> repeats = NightTally.of_passes(np.array([[0.0, np.nan], [np.nan, 1.0]]), np.ones((2, 2)))
    >>> noise_of_sums(asked).within_variance, noise_of_sums(asked, repeats).within_variance
    (None, 0.25)
    """
    sampled = tally if repeats is None else tally + repeats
    within, within_interval = _within(sampled)
    scored = tally.count > 0
    mean = np.where(scored, tally.first / np.maximum(tally.count, 1.0), np.nan)
    cell, night, night_interval = _between(mean)
    return NoiseFloor(
        within_variance=within,
        within_interval=within_interval,
        cell_variance=cell,
        case_night_variance=_case_by_night(cell, within, tally.count[scored]),
        night_variance=night,
        night_interval=night_interval,
        nights=int(np.sum(scored.any(axis=1))),
        repeated_cells=int(np.sum(sampled.count >= 2)),
    )


def _within(tally: NightTally) -> tuple[float | None, tuple[float, float] | None]:
    """Return the mean over cases of the pooled variance of each, and its interval with cases as the unit."""
    from scipy.special import stdtrit  # half a second, which a start must not wait for

    degrees = np.maximum(tally.count - 1.0, 0.0).sum(axis=0)
    repeated = degrees > 0
    cases = int(repeated.sum())
    if not cases:
        return None, None
    cells = np.maximum(tally.second - tally.first**2 / np.maximum(tally.count, 1.0), 0.0)
    squares = np.where(tally.count > 1, cells, 0.0).sum(axis=0)
    per_case = squares[repeated] / degrees[repeated]
    centre = float(per_case.mean())
    if centre <= NOTHING:
        return 0.0, (0.0, LARGEST_WITHIN * (1.0 - 0.025 ** (1.0 / cases)))
    if cases == 1:
        return centre, None
    half = float(stdtrit(cases - 1, 0.975) * per_case.std(ddof=1) / cases**0.5)
    return centre, (max(0.0, centre - half), min(centre + half, LARGEST_WITHIN))


def _case_by_night(cell: float | None, within: float | None, count: Floats) -> float | None:
    """Return the variance of single cases from night to night beyond sampling."""
    return None if cell is None or within is None else max(0.0, cell - within * float((1.0 / count).mean()))


def _between(mean: Floats) -> tuple[float | None, float | None, tuple[float, float] | None]:
    """Return cell variance, night variance and its interval from the means of case and night."""
    from scipy.special import fdtri

    known = ~np.isnan(mean)
    known[:, known.sum(axis=0) < 2] = False  # a case of one night has no information about nights
    cells, nights, cases = int(known.sum()), int(known.any(axis=1).sum()), int(known.any(axis=0).sum())
    degrees = cells - cases - (nights - 1)
    if nights < 2 or degrees < 1:
        return None, None, None
    rest_case, night_squares = _sums_of_squares(mean, known)
    cell = max(rest_case - night_squares, 0.0) / degrees
    size = (cells - cases) / (nights - 1)  # cases a night, were they complete
    between = night_squares / (nights - 1)
    low, high = (between / float(fdtri(nights - 1, degrees, q)) for q in (0.975, 0.025))
    night, lowest, highest = (min(max(0.0, (ms - cell) / size), LARGEST) for ms in (between, low, high))
    return cell, night, (lowest, highest)


def _sums_of_squares(mean: Floats, known: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the residual sum of squares after the cases, and how much of it the nights explain."""
    filled = np.where(known, mean, 0.0)
    centre = filled.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    residual = np.where(known, filled - centre, 0.0)
    share = known / np.maximum(known.sum(axis=0), 1)
    normal = np.diag(known.sum(axis=1).astype(np.float64)) - known.astype(np.float64) @ share.T
    explained = residual.sum(axis=1)
    effects = np.linalg.lstsq(normal, explained, rcond=None)[0]
    return float((residual**2).sum()), float(explained @ effects)

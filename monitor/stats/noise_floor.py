"""How much scores move when nothing changed: within a case, and between nights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LARGEST = 0.25  # no mean of scores in [0, 1] has a larger variance


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor:
    """Variances in squared score units (scores in [0, 1]; times 10,000 is squared points), 95 % intervals beside them.

    `within_variance`: of one sample of one case within one night, mean over cases; None without repeats.
    `cell_variance`: of a case's mean of one night about case and night; None with a single night. It holds sampling,
    and whatever moves one case from night to night. `night_variance`: of what moves all cases of a night together.
    """

    within_variance: float | None
    within_interval: tuple[float, float] | None
    cell_variance: float | None
    night_variance: float | None
    night_interval: tuple[float, float] | None
    nights: int
    repeated_cells: int  # cases of a night that were sampled at least twice

    @property
    def night_sd(self) -> float | None:
        """In score units: 0.01 is one point."""
        return None if self.night_variance is None else self.night_variance**0.5


def noise_floor(values: Floats) -> NoiseFloor:
    """Sampling variance and night variance of one version, from all its nights, repeats where there are some.

    Formula:   within: per case the squared deviations from the means of its nights over sum (k - 1), mean over cases.
               Between: y = case + night + rest is fitted to the means of each case and night; rest = RSS / df (cell
               variance); night = (SS(night | case) - (T - 1) rest) / (N - n) or 0, N cells of n cases in T nights.
    Range:     [0, 0.25], within up to 0.5. Unbiased before the cut at 0, which lifts the mean of small night variances.
    Direction: larger sees less.
    Shapes:    values[T, n, k] float64, NaN where a sample is missing or not scored; k = 1 is allowed.
    Empty:     what cannot be told is None: within without repeats, the night effect of one night or of one case.
    Smallest:  two repeats somewhere; two nights that share two cases. An A/A share is enough: the cases may be a
               stratified fraction. A night variance from fewer than ten nights is a guess: its interval says how wide.
    Source:    Henderson, Biometrics 9 (1953) 226-252, method 3; interval of the ratio of variances by F: Searle,
               Casella and McCulloch, Variance Components (1992), section 3.6.
    Differs:   cells count the same whatever their k; interval of the within variance by t over cases; that of the night
               variance is exact for equal normal cells and takes the cell variance as known beside it.

    >>> night_one = [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    >>> night_two = [[1.0, 1.0], [1.0, np.nan], [0.0, 1.0]]
    >>> floor = noise_floor(np.array([night_one, night_two]))
    >>> round(floor.within_variance, 4), round(floor.cell_variance, 4), round(floor.night_variance, 4)
    (0.1667, 0.0417, 0.0417)
    """
    if values.ndim != 3:
        raise ValueError(f"values are [nights, cases, repeats], these have the shape {values.shape}")
    if np.any((values < 0.0) | (values > 1.0)):
        raise ValueError("scores lie between 0 and 1, NaN where one is missing; some of these do not")
    count = np.sum(~np.isnan(values), axis=2)
    mean = np.where(count > 0, np.nansum(values, axis=2) / np.maximum(count, 1), np.nan)
    within, within_interval = _within(values, mean, count)
    cell, night, night_interval = _between(mean)
    return NoiseFloor(
        within_variance=within,
        within_interval=within_interval,
        cell_variance=cell,
        night_variance=night,
        night_interval=night_interval,
        nights=int(np.sum(count.any(axis=1))),
        repeated_cells=int(np.sum(count >= 2)),
    )


def _within(values: Floats, mean: Floats, count: NDArray[np.int64]) -> tuple[float | None, tuple[float, float] | None]:
    """Mean over cases of the pooled variance of each, and its interval with cases as the unit."""
    from scipy.special import stdtrit  # half a second, which a start must not wait for

    degrees = np.maximum(count - 1, 0).sum(axis=0)
    repeated = degrees > 0
    cases = int(repeated.sum())
    if not cases:
        return None, None
    squares = np.nansum((values - mean[:, :, None]) ** 2, axis=(0, 2))
    per_case = squares[repeated] / degrees[repeated]
    centre = float(per_case.mean())
    if cases == 1:
        return centre, None
    half = float(stdtrit(cases - 1, 0.975) * per_case.std(ddof=1) / cases**0.5)
    return centre, (max(0.0, centre - half), centre + half)


def _between(mean: Floats) -> tuple[float | None, float | None, tuple[float, float] | None]:
    """Cell variance, night variance and its interval, from what case and night means leave."""
    from scipy.special import fdtri

    known = ~np.isnan(mean)
    known[:, known.sum(axis=0) < 2] = False  # a case of one night says nothing about nights
    cells, nights, cases = int(known.sum()), int(known.any(axis=1).sum()), int(known.any(axis=0).sum())
    degrees = cells - cases - (nights - 1)
    if nights < 2 or degrees < 1:
        return None, None, None
    rest_case, night_squares = _sums_of_squares(mean, known)
    cell = max(rest_case - night_squares, 0.0) / degrees
    size = (cells - cases) / (nights - 1)  # cases a night, were they complete
    between = night_squares / (nights - 1)
    low, high = (between / float(fdtri(nights - 1, degrees, q)) for q in (0.975, 0.025))
    night, least, most = (min(max(0.0, (ms - cell) / size), LARGEST) for ms in (between, low, high))
    return cell, night, (least, most)


def _sums_of_squares(mean: Floats, known: NDArray[np.bool_]) -> tuple[float, float]:
    """What is left after the cases, and how much of it the nights explain."""
    filled = np.where(known, mean, 0.0)
    centre = filled.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    residual = np.where(known, filled - centre, 0.0)
    share = known / np.maximum(known.sum(axis=0), 1)
    normal = np.diag(known.sum(axis=1).astype(np.float64)) - known.astype(np.float64) @ share.T
    explained = residual.sum(axis=1)
    effects = np.linalg.lstsq(normal, explained, rcond=None)[0]
    return float((residual**2).sum()), float(explained @ effects)

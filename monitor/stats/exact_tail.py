"""The exact distribution of a small channel: a sum of independent hypergeometric counts."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def count_bounds(now: Floats, drawn: Floats, total: Floats, size: Floats) -> tuple[Floats, Floats, Floats]:
    """Return P(X < x), P(X = x) and P(X > x) of a night's count of passes, given the results of every case over all
    nights.

    Formula:   X = sum over cases of independent hypergeometrics: case i draws `drawn[t, i]` of its `size[t, i]`
               samples, of which `total[t, i]` passed. The distribution is built by convolution, case after case.
    Range:     three probabilities that add up to 1.
    Shapes:    now [T] (the observed count), drawn, total, size [T, m]; three arrays [T] float64 out.
    Empty:     a case with drawn 0, or whose samples all passed or all failed, adds no uncertainty; with no other case
               the count is certain: P(X = x) is 1.
    Cost:      O(T m^2 k): for channels of up to some sixty samples.
    Source:    exact conditional test of homogeneity in strata: Cox, Analysis of Binary Data (1970), chapter 4.
    Differs:   in nothing; sums of positive terms only, so both tails keep their relative accuracy.

    >>> below, at, above = count_bounds(np.array([2.0]), np.ones((1, 2)), np.full((1, 2), 3.0), np.full((1, 2), 4.0))
    >>> round(float(below[0]), 4), round(float(at[0]), 4), round(float(above[0]), 4)
    (0.4375, 0.5625, 0.0)
    """
    max_draws = int(drawn.max(initial=0.0))
    terms = _hypergeometric(drawn, total, size, max_draws)
    width = int(drawn.sum(axis=1).max(initial=0.0)) + 1
    mass = np.zeros((now.size, width))
    mass[:, 0] = 1.0
    for case in range(drawn.shape[1]):
        mass = _convolved(mass, terms[:, case])
    values = np.arange(width)
    observed = np.rint(now)[:, None]
    return (
        np.where(values < observed, mass, 0.0).sum(axis=1),
        np.where(values == observed, mass, 0.0).sum(axis=1),
        np.where(values > observed, mass, 0.0).sum(axis=1),
    )


def _convolved(mass: Floats, term: Floats) -> Floats:
    out = mass * term[:, :1]
    for passes in range(1, term.shape[1]):
        out[:, passes:] += mass[:, :-passes] * term[:, passes : passes + 1]
    return out


def _hypergeometric(drawn: Floats, total: Floats, size: Floats, max_draws: int) -> Floats:
    """Return P(case i passes x of its draws) for x = 0..max_draws: [T, m, max_draws + 1]."""
    if max_draws == 1:  # the common case needs no factorials
        share = np.where(drawn > 0, total / np.maximum(size, 1.0), 0.0)
        return np.stack([1.0 - share, share], axis=2)
    from scipy.special import gammaln

    log_factorial = gammaln(np.arange(int(size.max(initial=0.0)) + 2) + 1.0)
    x = np.arange(max_draws + 1)
    size_of_case, passed, draws = (array.astype(np.int64)[..., None] for array in (size, total, drawn))
    possible = (x <= draws) & (x <= passed) & (draws - x <= size_of_case - passed)
    log_mass = (
        _log_choose(log_factorial, passed, x, possible)
        + _log_choose(log_factorial, size_of_case - passed, draws - x, possible)
        - _log_choose(log_factorial, size_of_case, draws, possible)
    )
    return np.where(possible, np.exp(log_mass), 0.0)


def _log_choose(table: Floats, n: NDArray[np.int64], k: NDArray[np.int64], possible: NDArray[np.bool_]) -> Floats:
    n, k = np.where(possible, n, 0), np.where(possible, k, 0)
    chosen: Floats = table[n] - table[k] - table[n - k]
    return chosen

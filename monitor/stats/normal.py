"""Quantile and distribution function of the standard normal distribution, for one number."""

import math
from statistics import NormalDist

_STANDARD = NormalDist()


def normal_quantile(p: float) -> float:
    """Return the z with P(Z <= z) = p.

    Formula:   Phi^-1(p).
    Range:     [-inf, inf]; p = 0 gives -inf, p = 1 gives inf.
    Direction: grows with p.
    Empty:     p below 0, above 1 or NaN raises ValueError.
    Smallest:  exact to about 15 digits down to p = 1e-300.
    Source:    Wichura, algorithm AS 241, Applied Statistics 37 (1988) 477-484, in the standard library.
    Differs:   takes one number. For an array use `scipy.special.ndtri`, which takes half a second to import.

    >>> round(normal_quantile(0.975), 6), normal_quantile(0.0)
    (1.959964, -inf)
    """
    if 0.0 < p < 1.0:
        return _STANDARD.inv_cdf(p)
    if p in {0.0, 1.0}:
        return -math.inf if p == 0.0 else math.inf
    raise ValueError(f"a probability must be between 0 and 1, got {p}")


def normal_cdf(z: float) -> float:
    """Return P(Z <= z).

    Formula:   Phi(z) = erfc(-z / sqrt(2)) / 2, which keeps its digits in the lower tail.
    Range:     [0, 1]; below z = -38 the result is 0.
    Direction: grows with z.
    Empty:     NaN gives NaN.
    Source:    Abramowitz and Stegun, Handbook of Mathematical Functions (1964), formula 7.1.22.
    Differs:   takes one number. For an array use `scipy.special.ndtr`.

    >>> round(normal_cdf(-1.959964), 6)
    0.025
    """
    return 0.5 * math.erfc(-z / math.sqrt(2.0))

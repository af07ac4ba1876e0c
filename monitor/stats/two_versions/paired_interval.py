"""Tango's score interval of a change that was measured on the same cases twice."""

import math

from monitor.domain.finding import Interval
from monitor.stats.normal import normal_quantile

HALVINGS = 60  # of a bracket no wider than 2: the end is exact to 2e-18, below a double's own spacing


def tango_interval(flipped_to_fail: int, flipped_to_pass: int, n: int, level: float = 0.95) -> Interval:
    """Return the confidence interval of the change of a pass rate, candidate minus baseline, from paired cases.

    Formula:   the set of all theta with |b - c - n theta| <= z sqrt(n (2 q + theta (1 - theta))), where b flipped to
               pass, c flipped to fail and q is the maximum-likelihood probability of a flip to fail given theta:
               q = (sqrt(B^2 - 4AC) - B) / 2A, A = 2n, B = (2n - b + c) theta - b - c, C = -c theta (1 - theta).
    Range:     -1 <= low <= (b - c) / n <= high <= 1. Swapping b and c mirrors it at zero.
    Direction: negative is worse; an interval below zero means that the candidate passes fewer of these cases.
    Shapes:    three counts.
    Empty:     n = 0 raises ValueError. b = c = 0 gives -/+ z^2 / (n + z^2): no flips seen is not no change.
    Smallest:  n = 1 works; coverage is near nominal from about n = 20 (never far below, see the test).
    Source:    Tango, Statistics in Medicine 17 (1998) 891-908, section 4; recommended by Fagerland, Lydersen and
               Laake, Statistics in Medicine 33 (2014) 2850-2875.
    Differs:   ends by bisection instead of the secant method, so that empty, one-sided and complete flips are exact.

    >>> interval = tango_interval(flipped_to_fail=7, flipped_to_pass=1, n=21)
    >>> round(interval.low, 3), round(interval.high, 3)
    (-0.517, -0.026)
    """
    _check(flipped_to_fail, flipped_to_pass, n, level)
    z = normal_quantile(0.5 + level / 2.0)
    return Interval(
        low=-_upper_end(flipped_to_fail, flipped_to_pass, n, z),
        high=_upper_end(flipped_to_pass, flipped_to_fail, n, z),
    )


def _check(flipped_to_fail: int, flipped_to_pass: int, n: int, level: float) -> None:
    if n < 1:
        raise ValueError(f"an interval needs at least one paired case, there are {n}")
    if flipped_to_fail < 0 or flipped_to_pass < 0 or flipped_to_fail + flipped_to_pass > n:
        raise ValueError(
            f"{flipped_to_fail} flips to fail and {flipped_to_pass} to pass are impossible among {n} cases"
        )
    if not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level must be between 0 and 1, got {level}")


def _upper_end(up: int, down: int, n: int, z: float) -> float:
    """Return the largest theta that the score test does not reject; at theta = 1 only `up == n` is not rejected."""
    if up == n:
        return 1.0
    inside, outside = (up - down) / n, 1.0
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2.0
        if _rejected(middle, up, down, n, z):
            outside = middle
        else:
            inside = middle
    return inside


def _rejected(theta: float, up: int, down: int, n: int, z: float) -> bool:
    """Return whether a change of `theta`, above the observed one, is more than z standard errors away."""
    variance = n * (2.0 * _flip_down_probability(theta, up, down, n) + theta * (1.0 - theta))
    return (n * theta - (up - down)) ** 2 > z * z * max(variance, 0.0)


def _flip_down_probability(theta: float, up: int, down: int, n: int) -> float:
    """Return the maximum-likelihood probability of a flip down when the change is `theta`; the root that does not
    cancel.
    """
    a, b, c = 2.0 * n, (2.0 * n - up + down) * theta - up - down, -down * theta * (1.0 - theta)
    root = math.sqrt(max(b * b - 4.0 * a * c, 0.0))
    if b > 0.0:
        return -2.0 * c / (b + root)
    return (root - b) / (2.0 * a)

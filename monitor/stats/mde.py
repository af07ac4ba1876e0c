"""The smallest change that a set of paired cases can detect."""

import math

from monitor.stats.normal import normal_quantile

HALVINGS = 60  # of [0, 1]


def smallest_detectable_effect(n: int, discordance: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest change of the pass rate, in either direction, that McNemar's test finds with the given power.

    Formula:   the delta that solves  sqrt(n) delta = z(1 - alpha/2) sqrt(psi) + z(power) sqrt(psi - delta^2),
               psi being the share of cases that flip at all. A change of delta needs at least delta flips, so
               where the solution exceeds `discordance`, psi is delta itself (every flip goes the same way).
    Range:     (0, 1]; smaller is better. 1.0 means that no change, however large, is found with that power.
    Direction: falls with n, rises with the discordance and with the required power.
    Shapes:    one number of pairs, one share.
    Empty:     n < 1 raises ValueError. discordance 0 is answered (psi = delta), but an observed 0 of n is only a small
               number not yet observed: callers pass the smoothed (d + 1) / (n + 2).
    Smallest:  n < 4 answers 1.0 at the defaults; trust it from n = 20 on (the exact test needs six flips one way).
    Source:    Connor, Biometrics 43 (1987) 207-211, equation (1), after Miettinen, Biometrics 24 (1968) 339-352.
    Differs:   psi grows with delta beyond the given discordance. The formula is that of the large-sample test; the
               exact test has a little less power than required: 0.74 to 0.80 from n = 20 on, computed in the test.

    >>> round(smallest_detectable_effect(n=800, discordance=0.10), 4)
    0.0313
    """
    _check(n, discordance, alpha, power)
    z_alpha, z_power = normal_quantile(1.0 - alpha / 2.0), normal_quantile(power)
    undetected, detected = 0.0, 1.0
    for _ in range(HALVINGS):
        delta = (undetected + detected) / 2.0
        psi = max(discordance, delta)
        needed = z_alpha * math.sqrt(psi) + z_power * math.sqrt(max(psi - delta * delta, 0.0))
        if math.sqrt(n) * delta < needed:
            undetected = delta
        else:
            detected = delta
    return detected


def _check(n: int, discordance: float, alpha: float, power: float) -> None:
    if n < 1:
        raise ValueError(f"a detectable effect needs at least one paired case, there are {n}")
    if not 0.0 <= discordance <= 1.0:
        raise ValueError(f"discordance is a share of the cases and must be between 0 and 1, got {discordance}")
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
    if not 0.5 <= power < 1.0:
        raise ValueError(f"power must be between 0.5 and 1, got {power}")

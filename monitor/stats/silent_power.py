"""The smallest step that the evidence for silent drift finds within a week, in standard deviations of a night."""

from functools import lru_cache

import numpy as np

from monitor.stats.shiryaev_roberts import WHOLE, shiryaev_roberts

PATHS = 200
HALVINGS = 7
LARGEST = 8.0  # standard deviations of a night; no step is larger than what this finds
BEFORE = (7, 14, 28)  # nights that stand for all counts near them


@lru_cache(maxsize=64)
def silent_step(log_needed: float, nights_before: int, nights: int, power: float = 0.8) -> float | None:
    """Return the smallest step of a channel's z that reaches `log_needed` within `nights` nights in `power` of paths.

    Formula:   bisection over the step d; a path is standard normal for the nights before, then has the mean
               -d r / sqrt(s (s + 1)) that a self-starting score shows s nights in, r nights having stood before.
    Range:     (0, 8]; None when a step of 8 is not enough.
    Direction: grows with `log_needed`, falls with more nights before or after.
    Smallest:  fewer than 7 nights before count as 7. 200 seeded paths: right to about a twentieth.
    Source:    this repository; the detector is `shiryaev_roberts`.

    >>> step = silent_step(7.4, 28, 7)
    >>> step is not None and 1.2 < step < 2.6
    True
    """
    before = max((count for count in BEFORE if count <= nights_before), default=BEFORE[0])
    noise = np.random.default_rng(before * 1000 + nights).standard_normal((before + nights, PATHS))
    place = np.arange(before, before + nights)
    fading = before / np.sqrt(place * (place + 1.0))

    def found(step: float) -> bool:
        u = noise.copy()
        u[before:] += step * fading[:, None]
        evidence = shiryaev_roberts(u, before, [WHOLE] * PATHS)
        return float((evidence.log_e[before:].max(axis=0) >= log_needed).mean()) >= power

    if not found(LARGEST):
        return None
    low, high = 0.0, LARGEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if found(middle) else (middle, high)
    return high

"""An anytime-valid e-process for an announced change: it may be evaluated on any night, as often as needed."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SIZES = (0.25, 0.5, 1.0, 2.0, 4.0)  # standard deviations of one night


def anytime_e(u: Floats, onset: int, *, sizes: tuple[float, ...] = SIZES) -> Floats:
    """Return the log evidence, night by night, that the scores rise from a known night on.

    Formula:   E_t = mean over sizes d of exp(sum over s = onset..t of m_s u_s - m_s^2 / 2), m_s = d onset / sqrt(s (s
               + 1)): the mean of a self-starting score after a change at `onset`, which its reference absorbs.
    Range:     E_t >= 0 with E[E_t] = 1 under 'no change'; P(E ever reaches 1 / alpha) <= alpha, whenever one looks.
    Direction: large is evidence for a rise; give -u to look for a drop.
    Shapes:    u [T] float64, standard normal under 'no change', night 0 the first of the reference; log E [T], 0
               before the onset.
    Empty:     NaN is a night without information. An onset at or beyond T gives zeros.
    Smallest:  onset >= 1.
    Source:    Ville (1939); Ramdas, Gruenwald, Vovk and Shafer, Statistical Science 38 (2023) 576-601, section 3;
               mixture: Robbins, Ann Math Statist 41 (1970) 1397-1409.
    Differs:   templates fade as the reference absorbs the change; five sizes with equal weights.

    >>> anytime_e(np.array([0.0] * 10 + [2.5] * 3), onset=10).round(1)[[9, 10, 12]].tolist()
    [0.0, 2.1, 7.3]
    """
    if onset < 1:
        raise ValueError(f"at least one night must precede the change, got {onset}")
    night = np.arange(1, u.size, dtype=np.float64)
    unit = np.concatenate([[0.0], np.where(night >= onset, onset / np.sqrt(night * (night + 1.0)), 0.0)])
    unit = np.where(np.isnan(u), 0.0, unit)
    score = np.where(np.isnan(u), 0.0, u)
    gained, spent = np.cumsum(unit * score), np.cumsum(0.5 * unit * unit)
    logs = np.stack([size * gained - size**2 * spent for size in sizes])
    top = logs.max(axis=0)
    path: Floats = top + np.log(np.exp(logs - top).mean(axis=0))
    return path

"""Nights that had to come out as they did say nothing, but they are what the first surprise is measured by."""

import numpy as np
from numpy.typing import NDArray

from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]


def draw_certain(z: Floats, tally: NightTally, members: Floats, uniforms: Floats) -> Floats:
    """Scores in which a night that had to come out as it did is a draw from the normal distribution.

    Formula:   the randomised probability integral transform of a certain outcome is its uniform number: where z is NaN
               although a case of the channel was asked tonight and before, z = Phi^-1(uniform).
    Range:     standard normal and independent over nights under 'no change', as the other scores. With NaN there, a
               channel that always passed has no night to measure its first failures by (`studentise` needs earlier
               scores), and the nights after a collapse would become their own yardstick.
    Direction: none: such a night is no evidence.
    Shapes:    z [T, C], tally of T nights and n cases, members [n, C] of 0 and 1, uniforms [T, C]; z [T, C] float64.
    Empty:     NaN stays where nothing was asked, or nothing of it had been asked before.
    Smallest:  two nights.
    Source:    as `conformal_z`: Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World (2005), chapter 2.
    Differs:   such nights cannot show how much nights differ; a channel that was certain for long counts as steady.

    >>> always = NightTally.of_passes(np.ones((3, 2)), np.ones((3, 2)))
    >>> ties = np.array([[0.5], [0.2], [0.9]])
    >>> draw_certain(np.full((3, 1), np.nan), always, np.ones((2, 1)), ties).round(2).tolist()
    [[nan], [-0.84], [1.28]]
    """
    from scipy.special import ndtri

    again = (tally.count > 0) & (tally.count.cumsum(axis=0) > tally.count)
    certain = np.isnan(z) & (again.astype(np.float64) @ members > 0)
    return np.where(certain, np.asarray(ndtri(uniforms), dtype=np.float64), z)

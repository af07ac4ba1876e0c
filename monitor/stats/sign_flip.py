"""The sign-flip permutation test for paired differences."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MAX_EXACT = 14  # differences that are not 0: 16,384 ways to give them signs are all tried, more are drawn from
CHUNK = 512  # drawn sets of signs at a time: 4 MB for 1,000 cases


def sign_flip_test(differences: Floats, rng: np.random.Generator, draws: int = 9999) -> float:
    """Return the two-sided p-value of 'each difference is as likely to have the other sign'.

    Formula:   the share of all 2^m sign vectors s with |sum s_i |d_i|| >= |sum d_i|, over the m differences that are
               not 0; with more than 14 of them, (1 + hits) / (1 + draws) over `draws` random sign vectors.
    Range:     (0, 1]; no smaller than 2^(1 - m), nor than 1 / (1 + draws).
    Direction: none; the sign of the mean difference has the direction.
    Shapes:    differences float64[n], after minus before; rng is used only where signs are drawn.
    Empty:     NaN differences (a case missing on one side) are left out; nothing but zeros gives 1.0.
    Smallest:  below six differences that are not 0 no result is under 0.05 (2 of 32 is 0.0625).
    Source:    Fisher, The Design of Experiments (1935), section 21; the drawn p-value: Phipson and Smyth, Stat Appl
               Genet Mol Biol 9 (2010) article 39.
    Differs:   zeros take no part, which changes nothing but the cost. Exact for 'the versions are exchangeable case by
               case'; for 'the mean did not change' it needs symmetric differences or many cases.

    >>> sign_flip_test(np.array([-0.25, -0.5, -0.25, 0.0, -0.75, -0.25, -0.5]), np.random.default_rng(1))
    0.03125
    """
    if draws < 1:
        raise ValueError(f"at least one draw is needed, got {draws}")
    sizes = np.abs(differences[~np.isnan(differences) & (differences != 0.0)])
    if not sizes.size:
        return 1.0
    observed = abs(float(np.nansum(differences))) - 1e-9 * float(sizes.sum())  # sums that differ by rounding are equal
    if sizes.size <= MAX_EXACT:
        return float(np.mean(np.abs(_all_sums(sizes)) >= observed))
    hits = 0
    for start in range(0, draws, CHUNK):
        signs = rng.integers(0, 2, size=(min(CHUNK, draws - start), sizes.size), dtype=np.int8)
        hits += int(np.sum(np.abs((2 * signs - 1) @ sizes) >= observed))
    return (1 + hits) / (1 + draws)


def _all_sums(sizes: Floats) -> Floats:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums

"""Quantiles of latencies from a histogram with bins of equal ratio, so that the histograms of days can be added."""

from collections.abc import Mapping
from typing import Final

BINS_PER_DOUBLING: Final = 8


def quantile(bins: Mapping[int, int], share: float) -> float:
    """Return the quantile in ms: the geometric middle of the bin that has it.

    Bin n has the latencies from 2^(n/8) to 2^((n+1)/8) ms; bin 0 also has those below 1 ms. The result is within
    2^(1/16) - 1 = 4.4 % of a value with rank ceil(share * calls), from 1 ms on. `bins` has at least one call.

    >>> round(quantile({80: 9, 96: 1}, 0.5))  # 9 of 10 calls took from 1024 to 1117 ms
    1069
    >>> round(quantile({80: 9, 96: 1}, 0.95))
    4277
    """
    rank, counted = share * sum(bins.values()), 0
    for n in sorted(bins):
        counted += bins[n]
        if counted >= rank:
            break
    return float(2 ** ((n + 0.5) / BINS_PER_DOUBLING))

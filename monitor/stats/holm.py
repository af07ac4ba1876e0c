"""Holm's adjustment: several tests with one error rate for all of them together."""

import math
from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return adjusted p-values in the given order: the probability of any false rejection below alpha is at most alpha.

    Formula:   sorted ascending p(1..m), adjusted p(i) = max over j <= i of min(1, (m - j + 1) p(j)).
    Range:     [p, 1]; never below the p-value it adjusts, and in the same order as them.
    Shapes:    m values in, m values out.
    Empty:     no tests give no values. NaN is refused: a test that was not made must not be counted.
    Smallest:  m = 1 changes nothing.
    Source:    Holm, Scand J Statist 6 (1979) 65-70, section 3. Valid under any dependence between the tests.
    Differs:   in nothing.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    for p in p_values:
        if math.isnan(p) or not 0.0 <= p <= 1.0:
            raise ValueError(f"a p-value must be between 0 and 1, got {p}")
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted

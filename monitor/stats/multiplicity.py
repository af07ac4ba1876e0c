"""Error control over many channels or deployments: by e-values, or by shares of alpha."""

import math
from collections.abc import Mapping, Sequence


def average_e(e_values: Sequence[float], weights: Sequence[float]) -> float:
    """Return one e-value for 'nothing changed anywhere', from e-values with any dependence.

    Formula:   sum of w_i e_i / sum of w_i.
    Range:     [0, inf]; under 'nothing changed' its mean is at most 1, so it exceeds 1 / alpha with at most alpha.
    Direction: large is evidence for a change somewhere.
    Shapes:    m e-values, m weights fixed before the data were known.
    Empty:     no e-values raise ValueError: no evidence is not the evidence 1. NaN is refused.
    Smallest:  m = 1 changes nothing.
    Source:    Vovk and Wang, Annals of Statistics 49 (2021) 1736-1754, section 3: the average is the only admissible
               symmetric way to merge e-values of unknown dependence.
    Differs:   in nothing.

    >>> average_e([40.0, 0.5, 1.5], weights=[0.5, 0.25, 0.25])
    20.5
    """
    _check_e(e_values)
    _check_weights(weights)
    if len(e_values) != len(weights):
        raise ValueError(f"every e-value has a weight: {len(e_values)} e-values, {len(weights)} weights")
    total = math.fsum(weights)
    return math.fsum(w * e for w, e in zip(weights, e_values, strict=True) if w) / total


def e_bh(e_values: Sequence[float], alpha: float) -> list[bool]:
    """Return which of many e-values to act on, so that on average at most alpha of those are false.

    Formula:   with e[1] >= ... >= e[m], all of the k largest, k the last with k e[k] / m >= 1 / alpha.
    Range:     one answer per e-value; the false discovery rate is at most alpha, under any dependence.
    Direction: True is a discovery.
    Shapes:    m e-values in, m answers out, in the order given.
    Empty:     no e-values give no answers. NaN is refused.
    Smallest:  m = 1 needs e >= 1 / alpha.
    Source:    Wang and Ramdas, J R Statist Soc B 84 (2022) 822-852, section 4.
    Differs:   the rate is a share of the discoveries, not the chance of any: for a review list, never for paging.

    >>> e_bh([90.0, 1.0, 45.0, 0.2], alpha=0.05)
    [True, False, True, False]
    """
    _check_e(e_values)
    _check_alpha(alpha)
    order = sorted(range(len(e_values)), key=e_values.__getitem__, reverse=True)
    found = 0
    for rank, index in enumerate(order, start=1):
        if rank * e_values[index] >= len(e_values) / alpha:
            found = rank
    discoveries = set(order[:found])
    return [index in discoveries for index in range(len(e_values))]


def split_alpha(weights: Mapping[str, float], alpha: float) -> dict[str, float]:
    """Return the share of each deployment of the false alarms: the probability of any false alarm is at most alpha.

    Formula:   alpha w_i / sum of w.
    Range:     (0, alpha]; the shares add up to alpha.
    Direction: a larger share finds changes sooner, and may be wrong more often.
    Shapes:    one weight a name.
    Empty:     no names, no shares.
    Smallest:  one name has all of alpha.
    Source:    Bonferroni with weights: Rosenthal and Rubin, Psychological Bulletin 94 (1983) 540-541.
    Differs:   in nothing; no independence is assumed.

    >>> split_alpha({"support": 2.0, "search": 1.0, "draft": 1.0}, alpha=0.05)
    {'support': 0.025, 'search': 0.0125, 'draft': 0.0125}
    """
    _check_alpha(alpha)
    if not weights:
        return {}
    _check_weights(tuple(weights.values()))
    for name, weight in weights.items():
        if weight <= 0.0:
            raise ValueError(
                f"'{name}' has the weight {weight}: it would never alarm; give it one above 0 or leave it out"
            )
    total = math.fsum(weights.values())
    return {name: alpha * weight / total for name, weight in weights.items()}


def _check_e(e_values: Sequence[float]) -> None:
    for e in e_values:
        if not e >= 0.0:
            raise ValueError(f"an e-value must be at least 0, got {e}")


def _check_weights(weights: Sequence[float]) -> None:
    for weight in weights:
        if not 0.0 <= weight < math.inf:
            raise ValueError(f"a weight must be finite and at least 0, got {weight}")
    if not math.fsum(weights) > 0.0:
        raise ValueError("at least one weight must be above 0")


def _check_alpha(alpha: float) -> None:
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")

"""Latency, cost and length of the answers of two runs."""

from typing import Literal

from monitor.api.schema.wire import Wire


class AmountsOfRunItem(Wire):
    """The answers of one run that reported the amount. `quantiles` are the values at 0 %, 1 %, ... 100 %."""

    answers: int
    mean: float
    quantiles: list[float]


class QuantileDifferenceItem(Wire):
    """A quantile of both runs, and the change from the baseline with its 95 % bootstrap interval."""

    baseline: float
    candidate: float
    difference: float
    ci_low: float
    ci_high: float


class ComparedAmountItem(Wire):
    """One amount of both runs. An amount that a run did not report is left out."""

    name: Literal["latency_ms", "cost_usd", "output_tokens"]
    baseline: AmountsOfRunItem
    candidate: AmountsOfRunItem
    median: QuantileDifferenceItem
    p95: QuantileDifferenceItem


class ComparedAmountsItem(Wire):
    baseline: str
    candidate: str
    amounts: list[ComparedAmountItem]

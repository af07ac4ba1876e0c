"""Latency, cost and length of the answers of two runs."""

from typing import Literal

import numpy as np
from fastapi import APIRouter

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import compared_amounts as wire
from monitor.api.two_runs import RunId, two_runs
from monitor.domain.nights import Floats
from monitor.stats.quantile_difference import quantile_difference
from monitor.store.runs.amounts import amounts_of_run

router = APIRouter(prefix="/api/v1/comparisons", tags=["comparisons"])
Name = Literal["latency_ms", "cost_usd", "output_tokens"]
NAMES: tuple[Name, ...] = ("latency_ms", "cost_usd", "output_tokens")
SEED = 0  # the same request has the same answer


@router.get("/amounts", **needs(Role.READ))
def compare_amounts(context: Context, baseline: RunId, candidate: RunId) -> wire.ComparedAmountsItem:
    """Return the distributions of latency, cost and output tokens of two complete runs of a set, with the change of the
    median and of the 95th percentile. Answers with an error are left out.
    """
    with context.store.read() as tx:
        before, after = (amounts_of_run(tx, run.id) for run in two_runs(tx, baseline, candidate))
    found = [_amount(name, _known(before[name]), _known(after[name])) for name in NAMES]
    amounts = [item for item in found if item is not None]
    return wire.ComparedAmountsItem(baseline=baseline, candidate=candidate, amounts=amounts)


def _known(values: Floats) -> Floats:
    return values[np.isfinite(values)]


def _amount(name: Name, before: Floats, after: Floats) -> wire.ComparedAmountItem | None:
    if not before.size or not after.size:
        return None
    return wire.ComparedAmountItem(
        name=name,
        baseline=_of_run(before),
        candidate=_of_run(after),
        median=_change(before, after, 0.5),
        p95=_change(before, after, 0.95),
    )


def _of_run(values: Floats) -> wire.AmountsOfRunItem:
    quantiles = np.quantile(values, np.linspace(0.0, 1.0, 101))
    return wire.AmountsOfRunItem(answers=len(values), mean=float(values.mean()), quantiles=quantiles.tolist())


def _change(before: Floats, after: Floats, share: float) -> wire.QuantileDifferenceItem:
    found = quantile_difference(before, after, share, np.random.default_rng(SEED))
    return wire.QuantileDifferenceItem(
        baseline=found.before,
        candidate=found.after,
        difference=found.difference,
        ci_low=found.low,
        ci_high=found.high,
    )

"""StreamReport years of production traffic with a weekly rhythm, as the store counts them."""

from collections.abc import Callable
from datetime import date, timedelta

import numpy as np

from monitor.domain.production import DayCounts, ProductionPolicy, Series

FIRST = date(2026, 1, 5)  # a Monday
VOLUME = np.array([1.0, 1.1, 1.0, 1.0, 0.9, 0.4, 0.4])
RATE = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.5, 1.3])
POLICY = ProductionPolicy(
    series=(Series.CORRECTIONS, Series.REFUSALS, Series.AVAILABILITY, Series.LATENCY, Series.COST),
    alpha=0.05,
    horizon_days=180,
    baseline_days=28,
    late_days=2,
    history_days=86,
    input_usd_per_mtok=1.0,
    output_usd_per_mtok=4.0,
)
Factor = Callable[[int], float]


def same(day: int) -> float:
    return 1.0


def half_year(
    seed: int,
    days: int = 200,
    corrections: Factor = same,
    refusals: Factor = same,
    failures: Factor = same,
    latency: Factor = same,
    cost: Factor = same,
    calls: float = 400.0,
) -> list[DayCounts]:
    """Each factor multiplies what is usual of a day, by its number; days without a call have no entry."""
    rng, rows = np.random.default_rng(seed), []
    for number in range(days):
        day = FIRST + timedelta(days=number)
        w = day.weekday()
        asked = int(rng.poisson(calls * VOLUME[w]))
        if not asked:
            continue
        failed = int(rng.binomial(asked, min(0.004 * failures(number), 1.0)))
        answered = asked - failed
        mood = rng.gamma(80.0) / 80.0  # days differ by themselves
        rows.append(
            DayCounts(
                day=day,
                calls=asked,
                failed=failed,
                answered=answered,
                corrected=int(rng.binomial(answered, min(0.04 * RATE[w] * mood * corrections(number), 1.0))),
                worded=answered,
                refused=int(rng.binomial(answered, min(0.02 * refusals(number), 1.0))),
                timed=answered,
                latency_ms=float(800.0 * RATE[w] * np.exp(rng.normal(0.0, 0.04)) * latency(number)),
                priced=answered,
                cost_usd=float(0.002 * np.exp(rng.normal(0.0, 0.02)) * cost(number)),
            )
        )
    return rows


def from_day(number: int, factor: float, until: int = 10_000) -> Factor:
    return lambda day: factor if number <= day < until else 1.0


def on(number: int) -> date:
    return FIRST + timedelta(days=number)

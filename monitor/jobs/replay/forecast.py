"""The forecast of a run: calls, tokens and cost before its first call."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from monitor.domain.run import Run
from monitor.store.engine.database import Tx
from monitor.store.runs import forecasts
from replay.run.forecast import Forecast, Prices, forecast_from_texts
from replay.types import Case, TargetConditions


def expected(
    tx: Tx,
    run: Run,
    cases: Collection[Case],
    conditions: TargetConditions,
    *,
    concurrency: int,
    prices: Prices | None,
) -> Mapping[str, Any]:
    """Return the forecast from the newest completed run of the set against the deployment, or from the texts when there
    is no such run.
    """
    calls = len(cases) * run.samples + run.repeats
    return asdict(_forecast(tx, run, cases, calls, conditions, concurrency=concurrency, prices=prices))


def _forecast(
    tx: Tx,
    run: Run,
    cases: Collection[Case],
    calls: int,
    conditions: TargetConditions,
    *,
    concurrency: int,
    prices: Prices | None,
) -> Forecast:
    found = forecasts.from_last_run(tx, run.deployment, run.set_name, calls, concurrency=concurrency)
    return found or forecast_from_texts(cases, calls, max_tokens=conditions.max_tokens, prices=prices)

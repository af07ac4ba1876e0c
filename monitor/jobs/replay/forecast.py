"""The forecast of a run: calls, tokens and cost before its first call."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from monitor.domain.run import Run
from monitor.store.engine.database import Tx
from monitor.store.runs import runs
from replay.run.forecast import Forecast, Prices, forecast_from_run, forecast_from_texts
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
    for earlier in reversed(runs.of_set(tx, run.deployment, run.set_name)):
        found = earlier.manifest and forecast_from_run(earlier.manifest, calls, concurrency=concurrency)
        if found:
            return found
    return forecast_from_texts(cases, calls, max_tokens=conditions.max_tokens, prices=prices)

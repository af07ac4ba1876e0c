"""The forecast of the sets of a deployment: calls, tokens and cost of one replay of each."""

from monitor.api.context import ApiContext
from monitor.api.schema import SetForecastItem
from monitor.domain.evalset import Revision
from monitor.domain.policy import DeploymentPolicy, SetPolicy, refusal
from monitor.errors import ConfigError
from monitor.store.engine.database import Tx
from monitor.store.runs import forecasts
from monitor.store.sets import revisions as evalsets
from monitor.store.sets import sealed_sets
from replay.errors import ReplayError
from replay.run.forecast import Forecast, forecast_from_texts
from replay.run.repeats import repeat_count
from replay.types import Case

SAMPLE = 200  # cases whose texts are measured when no run has ended yet


def set_forecasts(context: ApiContext, tx: Tx, deployment: DeploymentPolicy) -> list[SetForecastItem]:
    """Return the forecast of each set of the deployment, from its newest run or else from its texts."""
    return [_of_set(context, tx, deployment, context.policy.sets[name]) for name in deployment.sets]


def _of_set(context: ApiContext, tx: Tx, deployment: DeploymentPolicy, eval_set: SetPolicy) -> SetForecastItem:
    revision, refused = evalsets.current(tx, eval_set.name), refusal(deployment, eval_set)
    if refused is not None or revision is None or revision.cases == 0:
        return SetForecastItem(
            deployment=deployment.name,
            set_name=eval_set.name,
            calls=0,
            tokens=0,
            usd=0.0,
            basis="no replay",
            refused=refused or "the set has no cases yet",
        )
    calls = revision.cases * eval_set.samples + repeat_count(revision.cases, deployment.drift.repeat_share)
    found = forecasts.from_last_run(tx, deployment.name, eval_set.name, calls, concurrency=1)
    found = found or _from_texts(context, tx, deployment.name, revision, calls)
    return SetForecastItem(
        deployment=deployment.name,
        set_name=eval_set.name,
        calls=found.calls,
        tokens=found.tokens,
        usd=found.usd,
        basis=found.basis,
    )


def _from_texts(context: ApiContext, tx: Tx, deployment: str, revision: Revision, calls: int) -> Forecast:
    costs = context.costs_of(deployment)
    cases = _cases(context, tx, revision) if costs.max_tokens is not None else []
    return forecast_from_texts(cases, calls, max_tokens=costs.max_tokens, prices=costs.prices)


def _cases(context: ApiContext, tx: Tx, revision: Revision) -> list[Case]:
    """Return the first cases of a revision; none when its key is missing or another one. Texts do not leave driftd."""
    try:
        opener = sealed_sets.opener_of(tx, revision.name, revision.revision, context.sealer_of(revision.name))
        stored = sealed_sets.at_positions(tx, revision.name, revision.revision, range(min(SAMPLE, revision.cases)))
        return [sealed_sets.opened(case, opener) for case in stored]
    except (ConfigError, ReplayError):
        return []

"""The false alarms that the configuration allows, and the share of each monitored unit."""

from dataclasses import dataclass

from monitor.config.tree import Config

HALF_YEAR = 180  # nights
TRAFFIC = "traffic"  # of a deployment, in addition to its sets


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarmBudget:
    """The budget of one eval set of one deployment, or of its production traffic. `alpha` is the probability of any
    false alarm within `horizon` nights.
    """

    deployment: str
    what: str
    alpha: float
    horizon: int

    @property
    def half_year(self) -> float:
        """Return the upper bound of the expected false alarms in 180 nights, in proportion to the horizon."""
        return self.alpha * HALF_YEAR / self.horizon


def false_alarm_budgets(config: Config) -> tuple[FalseAlarmBudget, ...]:
    """Return the budget of every monitored unit after the division by `alerts.alpha_scope`."""
    found = []
    for name, section in config.deployments.items():
        drift, share = section.drift, unannounced_share(config, name)
        alphas = dict.fromkeys(section.sets, drift.alpha_unannounced)
        if _monitors_traffic(config, name):
            alphas[TRAFFIC] = drift.production.alpha
        found += [
            FalseAlarmBudget(deployment=name, what=what, alpha=alpha * share, horizon=drift.horizon_nights)
            for what, alpha in alphas.items()
        ]
    return tuple(found)


def unannounced_share(config: Config, deployment: str) -> float:
    """Return the share of `drift.alpha_unannounced` and `drift.production.alpha` for one unit: Bonferroni with equal
    weights.
    """
    over = {
        "set": 1,
        "deployment": _count(config, deployment),
        "all": sum(_count(config, name) for name in config.deployments),
    }
    return 1.0 / max(over[config.alerts.alpha_scope], 1)


def change_share(config: Config, deployment: str) -> float:
    """Return the share of `drift.alpha_change` for one set. A change of a deployment is tested on all its sets."""
    return 1.0 if config.alerts.alpha_scope == "set" else 1.0 / max(len(config.deployments[deployment].sets), 1)


def false_alarms(config: Config) -> float:
    """Return the upper bound of the expected false alarms in half a year over all units. Those after known changes are
    additional.
    """
    return sum(budget.half_year for budget in false_alarm_budgets(config))


def _count(config: Config, deployment: str) -> int:
    return len(config.deployments[deployment].sets) + _monitors_traffic(config, deployment)


def _monitors_traffic(config: Config, deployment: str) -> bool:
    """Return whether any series is monitored. Cost needs a price or the cost of calls; drift of texts needs traffic
    reports.
    """
    section = config.deployments[deployment]
    production = section.drift.production
    priced = production.cost_of_calls or config.targets[section.target].price is not None
    plain = production.corrections or production.refusals or production.availability or production.latency
    return plain or (production.cost and priced) or (production.traffic and config.traffic_reports.enabled)

"""How many false alarms the configuration allows in all, and what share of them each watch gets."""

from dataclasses import dataclass

from monitor.config.tree import Config

HALF_YEAR = 180  # nights
TRAFFIC = "traffic"  # of a deployment, beside its sets


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarmBudget:
    """One eval set of one deployment, or its production traffic; `alpha` is the chance of any false alarm of it within
    `horizon` nights.
    """

    deployment: str
    what: str
    alpha: float
    horizon: int

    @property
    def half_year(self) -> float:
        """Expected false alarms in 180 nights, at most; a longer or shorter horizon counts in proportion."""
        return self.alpha * HALF_YEAR / self.horizon


def watches(config: Config) -> tuple[FalseAlarmBudget, ...]:
    """Everything that is watched, with the share of its alpha that `alerts.alpha_over` leaves it."""
    found = []
    for name, section in config.deployments.items():
        drift, share = section.drift, share_of_silent(config, name)
        alphas = dict.fromkeys(section.sets, drift.alpha_silent)
        if _traffic_is_watched(config, name):
            alphas[TRAFFIC] = drift.production.alpha
        found += [
            FalseAlarmBudget(deployment=name, what=what, alpha=alpha * share, horizon=drift.horizon_nights)
            for what, alpha in alphas.items()
        ]
    return tuple(found)


def share_of_silent(config: Config, deployment: str) -> float:
    """Of `drift.alpha_silent` and `drift.production.alpha`, what one watch may spend: Bonferroni with equal weights."""
    over = {
        "set": 1,
        "deployment": _count(config, deployment),
        "all": sum(_count(config, name) for name in config.deployments),
    }
    return 1.0 / max(over[config.alerts.alpha_over], 1)


def share_of_change(config: Config, deployment: str) -> float:
    """Of `drift.alpha_change`: a change is one of a deployment, and asks all its sets."""
    return 1.0 if config.alerts.alpha_over == "set" else 1.0 / max(len(config.deployments[deployment].sets), 1)


def false_alarms(config: Config) -> float:
    """Expected in half a year over everything that is watched, at most; those after known changes come beside them."""
    return sum(watch.half_year for watch in watches(config))


def _count(config: Config, deployment: str) -> int:
    return len(config.deployments[deployment].sets) + _traffic_is_watched(config, deployment)


def _traffic_is_watched(config: Config, deployment: str) -> bool:
    """Whether any series is: cost needs a price or what calls cost, drift of the texts needs traffic reports."""
    section = config.deployments[deployment]
    wanted = section.drift.production
    priced = wanted.cost_of_calls or config.targets[section.target].price is not None
    plain = wanted.corrections or wanted.refusals or wanted.availability or wanted.latency
    return plain or (wanted.cost and priced) or (wanted.traffic and config.traffic_reports.enabled)

"""How many false alarms the configuration allows in all, and what share of them each watch gets."""

from dataclasses import dataclass

from monitor.config.tree import Config

HALF_YEAR = 180  # nights


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """One eval set of one deployment; `alpha` is the chance of any false alarm of it within `horizon` nights."""

    deployment: str
    set_name: str
    alpha: float
    horizon: int

    @property
    def half_year(self) -> float:
        """Expected false alarms in 180 nights, at most; a longer or shorter horizon counts in proportion."""
        return self.alpha * HALF_YEAR / self.horizon


def watches(config: Config) -> tuple[Watch, ...]:
    """Every set of every deployment, with the share of alpha that `alerts.alpha_over` leaves it."""
    return tuple(
        Watch(
            deployment=name,
            set_name=set_name,
            alpha=section.drift.alpha_silent * share_of_silent(config, name),
            horizon=section.drift.horizon_nights,
        )
        for name, section in config.deployments.items()
        for set_name in section.sets
    )


def share_of_silent(config: Config, deployment: str) -> float:
    """Of `drift.alpha_silent`, what one set of the deployment may spend: Bonferroni with equal weights."""
    over = {
        "set": 1,
        "deployment": len(config.deployments[deployment].sets),
        "all": sum(len(section.sets) for section in config.deployments.values()),
    }
    return 1.0 / max(over[config.alerts.alpha_over], 1)


def share_of_change(config: Config, deployment: str) -> float:
    """Of `drift.alpha_change`: a change is one of a deployment, and asks all its sets."""
    return 1.0 if config.alerts.alpha_over == "set" else 1.0 / max(len(config.deployments[deployment].sets), 1)


def false_alarms(config: Config) -> float:
    """Expected in half a year over everything that is watched, at most; those after known changes come beside them."""
    return sum(watch.half_year for watch in watches(config))

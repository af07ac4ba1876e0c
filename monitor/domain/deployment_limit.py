"""The limit of a request to deployments: which deployments, sets and schedules its sender sees and changes."""

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Final

from monitor.domain.policy import Policy
from monitor.errors import Forbidden


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentLimit:
    """What a request may reach. The store, the intake and the routes read it from CURRENT.

    `sets` and `schedules` are those of the deployments, also when other deployments share them. The sender changes only
    `own_sets` and `own_schedules`, which no other deployment has.
    """

    deployments: frozenset[str]
    sets: frozenset[str] = frozenset()
    own_sets: frozenset[str] = frozenset()
    schedules: frozenset[str] = frozenset()
    own_schedules: frozenset[str] = frozenset()

    def require(self, names: Iterable[str | None]) -> None:
        """Raise Forbidden when a record belongs to another deployment. The message names only what the sender sent."""
        outside = sorted({name for name in names if name is not None} - self.deployments)
        if outside:
            allowed = ", ".join(sorted(self.deployments))
            raise Forbidden(
                f"deployment {outside[0][:200]!r} is outside the limit of this token ({allowed}); nothing was stored; "
                "correct the deployment of the records, or use another token"
            )


CURRENT: Final[ContextVar[DeploymentLimit | None]] = ContextVar("deployment_limit", default=None)
"""The limit of the current request. None: the request, or the loop, reaches everything."""


def limit_of(policy: Policy, deployments: frozenset[str] | None) -> DeploymentLimit | None:
    """Return the limit of a sender with these deployments; None for a sender without a limit."""
    if deployments is None:
        return None
    shared = {name for each in policy.deployments.values() if each.name not in deployments for name in each.sets}
    sets = frozenset(name for each in policy.deployments.values() if each.name in deployments for name in each.sets)
    schedules = {each.name: frozenset(each.deployments) for each in policy.schedules.values()}
    return DeploymentLimit(
        deployments=deployments,
        sets=sets,
        own_sets=sets - shared,
        schedules=frozenset(name for name, served in schedules.items() if served & deployments),
        own_schedules=frozenset(name for name, served in schedules.items() if served and served <= deployments),
    )


def limited_policy(policy: Policy, limit: DeploymentLimit) -> Policy:
    """Return the configuration as the sender sees it."""
    return replace(
        policy,
        deployments={name: each for name, each in policy.deployments.items() if name in limit.deployments},
        sets={name: each for name, each in policy.sets.items() if name in limit.sets},
        schedules={
            name: replace(each, deployments=tuple(d for d in each.deployments if d in limit.deployments))
            for name, each in policy.schedules.items()
            if name in limit.schedules
        },
    )

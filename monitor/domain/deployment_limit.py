"""The limit of a request to deployments: which deployments, sets and schedules its sender sees and changes."""

import json
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

    @property
    def text(self) -> str:
        """Return the deployments as JSON, for the column `limited_to` of rows that are joined later."""
        return json.dumps(sorted(self.deployments))

    def require(self, names: Iterable[str | None]) -> None:
        """Raise Forbidden when a record belongs to another deployment. The message names only what the sender sent."""
        outside = sorted({name for name in names if name is not None} - self.deployments)
        if outside:
            allowed = ", ".join(sorted(self.deployments))
            raise Forbidden(
                f"deployment {outside[0][:200]!r} is outside the limit of this token ({allowed}); nothing was stored; "
                "correct the deployment of the records, or use another token"
            )

    def require_own_sets(self, names: Iterable[str]) -> None:
        """Raise Forbidden when a set to change is not only for these deployments. The answer is the same for a set of
        other deployments and for an unknown one.
        """
        _require_own(names, self.own_sets, "eval set")

    def require_own_schedules(self, names: Iterable[str]) -> None:
        """Raise Forbidden when a schedule to change is not only for these deployments."""
        _require_own(names, self.own_schedules, "schedule")


def _require_own(names: Iterable[str], own: frozenset[str], kind: str) -> None:
    if others := sorted(set(names) - own):
        raise Forbidden(
            f"{kind} {others[0][:200]!r} is not only for the deployments of this token; a token without a limit to "
            "deployments changes it"
        )


CURRENT: Final[ContextVar[DeploymentLimit | None]] = ContextVar("deployment_limit", default=None)
"""The limit of the current request. None: the request, or the loop, reaches everything."""


def default_within(name: str) -> str:
    """Return the deployment of a record of the current request that names none. `name` is the default of all senders.

    A sender that is limited to one deployment sends for this deployment.
    """
    limit = CURRENT.get()
    if limit is None or name in limit.deployments or len(limit.deployments) != 1:
        return name
    return next(iter(limit.deployments))


def reaches(limited_to: str | None, deployment: str) -> bool:
    """Return whether a row with this column `limited_to` may be joined with a row of the deployment.

    >>> reaches(None, "bot"), reaches('["bot"]', "bot"), reaches('["bot"]', "other")
    (True, True, False)
    """
    return limited_to is None or deployment in json.loads(limited_to)


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

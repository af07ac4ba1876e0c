"""The roles and the deployments that the groups of a user grant. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What one group grants: roles, on some deployments or on all of them (None)."""

    roles: frozenset[str]
    deployments: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The roles of a user, each of them valid on all of these deployments; None means all deployments."""

    roles: frozenset[str]
    deployments: frozenset[str] | None


def access_of(groups: Collection[str], grants: Mapping[str, Grant]) -> Access | None:
    """Return the access of a user in these groups, None if no group has a grant.

    The deployments are those of all groups together, and the roles are those that the user has on every one of them.
    So a user never gets a role of one group on a deployment of another group.

    >>> grants = {
    ...     "on-call": Grant(roles=frozenset({"read", "operate"}), deployments=frozenset({"shop"})),
    ...     "staff": Grant(roles=frozenset({"read"})),
    ... }
    >>> access_of(["on-call", "staff"], grants)
    Access(roles=frozenset({'read'}), deployments=None)
    """
    found = [grants[group] for group in groups if group in grants]
    if not found:
        return None
    named = frozenset[str]().union(*(grant.deployments or () for grant in found))
    everywhere = [grant for grant in found if grant.deployments is None]
    # With a group for all deployments, the deployments that no group names have the fewest roles.
    on_each = [_roles(everywhere)] if everywhere else []
    on_each += [_roles(grant for grant in found if _covers(grant, name)) for name in named]
    roles = frozenset[str].intersection(*on_each) if on_each else frozenset[str]()
    return Access(roles=roles, deployments=None if everywhere else named)


def _covers(grant: Grant, deployment: str) -> bool:
    return grant.deployments is None or deployment in grant.deployments


def _roles(grants: Iterable[Grant]) -> frozenset[str]:
    return frozenset[str]().union(*(grant.roles for grant in grants))

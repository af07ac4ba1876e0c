"""Users of the identity provider: the principal of an ID token."""

from collections.abc import Mapping
from concurrent.futures import Future

from monitor.api.auth import Principal, PrincipalKind, Role, granted
from monitor.guards.authorization import token_of
from monitor.guards.oidc.access import Grant, access_of
from monitor.guards.oidc.claims import User
from monitor.guards.oidc.id_token import IdTokens, UnknownSigningKey, looks_like_id_token
from monitor.guards.oidc.signing_keys import ProviderUnavailable

NO_GROUP = "an administrator of driftd maps one of your groups to roles (api.oidc.roles)"
TOO_MANY_GROUPS = (
    "the provider left your groups out of the ID token because they are too many; an administrator of the provider "
    "limits them to those of this application"
)


class Users:
    """Authenticates the users of one provider. Several threads may use it at the same time."""

    def __init__(self, id_tokens: IdTokens, grants: Mapping[str, Grant]) -> None:
        self._id_tokens, self._grants = id_tokens, grants

    def fetch_keys(self) -> None:
        """Start the first request for the keys, so that the first login does not wait for it."""
        self._id_tokens.keys.refresh(None)

    def missing_keys(self, authorization: str | None) -> "Future[None] | None":
        """Return the request that must end before `principal_of`, or None."""
        token = authorization.partition(" ")[2] if authorization else ""
        return self._id_tokens.missing_keys(token_of(authorization)) if looks_like_id_token(token) else None

    def principal_of(self, token: str) -> Principal:
        """Return the sender. Raise InvalidIdToken, or ProviderUnavailable when no key could be fetched."""
        try:
            return self._principal(self._id_tokens.verify(token))
        except UnknownSigningKey:
            if (problem := self._id_tokens.keys.problem) is not None:
                raise ProviderUnavailable(
                    f"the ID token cannot be verified now: {problem}; requests with an API token still work"
                ) from None
            raise

    def _principal(self, user: User) -> Principal:
        access = access_of(user.groups, self._grants)
        return Principal(
            name=user.label,
            roles=frozenset() if access is None else frozenset(Role(role) for role in access.roles),
            kind=PrincipalKind.USER,
            user=user.name,
            expires_at=user.expires_at,
            deployments=None if access is None else access.deployments,
            key=f"user {user.name}",
            advice=TOO_MANY_GROUPS if access is None and user.groups_elsewhere else NO_GROUP,
        )


def grants_of(roles: Mapping[str, frozenset[Role]], deployments: Mapping[str, frozenset[str]]) -> Mapping[str, Grant]:
    """Return what each group grants, with the roles that its roles imply."""
    return {
        group: Grant(roles=frozenset(granted(named)), deployments=deployments.get(group))
        for group, named in roles.items()
    }

"""Authentication and authorization: hashed bearer tokens and their roles."""

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from threading import Lock
from typing import Protocol
from urllib.parse import unquote

from monitor.clock import Clock, SystemClock
from monitor.domain.api_token import ApiToken, TokenState, TokenUse
from monitor.errors import Forbidden, Unauthenticated
from monitor.guards.authorization import token_of, why_unknown
from monitor.guards.failed_logins import Caller, FailedLogins, source_of
from monitor.guards.oidc.claims import ExpiredIdToken, InvalidIdToken
from monitor.guards.oidc.id_token import looks_like_id_token
from monitor.guards.rate_limits import RateLimits
from monitor.guards.token_uses import TokenUses, key_of_configured

LOCAL = "local"  # the sender when no tokens are configured
USER_HEADER = "Driftd-User"
LONGEST_USER = 64
EXPIRED = "the token has expired; create another one with POST /api/v1/tokens, or rotate a token before it expires"


class Role(StrEnum):
    """A permission of a token. `admin` implies every other role except `reveal`, which must be granted explicitly."""

    INGEST = "ingest"
    READ = "read"
    REVIEW = "review"
    OPERATE = "operate"
    REVEAL = "reveal"
    ADMIN = "admin"


class PrincipalKind(StrEnum):
    """How the sender of a request was identified: not at all, by an API token, or by an ID token of a user."""

    LOCAL = "local"
    TOKEN = "token"  # noqa: S105 - a word
    USER = "user"


EVERYTHING_BUT_REVEAL = frozenset(Role) - {Role.REVEAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A configured token: its name for logs, the SHA-256 of its text and its roles."""

    name: str
    sha256: str
    roles: frozenset[Role]
    deployments: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The sender of a request with its roles, and the deployments that it reaches (None: all). `user` and `expires_at`
    are those of a logged-in user. `key` identifies the sender for rate limits.
    """

    name: str
    roles: frozenset[Role]
    kind: PrincipalKind = PrincipalKind.TOKEN
    user: str | None = None
    expires_at: datetime | None = None
    advice: str = "use another token"
    deployments: frozenset[str] | None = None
    key: str | None = None  # None: without a rate limit

    def demand(self, role: Role) -> None:
        """Raise Forbidden with the name of the role unless the sender has it."""
        if role is Role.ADMIN and self.deployments is not None:
            raise Forbidden(f"{self.name!r} is limited to deployments, and the role 'admin' covers the whole daemon")
        if role not in self.roles:
            raise Forbidden(f"the role {role.value!r} is required and {self.name!r} does not have it; {self.advice}")

    def acting_for(self, user: str | None) -> "Principal":
        """Return the sender with its name for the logs: the user name, followed by the token name if any."""
        if user is None or self.kind is PrincipalKind.USER:
            return self  # the name of a user is verified, and a header must not change it
        return replace(self, name=user if self.name == LOCAL else f"{self.name} ({user})")


class UserTokens(Protocol):
    """ID tokens of users: `monitor/api/users.py`."""

    def missing_keys(self, authorization: str | None) -> "Future[None] | None": ...

    def principal_of(self, token: str) -> Principal: ...


class Tokens:
    """All tokens: those of the configuration, and the stored ones, which change while the daemon runs.

    Without any active token, the API listens on loopback only and grants every role except `reveal`.
    """

    def __init__(
        self,
        tokens: Iterable[Token] = (),
        failures: FailedLogins | None = None,
        clock: Clock | None = None,
        users: UserTokens | None = None,
        *,
        rates: RateLimits | None = None,
    ) -> None:
        self.uses = TokenUses()
        self._rates = rates or RateLimits()
        self._users = users
        self._tokens = tuple(tokens)
        self._failures = failures or FailedLogins()
        self._clock = clock or SystemClock()
        self.changing = Lock()  # held by a change of the stored tokens, until requests use it
        self._stored: Mapping[str, ApiToken] = {}  # by digest; replaced as a whole, because requests read it

    @property
    def configured(self) -> bool:
        """Whether the configuration has a token."""
        return bool(self._tokens)

    @property
    def required(self) -> bool:
        """Whether a request needs a token. An expired token still counts: the API never opens by the clock."""
        return bool(self._tokens or self._stored or self._users)

    @property
    def of_configuration(self) -> Sequence[Token]:
        """The tokens of the configuration, in its order."""
        return self._tokens

    def store(self, tokens: Iterable[ApiToken]) -> None:
        """Replace the stored tokens: all that are not revoked. The next request uses them."""
        self._stored = {token.sha256: token for token in tokens}

    def missing_keys(self, authorization: str | None) -> "Future[None] | None":
        """Return a request to the identity provider that must end before `authenticate`, or None."""
        return None if self._users is None else self._users.missing_keys(authorization)

    def authenticate(self, authorization: str | None, caller: Caller | None = None) -> Principal:
        """Return the sender of an `Authorization` header.

        Raises Unauthenticated for an unknown or missing token, and TooManyFailures after too many failures of `caller`.
        """
        if not self.required:
            return Principal(name=LOCAL, roles=EVERYTHING_BUT_REVEAL, kind=PrincipalKind.LOCAL)
        token = token_of(authorization)
        if self._users is not None and looks_like_id_token(token):
            return self._user(self._users, token, caller)
        digest = hashlib.sha256(token.encode()).hexdigest()
        # Compare every token in constant time: the duration does not reveal which one matched.
        matches = [one for one in self._tokens if hmac.compare_digest(one.sha256.lower(), digest)]
        if matches:
            self._note_use(key_of_configured(digest), caller)
            return Principal(
                name=matches[0].name,
                roles=granted(matches[0].roles),
                deployments=matches[0].deployments,
                key=key_of_configured(digest),
            )
        stored = self._stored.get(digest)  # a lookup by digest reveals nothing of a text with 256 random bits
        if stored is not None and stored.state(self._clock.now()) is TokenState.ACTIVE:
            return self._principal(stored, caller)
        if caller is not None:
            self._failures.record(caller)
        raise Unauthenticated(why_unknown(token) if stored is None else EXPIRED)

    def limit_rate(self, principal: Principal) -> None:
        """Count a request of a sender. Raise RateLimited when it sends too many."""
        if principal.key is not None:
            self._rates.spend(principal.key)

    def _principal(self, token: ApiToken, caller: Caller | None) -> Principal:
        self._note_use(token.id, caller)
        return Principal(
            name=token.name,
            roles=granted(Role(role) for role in token.roles),
            deployments=None if token.deployments is None else frozenset(token.deployments),
            key=token.id,
        )

    def _note_use(self, key: str, caller: Caller | None) -> None:
        if caller is not None:
            self.uses.note(key, TokenUse(at=self._clock.now(), address=source_of(caller.address)))

    def _user(self, users: UserTokens, token: str, caller: Caller | None) -> Principal:
        try:
            return users.principal_of(token)
        except InvalidIdToken as error:
            if caller is not None and not isinstance(error, ExpiredIdToken):  # the end of a session is no guess
                self._failures.record(caller)
            raise


def claimed_user(header: str | None) -> str | None:
    """Return the user that a client names, percent-decoded and printable; None without one. The name is not verified.

    >>> claimed_user("J%C3%BCrgen")
    'Jürgen'
    >>> claimed_user("a%0Ab")
    'ab'
    """
    name = "".join(c for c in unquote(header or "") if c.isprintable()).strip()[:LONGEST_USER]
    return name or None


def granted(roles: Iterable[Role]) -> frozenset[Role]:
    """Return the roles and the roles that they imply."""
    named = frozenset(roles)
    return named | EVERYTHING_BUT_REVEAL if Role.ADMIN in named else named

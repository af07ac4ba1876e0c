"""Authentication and authorization: hashed bearer tokens and their roles."""

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import unquote

from monitor.errors import Forbidden, Unauthenticated
from monitor.guards.authorization import token_of, why_unknown
from monitor.guards.failed_logins import Caller, FailedLogins

LOCAL = "local"  # the sender when no tokens are configured
USER_HEADER = "Driftd-User"
LONGEST_USER = 64


class Role(StrEnum):
    """A permission of a token. `admin` implies every other role except `reveal`, which must be granted explicitly."""

    INGEST = "ingest"
    READ = "read"
    REVIEW = "review"
    OPERATE = "operate"
    REVEAL = "reveal"
    ADMIN = "admin"


EVERYTHING_BUT_REVEAL = frozenset(Role) - {Role.REVEAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A configured token: its name for logs, the SHA-256 of its text and its roles."""

    name: str
    sha256: str
    roles: frozenset[Role]


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The sender of a request with its roles."""

    name: str
    roles: frozenset[Role]

    def demand(self, role: Role) -> None:
        """Raise Forbidden with the name of the role unless the sender has it."""
        if role not in self.roles:
            raise Forbidden(
                f"the role {role.value!r} is required and {self.name!r} does not have it; use another token"
            )

    def acting_for(self, user: str | None) -> "Principal":
        """Return the sender with its name for the logs: the user name, followed by the token name if any."""
        if user is None:
            return self
        return replace(self, name=user if self.name == LOCAL else f"{self.name} ({user})")


class Tokens:
    """All configured tokens. Without tokens, the API listens on loopback only and grants every role except `reveal`."""

    def __init__(self, tokens: Iterable[Token] = (), failures: FailedLogins | None = None) -> None:
        self._tokens = tuple(tokens)
        self._failures = failures or FailedLogins()

    @property
    def required(self) -> bool:
        return bool(self._tokens)

    def authenticate(self, authorization: str | None, caller: Caller | None = None) -> Principal:
        """Return the sender of an `Authorization` header.

        Raises Unauthenticated for an unknown or missing token, and TooManyFailures after too many failures of `caller`.
        """
        if not self._tokens:
            return Principal(name=LOCAL, roles=EVERYTHING_BUT_REVEAL)
        token = token_of(authorization)
        digest = hashlib.sha256(token.encode()).hexdigest()
        # Compare every token in constant time: the duration does not reveal which one matched.
        matches = [one for one in self._tokens if hmac.compare_digest(one.sha256.lower(), digest)]
        if not matches:
            if caller is not None:
                self._failures.record(caller)
            raise Unauthenticated(why_unknown(token))
        return Principal(name=matches[0].name, roles=granted(matches[0].roles))


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

"""Who asks, and what they may do: hashed bearer tokens and their roles."""

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import unquote

from monitor.errors import Forbidden, Unauthenticated
from monitor.guards.authorization import token_of, why_unknown
from monitor.guards.failed_logins import Caller, FailedLogins

LOCAL = "local"  # the sender on loopback when no tokens are configured
USER_HEADER = "Driftd-User"
LONGEST_USER = 64


class Role(StrEnum):
    """What a token may do. `admin` implies every other but `reveal`, which is always given by name."""

    INGEST = "ingest"
    READ = "read"
    REVIEW = "review"
    OPERATE = "operate"
    REVEAL = "reveal"
    ADMIN = "admin"


EVERYTHING_BUT_REVEAL = frozenset(Role) - {Role.REVEAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as it is kept: its name for logs, the SHA-256 of its text, its roles."""

    name: str
    sha256: str
    roles: frozenset[Role]


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who sent a request, with the roles that hold for it."""

    name: str
    roles: frozenset[Role]

    def demand(self, role: Role) -> None:
        """Raise Forbidden, naming the role, unless it is granted."""
        if role not in self.roles:
            raise Forbidden(f"this needs the role {role.value!r}, which {self.name!r} lacks; use a token that has it")

    def acting_for(self, user: str | None) -> "Principal":
        """Return the sender under the name that the records get: the user's, behind the token's when there is one."""
        if user is None:
            return self
        return replace(self, name=user if self.name == LOCAL else f"{self.name} ({user})")


class Tokens:
    """Every configured token. Without any the API stands on loopback alone, and grants all roles but `reveal`."""

    def __init__(self, tokens: Iterable[Token] = (), failures: FailedLogins | None = None) -> None:
        self._tokens = tuple(tokens)
        self._failures = failures or FailedLogins()

    @property
    def required(self) -> bool:
        return bool(self._tokens)

    def authenticate(self, authorization: str | None, caller: Caller | None = None) -> Principal:
        """Return the sender of an `Authorization` header.

        Raises Unauthenticated when it names no configured token, and TooManyFailures when `caller` did so too often.
        """
        if not self._tokens:
            return Principal(name=LOCAL, roles=EVERYTHING_BUT_REVEAL)
        token = token_of(authorization)
        digest = hashlib.sha256(token.encode()).hexdigest()
        # Every token is compared, each in constant time: how long it takes says nothing about which one matched.
        matches = [one for one in self._tokens if hmac.compare_digest(one.sha256.lower(), digest)]
        if not matches:
            if caller is not None:
                self._failures.record(caller)
            raise Unauthenticated(why_unknown(token))
        return Principal(name=matches[0].name, roles=granted(matches[0].roles))


def claimed_user(header: str | None) -> str | None:
    """Return the user that a client names, percent-decoded and printable; None when it names none. Nothing proves it.

    >>> claimed_user("J%C3%BCrgen")
    'Jürgen'
    >>> claimed_user("a%0Ab")
    'ab'
    """
    name = "".join(c for c in unquote(header or "") if c.isprintable()).strip()[:LONGEST_USER]
    return name or None


def granted(roles: Iterable[Role]) -> frozenset[Role]:
    """The roles with what they imply."""
    named = frozenset(roles)
    return named | EVERYTHING_BUT_REVEAL if Role.ADMIN in named else named

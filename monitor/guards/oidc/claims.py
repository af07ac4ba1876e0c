"""The claims of an ID token: whether they are valid for driftd, who the user is, and the groups.

The rules are those of OpenID Connect Core 1.0, section 3.1.3.7, and of RFC 7519, section 4.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from monitor.errors import Unauthenticated

SKEW_S: Final = 60.0  # the clock of the provider may differ by this much
LONGEST_NAME: Final = 64
LONGEST_SUBJECT: Final = 255  # OpenID Connect Core 1.0, section 2: at most 255 ASCII characters
MOST_GROUPS: Final = 1_000
EMAIL: Final = "email"


class InvalidIdToken(Unauthenticated):
    """The ID token is not valid for driftd. The message names the reason, never the token."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the ID token is refused: {reason}")


class ExpiredIdToken(InvalidIdToken):
    """The ID token was valid, and its time is over."""

    code = "session_expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The issuer, the client and the audience that an ID token must name."""

    issuer: str
    client_id: str
    audience: str


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user of the provider. `subject` identifies the user; `name` is for people and may change."""

    subject: str
    name: str
    groups: tuple[str, ...]
    expires_at: datetime
    groups_elsewhere: bool = False  # the user has so many groups that the provider left them out of the token

    @property
    def label(self) -> str:
        """Return the name for logs: a name that the user may choose, and the subject that the user cannot choose."""
        return f"{self.name} (oidc {self.subject})"


def user_of(claims: Mapping[str, Any], expected: Expected, groups_claim: str, now: datetime) -> User:
    """Return the user of verified claims. Raise InvalidIdToken or ExpiredIdToken."""
    _check_parties(claims, expected)
    expires_at = _check_times(claims, now.timestamp())
    return User(
        subject=_subject(claims),
        name=_name(claims),
        groups=groups_of(claims, groups_claim),
        expires_at=datetime.fromtimestamp(expires_at, UTC),
        groups_elsewhere=groups_claim in _mapping(claims.get("_claim_names")),
    )


def groups_of(claims: Mapping[str, Any], claim: str) -> tuple[str, ...]:
    """Return the values of a claim: a list of texts or one text. A claim inside another one is named with a dot.

    An e-mail address counts only if the provider verified it.

    >>> groups_of({"groups": ["a", 7, "b"]}, "groups")
    ('a', 'b')
    >>> groups_of({"realm_access": {"roles": ["c"]}}, "realm_access.roles")
    ('c',)
    >>> groups_of({"email": "a@example.com"}, "email")
    ()
    """
    if claim == EMAIL and claims.get("email_verified") is not True:
        return ()
    found: Any = claims.get(claim)
    if found is None:  # the whole name first: names of some providers are URLs and contain dots
        found = claims
        for part in claim.split("."):
            found = _mapping(found).get(part)
    values = [found] if isinstance(found, str) else found if isinstance(found, list) else []
    return tuple(value for value in values[:MOST_GROUPS] if isinstance(value, str))


def _check_parties(claims: Mapping[str, Any], expected: Expected) -> None:
    if claims.get("iss") != expected.issuer:
        raise InvalidIdToken("another issuer made it")
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    if expected.audience not in audiences:
        raise InvalidIdToken("it is for another audience")
    party = claims.get("azp")
    if (party is None and len(audiences) > 1) or (party is not None and party != expected.client_id):
        raise InvalidIdToken("it was issued to another client")


def _check_times(claims: Mapping[str, Any], now_s: float) -> float:
    """Return the end of the token in seconds since 1970."""
    expires_s, issued_s = _time(claims, "exp"), _time(claims, "iat")
    if expires_s is None or issued_s is None:
        raise InvalidIdToken("exp or iat is missing")
    starts_s = _time(claims, "nbf")
    if max(issued_s, issued_s if starts_s is None else starts_s) > now_s + SKEW_S:
        raise InvalidIdToken("it is not valid yet; compare the clocks of driftd and of the provider")
    if expires_s <= now_s - SKEW_S:
        raise ExpiredIdToken("it has expired")
    return expires_s


def _time(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**40:
        raise InvalidIdToken(f"{name} is not a time")
    return float(value)


def _subject(claims: Mapping[str, Any]) -> str:
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
        raise InvalidIdToken("sub is missing or not a printable text of at most 255 characters")
    return subject


def _name(claims: Mapping[str, Any]) -> str:
    for claim in (EMAIL, "preferred_username", "name"):
        value = claims.get(claim)
        printable = "".join(c for c in value if c.isprintable()).strip() if isinstance(value, str) else ""
        if printable:
            return printable[:LONGEST_NAME]
    return "user"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

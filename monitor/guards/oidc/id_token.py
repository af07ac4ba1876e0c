"""Verify an ID token: the algorithm, the signature by a key of the provider, and the claims."""

import base64
import binascii
import json
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from typing import Final

from monitor.guards.oidc.claims import Expected, InvalidIdToken, User, user_of
from monitor.guards.oidc.signing_keys import SigningKeys

# Signatures with a private key only: `none` has no signature, and the secret of HS256 is known to every client.
ALGORITHMS: Final = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    **dict.fromkeys(("EdDSA", "Ed25519"), "OKP"),
}
LONGEST_TOKEN: Final = 32 * 1024
_JWT_PARTS: Final = 3


class UnknownSigningKey(InvalidIdToken):
    """No key of the provider has the id that the token names."""


def looks_like_id_token(token: str) -> bool:
    """Return whether a bearer token has the shape of a JWT: three parts, and a header that is a JSON object.

    >>> looks_like_id_token("driftd_abc"), looks_like_id_token("a.b.c"), looks_like_id_token("eyJhbGciOiJub25lIn0.e30.")
    (False, False, True)
    """
    return len(token.split(".")) == _JWT_PARTS and _header(token) is not None


class IdTokens:
    """Verifies ID tokens of one provider. A caller waits for `missing_keys` before it calls `verify`."""

    def __init__(
        self, expected: Expected, groups_claim: str, keys: SigningKeys, clock_now: Callable[[], datetime]
    ) -> None:
        self._expected, self._groups_claim, self._now = expected, groups_claim, clock_now
        self.keys = keys

    def missing_keys(self, token: str) -> "Future[None] | None":
        """Return a request for keys that must end before `verify`, or None."""
        header = _header(token)
        if header is None or header.get("alg") not in ALGORITHMS:
            return None  # no key makes it valid
        return self.keys.refresh(_kid(header))

    def verify(self, token: str) -> User:
        """Return the user of the token. Raise InvalidIdToken, ExpiredIdToken or UnknownSigningKey."""
        from joserfc import jwt  # only a daemon with a provider needs it
        from joserfc.errors import JoseError

        header = _header(token) if len(token) <= LONGEST_TOKEN else None
        if header is None:
            raise InvalidIdToken("it is not a JWT")
        algorithm = header.get("alg")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            raise InvalidIdToken("its algorithm is not allowed")
        keys = self.keys.matching(_kid(header))
        if not keys:
            raise UnknownSigningKey("no key of the provider has the id that it names")
        for key in keys:
            if key.key_type == ALGORITHMS[algorithm] and key.get("alg") in {None, algorithm}:
                try:
                    claims = jwt.decode(token, key, algorithms=[algorithm]).claims
                except (JoseError, ValueError, TypeError):
                    continue
                return user_of(claims, self._expected, self._groups_claim, self._now())
        raise InvalidIdToken("its signature is wrong")


def _header(token: str) -> dict[str, object] | None:
    text = token.partition(".")[0]
    try:
        found = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _kid(header: dict[str, object]) -> str | None:
    kid = header.get("kid")
    return kid if isinstance(kid, str) else None

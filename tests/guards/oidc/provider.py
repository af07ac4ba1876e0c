"""A provider of the tests: its keys, the tokens that it signs, and the requests that it gets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from joserfc import jwt
from joserfc.jwk import ECKey, KeyParameters, OKPKey, RSAKey

from monitor.guards.oidc.claims import Expected
from monitor.guards.oidc.id_token import IdTokens
from monitor.guards.oidc.signing_keys import ProviderUnavailable, PublicKey, SigningKeys

ISSUER = "https://login.example.com"
CLIENT = "driftd"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
EXPECTED = Expected(issuer=ISSUER, client_id=CLIENT, audience=CLIENT)


def new_key(kid: str, kind: str = "RSA") -> PublicKey:
    named: KeyParameters = {"kid": kid, "use": "sig"}
    if kind == "EC":
        return ECKey.generate_key("P-256", named)
    return OKPKey.generate_key("Ed25519", named) if kind == "OKP" else RSAKey.generate_key(2048, named)


KEY = new_key("first")  # one for all tests: RSA keys are slow to generate


def valid_claims(**changed: Any) -> dict[str, Any]:
    """Return the claims of a valid ID token; None removes a claim."""
    now_s = int(NOW.timestamp())
    claims = {
        "iss": ISSUER,
        "aud": CLIENT,
        "sub": "248289761001",
        "email": "anna@example.com",
        "groups": ["reviewers"],
        "iat": now_s,
        "exp": now_s + 600,
    } | changed
    return {name: value for name, value in claims.items() if value is not None}


def signed(claims: Mapping[str, Any], key: PublicKey = KEY, algorithm: str = "RS256", **header: Any) -> str:
    return jwt.encode({"alg": algorithm, "kid": key.kid, **header}, dict(claims), key, algorithms=[algorithm])


@dataclass(slots=True, kw_only=True)
class Provider:
    """Counts the requests for its keys. It does not answer while `down`."""

    keys: list[PublicKey] = field(default_factory=lambda: [KEY])
    requests: int = 0
    down: bool = False
    now_s: float = 0.0

    def fetch(self) -> Sequence[Mapping[str, Any]]:
        self.requests += 1
        if self.down:
            raise ProviderUnavailable(f"{ISSUER} cannot be reached")
        return [key.as_dict(private=False) for key in self.keys]

    def signing_keys(self) -> SigningKeys:
        return SigningKeys(self.fetch, lambda: self.now_s)


def wait_for_keys(tokens: IdTokens, token: str) -> None:
    if (missing := tokens.missing_keys(token)) is not None:
        missing.result(timeout=10)


def id_tokens(provider: Provider, groups_claim: str = "groups") -> IdTokens:
    """Return a verifier that has the keys of the provider."""
    found = IdTokens(EXPECTED, groups_claim, provider.signing_keys(), lambda: NOW)
    wait_for_keys(found, signed(valid_claims()))
    return found

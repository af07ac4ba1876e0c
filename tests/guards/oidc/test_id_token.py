"""Which ID tokens driftd accepts: signature, algorithm, issuer, audience and times."""

import base64
import hmac
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jwt
from joserfc.jwk import RSAKey

from monitor.guards.oidc.claims import ExpiredIdToken, InvalidIdToken
from monitor.guards.oidc.id_token import LONGEST_TOKEN, IdTokens, UnknownSigningKey, looks_like_id_token
from tests.guards.oidc.provider import KEY, NOW, Provider, id_tokens, new_key, signed, valid_claims

NOW_S = int(NOW.timestamp())
OTHER_KEY = new_key("first")  # another key with the same id
EC_KEY, ED_KEY = new_key("ec", "EC"), new_key("ed", "OKP")


@pytest.fixture(scope="module")
def verifier() -> IdTokens:
    return id_tokens(Provider(keys=[KEY, EC_KEY, ED_KEY]))


def test_a_valid_token_names_the_user_and_the_groups(verifier: IdTokens) -> None:
    user = verifier.verify(signed(valid_claims()))
    assert (user.subject, user.name, user.groups) == ("248289761001", "anna@example.com", ("reviewers",))
    assert user.expires_at == NOW + timedelta(minutes=10)
    assert user.label == "anna@example.com (oidc 248289761001)"


@pytest.mark.parametrize(
    ("key", "algorithm"), [(KEY, "RS256"), (KEY, "RS512"), (KEY, "PS256"), (EC_KEY, "ES256"), (ED_KEY, "Ed25519")]
)
def test_signatures_with_a_private_key_are_accepted(verifier: IdTokens, key: Any, algorithm: str) -> None:
    assert verifier.verify(signed(valid_claims(), key, algorithm)).subject == "248289761001"


def unsigned(header: dict[str, Any]) -> str:
    parts = (json.dumps(header), json.dumps(valid_claims()))
    return ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts) + "."


def hmac_with_the_public_key() -> str:
    """Return a token signed with the provider's public key as if it were a shared secret."""
    signing_input = unsigned({"alg": "HS256", "kid": KEY.kid}).rstrip(".")
    digest = hmac.digest(KEY.as_pem(private=False), signing_input.encode(), "sha256")
    return f"{signing_input}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        (unsigned({"alg": "none", "kid": "first"}), "algorithm"),
        (unsigned({"alg": "NONE"}), "algorithm"),
        (unsigned({"alg": ["RS256"]}), "algorithm"),
        (unsigned({"alg": "RS256", "kid": "first"}), "signature"),
        (signed(valid_claims(), OTHER_KEY), "signature"),
        (signed(valid_claims(), EC_KEY, "ES256", kid="first"), "signature"),
        (signed(valid_claims(), new_key("third", "EC"), "ES256"), "no key"),
        (signed(valid_claims(iss="https://login.example.com/")), "issuer"),
        (signed(valid_claims(iss=None)), "issuer"),
        (signed(valid_claims(aud="another")), "audience"),
        (signed(valid_claims(aud=None)), "audience"),
        (signed(valid_claims(aud=["driftd", "another"])), "another client"),
        (signed(valid_claims(azp="another")), "another client"),
        (signed(valid_claims(exp=NOW_S - 61)), "expired"),
        (signed(valid_claims(exp=None)), "exp or iat"),
        (signed(valid_claims(iat=None)), "exp or iat"),
        (signed(valid_claims(exp=True)), "not a time"),
        (signed(valid_claims(exp="2100")), "not a time"),
        (signed(valid_claims(exp=10**400)), "not a time"),
        (signed(valid_claims(nbf=NOW_S + 61)), "not valid yet"),
        (signed(valid_claims(iat=NOW_S + 61)), "not valid yet"),
        (signed(valid_claims(sub=None)), "sub"),
        (signed(valid_claims(sub="")), "sub"),
        (signed(valid_claims(sub="a\nb")), "sub"),
        ("a.b.c", "not a JWT"),
        ("driftd_token", "not a JWT"),
        (signed(valid_claims(padding="x" * LONGEST_TOKEN)), "not a JWT"),
    ],
)
def test_any_other_token_is_refused_with_the_reason(verifier: IdTokens, token: str, reason: str) -> None:
    with pytest.raises(InvalidIdToken, match=reason) as caught:
        verifier.verify(token)
    assert token not in str(caught.value)


def test_the_public_key_is_no_shared_secret(verifier: IdTokens) -> None:
    with pytest.raises(InvalidIdToken, match="algorithm"):
        verifier.verify(hmac_with_the_public_key())


@pytest.mark.parametrize("seconds", [-59, 0, 59])
def test_clocks_may_differ_by_a_minute(verifier: IdTokens, seconds: int) -> None:
    times = {"exp": NOW_S + seconds, "iat": NOW_S + seconds, "nbf": NOW_S + seconds}
    assert verifier.verify(signed(valid_claims(**times))).subject == "248289761001"


def test_the_end_of_a_session_has_its_own_error(verifier: IdTokens) -> None:
    with pytest.raises(ExpiredIdToken) as caught:
        verifier.verify(signed(valid_claims(exp=NOW_S - 3600)))
    assert caught.value.code == "session_expired"


def test_an_expired_token_of_another_issuer_is_not_a_session(verifier: IdTokens) -> None:
    with pytest.raises(InvalidIdToken) as caught:
        verifier.verify(signed(valid_claims(exp=NOW_S - 3600, iss="https://attacker.example")))
    assert not isinstance(caught.value, ExpiredIdToken)


def test_several_audiences_need_the_client_as_authorized_party(verifier: IdTokens) -> None:
    assert verifier.verify(signed(valid_claims(aud=["driftd", "another"], azp="driftd"))).subject


def test_a_token_without_a_key_id_is_tried_with_every_key(verifier: IdTokens) -> None:
    assert verifier.verify(_without_kid()).subject == "248289761001"


def _without_kid() -> str:
    return jwt.encode({"alg": "RS256"}, valid_claims(), KEY, algorithms=["RS256"])


def test_a_key_for_one_algorithm_signs_with_no_other() -> None:
    key = new_key("bound")
    found = id_tokens(Provider(keys=[RSAKey.import_key({**key.as_dict(private=False), "alg": "RS512"})]))
    with pytest.raises(InvalidIdToken, match="signature"):
        found.verify(signed(valid_claims(), key))
    assert found.verify(signed(valid_claims(), key, "RS512")).subject


@given(position=st.integers(min_value=0), bit=st.integers(min_value=0, max_value=5))
def test_no_changed_character_is_accepted(verifier: IdTokens, position: int, bit: int) -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    token = signed(valid_claims())
    at = position % len(token)
    if token[at] == ".":
        return
    changed = letters[letters.index(token[at]) ^ (1 << bit)]
    other = token[:at] + changed + token[at + 1 :]
    if at == len(token) - 1 and bit < 4:
        return  # the last character has unused bits, so the bytes are the same
    with pytest.raises(InvalidIdToken):
        verifier.verify(other)


@given(st.text())
def test_no_text_raises_anything_else(verifier: IdTokens, text: str) -> None:
    looks_like_id_token(text)
    with pytest.raises(InvalidIdToken):
        verifier.verify(text)


def test_an_unknown_key_is_its_own_error(verifier: IdTokens) -> None:
    with pytest.raises(UnknownSigningKey):
        verifier.verify(signed(valid_claims(), new_key("new", "EC"), "ES256"))

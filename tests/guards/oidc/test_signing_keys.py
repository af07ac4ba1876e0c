"""When driftd asks the provider for its keys, and which keys it uses meanwhile."""

import threading
from typing import Any

import pytest
from joserfc.jwk import OctKey

from monitor.guards.oidc.claims import InvalidIdToken
from monitor.guards.oidc.id_token import UnknownSigningKey
from monitor.guards.oidc.signing_keys import LONGEST_S, PAUSE_S, REFRESH_S, SigningKeys, usable
from tests.guards.oidc.provider import KEY, Provider, id_tokens, new_key, signed, valid_claims, wait_for_keys

NEW_KEY = new_key("second", "EC")
NEW_TOKEN = signed(valid_claims(), NEW_KEY, "ES256")


def test_a_known_key_needs_no_request() -> None:
    provider = Provider()
    tokens = id_tokens(provider)
    for _ in range(100):
        assert tokens.missing_keys(signed(valid_claims())) is None
    assert provider.requests == 1


def test_a_new_key_of_the_provider_is_fetched_once() -> None:
    provider = Provider()
    tokens = id_tokens(provider)
    provider.keys, provider.now_s = [KEY, NEW_KEY], PAUSE_S
    wait_for_keys(tokens, NEW_TOKEN)
    assert tokens.verify(NEW_TOKEN).subject == "248289761001"
    assert provider.requests == 2


def test_invented_key_names_cause_one_request_a_minute() -> None:
    provider = Provider()
    tokens = id_tokens(provider)
    for second in range(180):
        provider.now_s = float(second)
        for _ in range(3):
            invented = signed(valid_claims(), NEW_KEY, "ES256", kid=f"invented-{second}")
            wait_for_keys(tokens, invented)
            with pytest.raises(UnknownSigningKey):
                tokens.verify(invented)
    assert provider.requests == 3  # at the start, after one minute and after two


def test_a_token_with_a_forbidden_algorithm_causes_no_request() -> None:
    provider = Provider()
    tokens = id_tokens(provider)
    provider.now_s = PAUSE_S
    assert tokens.missing_keys("eyJhbGciOiJub25lIiwia2lkIjoieCJ9.e30.") is None
    assert provider.requests == 1


def test_a_withdrawn_key_is_refused_after_the_next_refresh() -> None:
    provider = Provider(keys=[KEY, NEW_KEY])
    tokens = id_tokens(provider)
    provider.keys, provider.now_s = [KEY], REFRESH_S
    keys = tokens.keys
    assert keys.refresh("second") is None  # the request runs in the background
    wait_for_refresh(keys)
    with pytest.raises(InvalidIdToken):
        tokens.verify(NEW_TOKEN)


def wait_for_refresh(keys: SigningKeys) -> None:
    if (running := keys.refresh("never known")) is not None:
        running.result(timeout=10)


def test_known_keys_outlive_an_outage_of_the_provider_by_a_day() -> None:
    provider = Provider()
    tokens = id_tokens(provider)
    provider.down = True
    for hour in range(1, 25):
        provider.now_s = hour * 3600.0
        tokens.missing_keys(signed(valid_claims()))
        wait_for_refresh(tokens.keys)
        assert tokens.verify(signed(valid_claims())).subject
    assert "cannot be reached" in (tokens.keys.problem or "")
    provider.now_s = LONGEST_S + 1
    with pytest.raises(UnknownSigningKey):
        tokens.verify(signed(valid_claims()))


def test_the_keys_come_back_with_the_provider() -> None:
    provider = Provider(down=True)
    tokens = id_tokens(provider)
    with pytest.raises(UnknownSigningKey):
        tokens.verify(signed(valid_claims()))
    provider.down, provider.now_s = False, PAUSE_S
    wait_for_keys(tokens, signed(valid_claims()))
    assert tokens.verify(signed(valid_claims())).subject
    assert tokens.keys.problem is None


def test_requests_at_the_same_time_wait_for_the_same_answer() -> None:
    answered = threading.Event()
    provider = Provider()

    def slow() -> list[dict[str, object]]:
        answered.wait(10)
        return [dict(KEY.as_dict(private=False))]

    keys = SigningKeys(slow, lambda: provider.now_s)
    waiting = [keys.refresh("first") for _ in range(50)]
    assert len({id(one) for one in waiting}) == 1
    answered.set()
    assert waiting[0] is not None
    waiting[0].result(timeout=10)
    assert [key.kid for key in keys.matching("first")] == ["first"]


def test_shared_secrets_encryption_keys_and_broken_keys_are_left_out() -> None:
    secret = OctKey.generate_key(256, {"kid": "secret"}).as_dict()
    jwks: list[dict[str, Any]] = [
        {**secret},
        {**KEY.as_dict(private=False), "use": "enc"},
        {"kty": "RSA", "kid": "broken", "n": "!", "e": "AQAB"},
        {"kty": "unknown"},
        {},
        {**KEY.as_dict(private=False)},
    ]
    assert [key.kid for key in usable(jwks)] == ["first"]

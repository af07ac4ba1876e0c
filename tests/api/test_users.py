"""Users of an identity provider at the API: ID tokens in addition to API tokens."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.api.auth import Role, Tokens
from monitor.api.users import Users, grants_of
from monitor.guards.oidc.id_token import IdTokens
from tests.api.house import House, StillClock, open_house, token_of, tokens_for_roles
from tests.guards.oidc.provider import EXPECTED, NOW, Provider, new_key, signed, valid_claims

ROLES = {"reviewers": frozenset({Role.READ, Role.REVIEW}), "owners": frozenset({Role.ADMIN})}
WHOAMI = "/api/v1/whoami"


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def house(tmp_path: Path, provider: Provider) -> Iterator[House]:
    clock = StillClock(NOW)
    id_tokens = IdTokens(EXPECTED, "groups", provider.signing_keys(), clock.now)
    tokens = tokens_for_roles(clock, Users(id_tokens, grants_of(ROLES, {})))
    with open_house(tmp_path, tokens=tokens, clock=clock) as opened:
        yield opened


def test_the_api_answers_a_user_by_the_roles_of_the_groups(house: House) -> None:
    found = house.get(WHOAMI, token=signed(valid_claims())).json()
    assert (found["kind"], found["user"]) == ("user", "anna@example.com")
    assert (found["name"], found["roles"]) == ("anna@example.com (oidc 248289761001)", ["read", "review"])
    assert found["expires_at"].startswith((NOW + timedelta(minutes=10)).strftime("%Y-%m-%dT%H:%M:%S"))
    refused = house.get("/api/v1/tokens", token=signed(valid_claims()))
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "'admin' is required" in refused.json()["detail"]
    assert "api.oidc.roles" in refused.json()["detail"]


def test_admin_implies_every_role_but_reveal(house: House) -> None:
    found = house.get(WHOAMI, token=signed(valid_claims(groups=["owners"]))).json()
    assert set(found["roles"]) == {role.value for role in Role} - {"reveal"}


def test_a_header_does_not_rename_a_user(house: House) -> None:
    found = house.get(WHOAMI, token=signed(valid_claims()), headers={"Driftd-User": "the boss"}).json()
    assert found["name"] == "anna@example.com (oidc 248289761001)"


def test_a_user_without_a_mapped_group_is_known_but_has_no_role(house: House) -> None:
    refused = house.get(WHOAMI, token=signed(valid_claims(groups=["staff"])))
    assert refused.status_code == 403
    assert "anna@example.com" in refused.json()["detail"]


def test_groups_that_the_provider_left_out_are_named_in_the_refusal(house: House) -> None:
    claims = valid_claims(groups=None, _claim_names={"groups": "src1"})
    assert "too many" in house.get(WHOAMI, token=signed(claims)).json()["detail"]


@pytest.mark.parametrize(
    ("changed", "code"),
    [({"exp": 1_000_000_000, "iat": 1_000_000_000}, "session_expired"), ({"aud": "b"}, "unauthenticated")],
)
def test_an_invalid_id_token_gets_401_with_its_code(house: House, changed: dict[str, Any], code: str) -> None:
    refused = house.get(WHOAMI, token=signed(valid_claims(**changed)))
    assert (refused.status_code, refused.json()["code"]) == (401, code)
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")


def test_many_ended_sessions_are_not_throttled_but_forged_tokens_are(house: House) -> None:
    ended = signed(valid_claims(exp=1_000_000_000, iat=1_000_000_000))
    assert {house.get(WHOAMI, token=ended).status_code for _ in range(30)} == {401}
    forged = signed(valid_claims(), new_key("first", "EC"), "ES256")
    assert {house.get(WHOAMI, token=forged).status_code for _ in range(30)} == {401, 429}
    assert house.get(WHOAMI, token=signed(valid_claims())).status_code == 200


def test_an_outage_of_the_provider_does_not_concern_api_tokens(house: House, provider: Provider) -> None:
    provider.down = True
    refused = house.get(WHOAMI, token=signed(valid_claims()))
    assert (refused.status_code, refused.json()["code"]) == (503, "provider_unavailable")
    assert refused.headers["Retry-After"] == "60"
    assert house.get(WHOAMI, token=token_of(Role.READ)).status_code == 200


def test_an_api_with_a_login_and_without_tokens_is_closed() -> None:
    users = Users(IdTokens(EXPECTED, "groups", Provider().signing_keys(), lambda: NOW), {})
    assert Tokens(users=users).required

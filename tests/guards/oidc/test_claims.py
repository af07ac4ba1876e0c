"""The groups and the name of a user, from the claims of different providers."""

from typing import Any

import pytest

from monitor.guards.oidc.claims import groups_of, user_of
from tests.guards.oidc.provider import EXPECTED, NOW, valid_claims


@pytest.mark.parametrize(
    ("claims", "claim", "groups"),
    [
        ({"groups": ["a", "b"]}, "groups", ("a", "b")),
        ({"groups": "a"}, "groups", ("a",)),
        ({"groups": ["a", 7, None, {"b": 1}]}, "groups", ("a",)),
        ({"groups": {"a": True}}, "groups", ()),
        ({}, "groups", ()),
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", ("a",)),
        ({"realm_access": ["a"]}, "realm_access.roles", ()),
        ({"https://example.com/groups": ["a"]}, "https://example.com/groups", ("a",)),
        ({"hd": "example.com"}, "hd", ("example.com",)),
        ({"email": "a@example.com", "email_verified": True}, "email", ("a@example.com",)),
        ({"email": "a@example.com", "email_verified": "true"}, "email", ()),
        ({"email": "a@example.com"}, "email", ()),
    ],
)
def test_groups_are_a_list_or_one_text(claims: dict[str, Any], claim: str, groups: tuple[str, ...]) -> None:
    assert groups_of(claims, claim) == groups


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({}, "anna@example.com"),
        ({"email": None, "preferred_username": "anna"}, "anna"),
        ({"email": None, "name": "Anna\x1b[31m\n B."}, "Anna[31m B."),
        ({"email": ["a"], "name": "  "}, "user"),
        ({"email": "a" * 500}, "a" * 64),
    ],
)
def test_the_name_is_short_and_printable(changed: dict[str, Any], name: str) -> None:
    assert user_of(valid_claims(**changed), EXPECTED, "groups", NOW).name == name


def test_groups_that_the_provider_left_out_are_known() -> None:
    claims = valid_claims(groups=None, _claim_names={"groups": "src1"})
    assert user_of(claims, EXPECTED, "groups", NOW).groups_elsewhere
    assert not user_of(valid_claims(), EXPECTED, "groups", NOW).groups_elsewhere

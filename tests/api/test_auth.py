import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.api.auth import EVERYTHING_BUT_REVEAL, Principal, Role, Token, Tokens, claimed_user, granted
from monitor.errors import Forbidden, Unauthenticated


def token(text: str, *roles: Role, name: str = "ci") -> Token:
    return Token(name=name, sha256=hashlib.sha256(text.encode()).hexdigest(), roles=frozenset(roles))


def test_a_configured_token_gives_its_name_and_roles() -> None:
    principal = Tokens([token("s3cret", Role.READ)]).authenticate("Bearer s3cret")
    assert (principal.name, principal.roles) == ("ci", frozenset({Role.READ}))


def test_the_second_token_is_found_too() -> None:
    tokens = Tokens([token("a", Role.READ, name="first"), token("b", Role.INGEST, name="second")])
    assert tokens.authenticate("bearer b").name == "second"


def test_a_hash_written_in_capitals_still_matches() -> None:
    shouted = Token(name="ci", sha256=hashlib.sha256(b"s3cret").hexdigest().upper(), roles=frozenset({Role.READ}))
    assert Tokens([shouted]).authenticate("Bearer s3cret").name == "ci"


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic s3cret", "s3cret", "Bearer wrong"])
def test_anything_but_a_known_bearer_token_is_unauthenticated(header: str | None) -> None:
    with pytest.raises(Unauthenticated):
        Tokens([token("s3cret", *Role)]).authenticate(header)


@given(st.text(st.characters(codec="latin-1"), max_size=60))
def test_no_header_is_taken_for_a_token_by_accident(header: str | None) -> None:
    with pytest.raises(Unauthenticated):
        Tokens([token("not-generated-by-hypothesis", Role.READ)]).authenticate(header)


def test_the_hash_itself_is_no_token() -> None:
    kept = token("s3cret", Role.READ)
    with pytest.raises(Unauthenticated):
        Tokens([kept]).authenticate(f"Bearer {kept.sha256}")


def test_without_tokens_everything_but_reveal_is_granted() -> None:
    assert Tokens().authenticate(None).roles == frozenset(Role) - {Role.REVEAL}


def test_admin_implies_every_role_but_reveal() -> None:
    assert granted([Role.ADMIN]) == EVERYTHING_BUT_REVEAL
    assert Role.REVEAL in granted([Role.ADMIN, Role.REVEAL])


def test_no_other_role_implies_one() -> None:
    for role in set(Role) - {Role.ADMIN}:
        assert granted([role]) == {role}


def test_a_missing_role_is_named() -> None:
    principal = Tokens([token("s3cret", Role.READ)]).authenticate("Bearer s3cret")
    with pytest.raises(Forbidden, match="role 'operate' is required and 'ci' does not have it"):
        principal.demand(Role.OPERATE)


@pytest.mark.parametrize(
    ("token", "header", "name"),
    [
        ("local", None, "local"),
        ("local", "alice", "alice"),
        ("local", "J%C3%BCrgen", "Jürgen"),
        ("local", "%0A%1B", "local"),
        ("ci", "alice", "ci (alice)"),
        ("ci", "", "ci"),
        ("ci", "x" * 500, f"ci ({'x' * 64})"),
    ],
)
def test_the_name_in_the_records_is_the_users_behind_that_of_the_token(
    token: str, header: str | None, name: str
) -> None:
    sender = Principal(name=token, roles=frozenset({Role.READ}))
    assert sender.acting_for(claimed_user(header)) == Principal(name=name, roles=frozenset({Role.READ}))

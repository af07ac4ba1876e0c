"""Tokens that people create, rotate and revoke while the daemon runs."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.api.auth import Role, Token, Tokens
from monitor.domain.api_token import TokenUse
from monitor.guards.rate_limits import RateLimits
from monitor.jobs.maintenance.token_use_loop import TokenUseLoop
from monitor.store.access import tokens as stored
from tests.api.house import NOW, House, StillClock, open_house, token_of, tokens_for_roles
from tests.api.records import interaction

PATH = "/api/v1/tokens"
ADMIN = token_of(Role.ADMIN)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A daemon with a configured admin token, whose tokens expire by the clock of the house."""
    clock = StillClock()
    tokens = tokens_for_roles(clock)
    with open_house(tmp_path, tokens=tokens, clock=clock) as opened:
        yield opened


@pytest.fixture
def open_to_all(tmp_path: Path) -> Iterator[House]:
    """A daemon without any token."""
    with open_house(tmp_path) as opened:
        yield opened


def created(house: House, *roles: str, token: str | None = ADMIN, **fields: Any) -> dict[str, Any]:
    answer = house.post(PATH, {"name": "collector", "roles": list(roles), **fields}, token=token)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_new_token_is_valid_at_once_with_its_roles_and_name(house: House) -> None:
    made = created(house, "ingest")
    assert house.post("/api/v1/interactions", interaction(), token=made["token"]).status_code in {200, 201, 202}
    assert house.get("/api/v1/runs", token=made["token"]).status_code == 403
    assert (made["state"], made["created_by"]) == ("active", f"name of {ADMIN}")


def test_no_list_and_no_row_has_the_text_of_a_token(house: House, tmp_path: Path) -> None:
    made = created(house, "read")
    assert made["token"] not in house.get(PATH, token=ADMIN).text
    house.store.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if made["token"].encode() in path.read_bytes()]


def test_an_idempotency_key_does_not_store_the_text(house: House) -> None:
    order = {"name": "a", "roles": ["read"]}
    answers = [house.post(PATH, order, token=ADMIN, key="once").json() for _ in range(2)]
    assert answers[0]["token"] != answers[1]["token"]
    with house.store.read() as tx:
        assert len(stored.unrevoked(tx)) == 2


def test_a_revoked_token_is_refused_at_the_next_request(house: House) -> None:
    made = created(house, "read")
    assert house.get("/api/v1/whoami", token=made["token"]).json()["name"] == "collector"
    revoked = house.post(f"{PATH}/{made['id']}/revoke", {}, token=ADMIN).json()
    assert (revoked["state"], revoked["revoked_by"]) == ("revoked", f"name of {ADMIN}")
    assert house.get("/api/v1/whoami", token=made["token"]).status_code == 401
    assert house.post(f"{PATH}/{made['id']}/revoke", {}, token=ADMIN).status_code == 409


def test_an_expired_token_is_refused_and_the_answer_names_the_reason(house: House) -> None:
    made = created(house, "read", expires_at=(NOW + timedelta(hours=1)).isoformat())
    assert house.get("/api/v1/whoami", token=made["token"]).status_code == 200
    house.clock.instant = NOW + timedelta(hours=1)
    refused = house.get("/api/v1/whoami", token=made["token"])
    assert refused.status_code == 401
    assert "expired" in refused.json()["detail"]
    assert house.get(PATH, token=ADMIN).json()["items"][0]["state"] == "expired"


def test_both_tokens_work_until_the_end_of_the_grace(house: House) -> None:
    old = created(house, "read")
    new = house.post(f"{PATH}/{old['id']}/rotate", {"grace_s": 3600}, token=ADMIN).json()
    assert (new["name"], new["roles"], new["replaces"]) == ("collector", ["read"], old["id"])
    for made in (old, new):
        assert house.get("/api/v1/whoami", token=made["token"]).status_code == 200
    house.clock.instant = NOW + timedelta(hours=1)
    assert [house.get("/api/v1/whoami", token=made["token"]).status_code for made in (old, new)] == [401, 200]


def test_a_sender_grants_only_what_it_has(house: House) -> None:
    """`admin` does not imply `reveal`, so it cannot create a token that reveals a private set."""
    refused = house.post(PATH, {"name": "a", "roles": ["reveal"]}, token=ADMIN)
    assert refused.status_code == 403
    assert "reveal" in refused.json()["detail"]
    assert house.post(PATH, {"name": "a", "roles": ["admin"]}, token=ADMIN).status_code == 201


@pytest.mark.parametrize(
    ("order", "field"),
    [
        ({"name": "", "roles": ["read"]}, "name"),
        ({"name": "a\nb", "roles": ["read"]}, "name"),
        ({"name": "a", "roles": []}, "roles"),
        ({"name": "a", "roles": ["root"]}, "roles"),
        ({"name": "a", "roles": ["read"], "expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
    ],
)
def test_a_wrong_order_names_the_field(house: House, order: dict[str, Any], field: str) -> None:
    answer = house.post(PATH, order, token=ADMIN)
    assert answer.status_code == 422
    assert field in answer.json()["detail"]


def test_an_unknown_token_is_named(house: House) -> None:
    answer = house.post(f"{PATH}/token-nowhere/rotate", {}, token=ADMIN)
    assert answer.status_code == 404
    assert "token-nowhere" in answer.json()["detail"]


def test_the_first_token_closes_the_api_and_must_be_an_admin(open_to_all: House) -> None:
    refused = open_to_all.post(PATH, {"name": "a", "roles": ["read"]})
    assert refused.status_code == 409
    assert open_to_all.get("/api/v1/runs").status_code == 200
    admin = created(open_to_all, "admin", token=None)
    assert open_to_all.get("/api/v1/runs").status_code == 401
    assert open_to_all.get("/api/v1/runs", token=admin["token"]).status_code == 200


def test_the_last_admin_token_stays_while_others_need_it(open_to_all: House) -> None:
    admin = created(open_to_all, "admin", token=None)
    reader = created(open_to_all, "read", token=admin["token"])
    path = f"{PATH}/{{}}/revoke"
    assert open_to_all.post(path.format(admin["id"]), {}, token=admin["token"]).status_code == 409
    assert open_to_all.post(path.format(reader["id"]), {}, token=admin["token"]).status_code == 200


def test_an_expired_last_token_does_not_open_the_api(open_to_all: House) -> None:
    made = created(open_to_all, "admin", token=None)
    tokens = Tokens(clock=open_to_all.clock)
    with open_to_all.store.read() as tx:
        rows = stored.unrevoked(tx)
    tokens.store(rows)
    assert tokens.required
    assert [row.id for row in rows] == [made["id"]]


def test_a_configured_token_wins_and_keeps_its_name(house: House) -> None:
    configured = Token(name="bootstrap", sha256="0" * 64, roles=frozenset({Role.ADMIN}))
    assert Tokens([configured]).configured
    assert house.get("/api/v1/whoami", token=ADMIN).json()["name"] == f"name of {ADMIN}"


def test_a_token_is_limited_to_its_deployments_and_its_successor_too(house: House) -> None:
    made = created(house, "read", "ingest", deployments=["other-bot"])
    assert made["deployments"] == ["other-bot"]
    assert house.post("/api/v1/interactions", interaction(deployment="bot"), token=made["token"]).status_code == 403
    after = house.ask("POST", f"{PATH}/{made['id']}/rotate", token=ADMIN, json={}).json()
    assert after["deployments"] == ["other-bot"]
    assert house.get("/api/v1/whoami", token=after["token"]).json()["deployments"] == ["other-bot"]


def test_the_role_admin_cannot_be_limited(house: House) -> None:
    order = {"name": "chief", "roles": ["admin"], "deployments": ["bot"]}
    refused = house.post(PATH, order, token=ADMIN)
    assert (refused.status_code, "cannot be limited" in refused.json()["detail"]) == (422, True)


def test_the_list_shows_the_last_use_before_and_after_it_is_stored(house: House) -> None:
    made = created(house, "read")
    house.get("/api/v1/runs", token=made["token"])
    listed = house.get(PATH, token=ADMIN).json()["items"][0]
    assert (listed["last_used_at"], listed["last_used_from"]) == ("2026-11-21T02:00:00Z", "127.0.0.1")
    uses = house.app.state.context.tokens.uses
    loop = TokenUseLoop(store=house.store, clock=house.clock, uses=uses)
    assert (loop.step(), loop.step()) == (2, 0)  # the token, and the configured one that created it
    with house.store.read() as tx:
        found = stored.get(tx, made["id"])
    assert found is not None
    assert (found.last_used_at, found.last_used_from) == (NOW, "127.0.0.1")


def test_configured_tokens_are_listed_with_their_last_use_also_after_a_restart(tmp_path: Path) -> None:
    configured = [
        Token(name=name, sha256=hashlib.sha256(name.encode()).hexdigest().upper(), roles=frozenset({Role.ADMIN}))
        for name in ("first", "second")
    ]
    with open_house(tmp_path, tokens=Tokens(configured, clock=StillClock()), clock=StillClock()) as house:
        items = house.get(f"{PATH}/configured", token="first").json()["items"]
        assert [(item["name"], item["last_used_at"], item["last_used_from"]) for item in items] == [
            ("first", "2026-11-21T02:00:00Z", "127.0.0.1"),
            ("second", None, None),
        ]
        assert items[0]["beginning"] == hashlib.sha256(b"first").hexdigest()[:8]
        assert items[0]["roles"] == ["admin"]
        loop = TokenUseLoop(store=house.store, clock=house.clock, uses=house.app.state.context.tokens.uses)
        assert (loop.step(), loop.step()) == (1, 0)  # requests write nothing
    with open_house(tmp_path, tokens=Tokens(configured, clock=StillClock()), clock=StillClock()) as house:
        items = house.get(f"{PATH}/configured", token="second").json()["items"]
        assert [item["last_used_at"] for item in items] == ["2026-11-21T02:00:00Z"] * 2


def test_an_older_use_does_not_replace_a_newer_one(house: House) -> None:
    for at, address in ((NOW, "10.0.0.2"), (NOW - timedelta(hours=1), "10.0.0.1")):
        with house.store.write() as tx:
            stored.store_configured_uses(tx, {"digest": TokenUse(at=at, address=address)})
    with house.store.read() as tx:
        assert stored.configured_uses(tx) == {"digest": TokenUse(at=NOW, address="10.0.0.2")}


def test_a_token_that_ends_within_two_weeks_is_marked_and_logged(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    soon = created(house, "read", expires_at=(NOW + timedelta(days=13)).isoformat())
    later = created(house, "read", expires_at=(NOW + timedelta(days=15)).isoformat())
    marked = {item["id"]: item["expires_soon"] for item in house.get(PATH, token=ADMIN).json()["items"]}
    assert (marked[soon["id"]], marked[later["id"]]) == (True, False)
    loop = TokenUseLoop(store=house.store, clock=house.clock, uses=house.app.state.context.tokens.uses)
    loop.step()
    loop.step()
    warned = [record.getMessage() for record in caplog.records if "expires at" in record.getMessage()]
    assert len(warned) == 1
    assert soon["id"] in warned[0]


def test_a_token_that_sends_too_many_requests_gets_429_and_telemetry_does_not_count(tmp_path: Path) -> None:
    configured = Token(name="ci", sha256=hashlib.sha256(b"ci").hexdigest(), roles=frozenset({Role.READ, Role.INGEST}))
    rates = RateLimits(per_s=0.5, burst=2, now_s=lambda: 0.0)
    with open_house(tmp_path, tokens=Tokens([configured], rates=rates)) as house:
        for number in range(5):
            sent = house.post("/api/v1/interactions", interaction(id=f"i-{number}"), token="ci")
            assert sent.status_code == 200
        answers = [house.get("/api/v1/runs", token="ci") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert (answers[2].json()["code"], answers[2].headers["retry-after"]) == ("rate_limited", "2")
    assert answers[2].headers["content-type"] == "application/problem+json"

"""Which requests become which entries of the audit log."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.api.audit import SHOWS_TEXTS
from monitor.api.auth import Role
from monitor.domain.audit import Action, AuditKind
from monitor.guards.audit_counts import AuditCounts
from monitor.guards.failed_logins import FailedLogins
from monitor.store.access import audit
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from tests.api.house import House, StillClock, open_house, token_of, tokens_for_roles
from tests.api.records import interaction

SET = {"name": "private", "cases": [{"id": "a", "input": "Is 4 a prime?"}]}


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def counts(clock: StillClock) -> AuditCounts:
    return AuditCounts(clock)


@pytest.fixture
def audited(tmp_path: Path, clock: StillClock, counts: AuditCounts) -> Iterator[House]:
    tokens = tokens_for_roles(clock)
    tokens._failures = FailedLogins(audit=counts)
    with open_house(tmp_path, tokens=tokens, clock=clock, audit=counts) as opened:
        yield opened


def stored(store: Store) -> list[Action]:
    """Return the entries, the oldest first."""
    with store.read() as tx:
        return [entry.action for entry in audit.page(tx, PageQuery(limit=500)).items][::-1]


def test_a_write_is_an_entry_with_its_sender_and_object(audited: House) -> None:
    answer = audited.post("/api/v1/sets", SET, token=token_of(Role.OPERATE))
    [entry] = stored(audited.store)
    assert answer.status_code == 201
    assert entry == Action(
        at=audited.clock.now(),
        kind=AuditKind.WRITE,
        operation="POST /api/v1/sets",
        principal="name of token-operate",
        object_id="private",
        status=201,
        address="127.0.0.1",
        request_id=answer.headers["X-Request-ID"],
    )


def test_the_user_of_a_client_is_part_of_the_principal(audited: House) -> None:
    audited.ask("POST", "/api/v1/sets", token=token_of(Role.OPERATE), json=SET, headers={"Driftd-User": "J%C3%BCrgen"})
    assert [entry.principal for entry in stored(audited.store)] == ["name of token-operate (Jürgen)"]


def test_a_repeated_write_is_one_more_entry_and_a_read_is_none(audited: House) -> None:
    for _ in range(2):
        audited.post("/api/v1/sets", SET, token=token_of(Role.OPERATE), key="k1")
    audited.get("/api/v1/sets", token=token_of(Role.READ))
    assert [entry.operation for entry in stored(audited.store)] == ["POST /api/v1/sets"] * 2


def test_a_reveal_is_an_entry_and_a_refused_one_is_counted(
    audited: House, clock: StillClock, counts: AuditCounts
) -> None:
    audited.post("/api/v1/sets", SET, token=token_of(Role.OPERATE))
    both = token_of(Role.READ, Role.REVEAL)
    if audited.get("/api/v1/cases", set_name="private", reveal=True, token=both).status_code != 200:
        pytest.fail("the set cannot be revealed")
    revealed = stored(audited.store)[-1]
    assert (revealed.kind, revealed.operation) == (AuditKind.REVEAL, "GET /api/v1/cases")
    assert (revealed.object_id or "").startswith("private@")
    for _ in range(3):
        audited.get("/api/v1/cases", set_name="private", reveal=True, token=token_of(Role.READ))
    clock.instant += timedelta(minutes=1)
    refused = [each for each in counts.take() if each.kind is AuditKind.REFUSED]
    assert [(each.operation, each.count, each.status) for each in refused] == [("GET /api/v1/cases", 3, 403)]


def test_an_export_is_an_entry(audited: House) -> None:
    audited.post("/api/v1/sets", SET, token=token_of(Role.OPERATE))
    assert audited.get("/api/v1/sets/export", set_name="private", token=token_of(Role.REVEAL)).status_code == 200
    last = stored(audited.store)[-1]
    assert (last.kind, last.operation, last.status) == (AuditKind.EXPORT, "GET /api/v1/sets/export", 200)
    assert (last.object_id or "").startswith("private@")


def test_failed_writes_and_missing_roles_are_counted(audited: House, clock: StillClock, counts: AuditCounts) -> None:
    for n in range(4):
        audited.post(f"/api/v1/runs/run-{n}/cancel", {}, token=token_of(Role.OPERATE))
        audited.post("/api/v1/sets", SET, token=token_of(Role.READ))
        audited.get("/api/v1/runs/unknown", token=token_of(Role.READ))
    assert stored(audited.store) == []
    clock.instant += timedelta(minutes=1)
    refused = {each.operation: (each.count, each.status, each.object_id) for each in counts.take() if each.count > 1}
    assert refused == {"POST /api/v1/runs/{id}/cancel": (4, 404, None), "POST /api/v1/sets": (4, 403, None)}


def test_unknown_tokens_are_counted_for_each_address(audited: House, clock: StillClock, counts: AuditCounts) -> None:
    for n in range(30):
        audited.get("/api/v1/runs", token=f"guess-{n}")
    clock.instant += timedelta(seconds=59)
    assert counts.take() == []
    clock.instant += timedelta(seconds=1)
    [failed] = counts.take()
    assert (failed.kind, failed.operation, failed.address, failed.count) == (
        AuditKind.LOGIN_FAILED, "api", "127.0.0.1", 30,
    )  # fmt: skip
    assert "guess" not in repr(failed)


def test_telemetry_is_counted_by_the_hour(audited: House, clock: StillClock, counts: AuditCounts) -> None:
    for n in range(3):
        audited.post("/api/v1/interactions", [interaction(id=f"c-{n}")], token=token_of(Role.INGEST))
        audited.get("/api/v1/interactions", token=token_of(Role.READ))
    assert stored(audited.store) == []
    clock.instant += timedelta(hours=1)
    found = {each.kind: (each.operation, each.count) for each in counts.take() if each.kind is not AuditKind.LOGIN}
    assert found == {
        AuditKind.INGEST: ("POST /api/v1/interactions", 3),
        AuditKind.READ: ("GET /api/v1/interactions", 3),
    }


def test_the_first_request_of_a_sender_in_an_hour_is_a_login(
    audited: House, clock: StillClock, counts: AuditCounts
) -> None:
    for minutes in (0, 10, 60, 61):
        clock.instant += timedelta(minutes=minutes) - (clock.instant - StillClock().instant)
        audited.get("/api/v1/runs", token=token_of(Role.READ))
    logins = [(each.at - StillClock().instant, each.principal) for each in counts.take()]
    assert logins == [(timedelta(), "name of token-read"), (timedelta(hours=1), "name of token-read")]


def test_a_write_that_cannot_be_stored_is_not_answered_as_done(audited: House, monkeypatch: pytest.MonkeyPatch) -> None:
    audited.post("/api/v1/sets", SET, token=token_of(Role.OPERATE), key="k1")
    audited.store.close()
    answer = audited.post("/api/v1/sets", SET, token=token_of(Role.OPERATE), key="k1")
    assert answer.status_code == 503


def test_no_text_of_a_request_is_in_an_entry(audited: House) -> None:
    audited.post("/api/v1/sets", SET, token=token_of(Role.OPERATE))
    made = audited.post("/api/v1/tokens", {"name": "ci", "roles": ["read"]}, token=token_of(Role.ADMIN)).json()
    entries = repr(stored(audited.store))
    assert made["id"] in entries
    assert made["token"] not in entries
    assert "prime" not in entries


def test_every_route_that_shows_texts_exists(audited: House) -> None:
    paths = json.dumps(audited.app.openapi()["paths"])
    for operation in SHOWS_TEXTS:
        assert json.dumps(operation.removeprefix("GET ")) in paths, operation


def test_every_write_of_the_document_leaves_a_trace(audited: House, clock: StillClock, counts: AuditCounts) -> None:
    """Each route that needs more than `read` and is no ingest: an entry, or a count of a failure."""
    everything = {role: token_of(role) for role in Role}
    silent: list[str] = []
    for path, methods in audited.app.openapi()["paths"].items():
        operation: dict[str, Any] = methods.get("post", {})
        role = operation.get("x-role", "read")
        if role in {"read", "ingest"}:
            continue
        before = len(stored(audited.store))
        counts.take(everything=True)
        audited.post(path.replace("{id}", "none").replace("{name}", "none"), {}, token=everything[Role(role)])
        if len(stored(audited.store)) == before and not counts.take(everything=True):
            silent.append(path)
    assert silent == []

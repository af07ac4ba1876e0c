"""Announced and observed versions of a deployment, and the counts of the current day."""

from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from monitor.api.auth import Role
from monitor.domain.version import Change, ChangeKind, How
from monitor.store.traffic import feedback, interactions, versions
from tests.api.house import NOW, House, token_of
from tests.api.rows import add_version
from tests.store.build import feedback as a_feedback
from tests.store.build import interaction

READ = token_of(Role.READ)


def deployment(house: House) -> dict[str, Any]:
    answer = house.get("/api/v1/deployments", token=READ)
    assert answer.status_code == 200, answer.text
    return next(row for row in answer.json()["items"] if row["name"] == "bot")


def announce(house: House, at_hours: float = -3.0) -> None:
    old, new = add_version(house, "old"), add_version(house, "new")
    at = NOW + timedelta(hours=at_hours)
    change = Change(
        id="change-1",
        deployment="bot",
        at=at,
        noted_at=at,
        kind=ChangeKind.MODEL,
        how=How.ANNOUNCED,
        from_version=old.id,
        to_version=new.id,
        evidence={},
    )
    with house.store.write() as tx:
        versions.insert_change(tx, change)


def call(house: House, name: str, identity: str | None, hours: float, **fields: Any) -> None:
    at = NOW + timedelta(hours=hours)
    row = interaction(name, deployment="bot", started_at=at, **fields)
    with house.store.write() as tx:
        interactions.insert(tx, [replace(row, identity=identity)])


def test_an_announced_version_that_never_answered_is_shown_apart_from_the_observed_one(house: House) -> None:
    announce(house)
    assert deployment(house)["current_version"]["id"] == "new"
    call(house, "i-before", "old", -4.0)
    assert deployment(house)["contradiction"] is None, "calls before the announcement say nothing"
    call(house, "i-after", "old", -1.0)
    found = deployment(house)
    ids = [found[name]["id"] for name in ("current_version", "announced_version", "observed_version")]
    assert ids == ["old", "new", "old"]
    assert "has answered none of 1 production call since the announcement" in found["contradiction"]
    assert [found[name]["current"] for name in ("current_version", "announced_version")] == [True, False]
    call(house, "i-new", "new", -0.5)
    assert (deployment(house)["contradiction"], deployment(house)["current_version"]["id"]) == (None, "new")


def test_today_is_counted_before_it_is_over(house: House) -> None:
    assert deployment(house)["today"] == {"calls": 0, "failed": 0, "corrections": 0}
    midnight = NOW.replace(hour=0, minute=0, second=0, microsecond=0)
    since = (midnight - NOW) / timedelta(hours=1)
    call(house, "i-yesterday", None, since - 0.1)
    for number in range(3):
        call(house, f"i-{number}", None, since)
    rows = [a_feedback("f", deployment="bot", at=midnight, received_at=midnight, is_correction=True)]
    with house.store.write() as tx:
        feedback.insert(tx, rows)
    assert deployment(house)["today"] == {"calls": 3, "failed": 0, "corrections": 1}


def test_one_deployment_can_be_listed(house: House) -> None:
    found = house.get("/api/v1/deployments", token=READ, deployment="bot").json()
    assert ([row["name"] for row in found["items"]], found["next_cursor"]) == (["bot"], None)
    diagnoses = house.get("/api/v1/diagnoses", token=READ, deployment="bot").json()["items"]
    assert [row["deployment"] for row in diagnoses] == ["bot"]


def test_an_unknown_deployment_is_named_with_the_known_ones(house: House) -> None:
    answer = house.get("/api/v1/deployments", token=READ, deployment="bott")
    assert answer.status_code == 404
    assert "'bott' is unknown" in answer.json()["detail"]
    assert "bot" in answer.json()["detail"]


def test_the_names_are_those_of_the_deployments_with_their_sets(house: House) -> None:
    names = house.get("/api/v1/deployment-names", token=READ).json()["items"]
    states = house.get("/api/v1/deployments", token=READ).json()["items"]
    assert names == [{"name": row["name"], "sets": row["sets"]} for row in states]
    assert len(names) > 1

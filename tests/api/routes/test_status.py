"""What the daemon says of itself."""

from dataclasses import replace
from datetime import timedelta

from monitor.domain.alert import DeliveryState
from monitor.store import alerts, runs
from tests.api.house import House
from tests.api.records import interaction
from tests.store.build import notification


def test_calls_of_a_deployment_that_nobody_watches_are_told(house: House) -> None:
    assert house.get("/api/v1/status").json()["unwatched"] == {}
    told = [interaction(), interaction(id="b", deployment="helper"), interaction(id="c", deployment="helper")]
    old = interaction(id="d", deployment="gone", started_at="2026-11-19T01:00:00Z")
    house.post("/api/v1/interactions", [*told, interaction(id="e", deployment="other"), old])
    assert house.get("/api/v1/status").json()["unwatched"] == {"helper": 2, "other": 1}


def test_a_receiver_that_takes_nothing_is_a_warning_with_its_error_until_it_is_delivered(house: House) -> None:
    since = house.clock.now() - timedelta(hours=3)
    old = notification("a", planned_at=since, state=DeliveryState.REPLACED, next_attempt_at=None)
    away = notification("b", planned_at=since + timedelta(hours=1), attempt=4, error="receiver 'pager': away")
    with house.store.write() as tx:
        alerts.insert_notifications(tx, [old, away, notification("c", receiver="chat")])  # chat has no attempt yet
    [warning] = house.get("/api/v1/status").json()["warnings"]
    assert warning == (
        f"receiver pager: 1 notification is not delivered, the oldest since {since:%Y-%m-%d %H:%M} UTC: "
        "receiver 'pager': away"
    )
    with house.store.write() as tx:
        alerts.update_notification(tx, replace(away, state=DeliveryState.SENT, sent_at=house.clock.now(), error=None))
    assert house.get("/api/v1/status").json()["warnings"] == []


def test_an_instant_recorded_while_the_clock_was_ahead_is_a_warning(house: House) -> None:
    assert house.get("/api/v1/status").json()["warnings"] == []
    ahead = house.clock.now() + timedelta(days=1000)
    with house.store.write() as tx:
        runs.record_instant(tx, "nightly", "bot", ahead, ahead)
    [warning] = house.get("/api/v1/status").json()["warnings"]
    assert warning.startswith(f"schedule nightly of bot: instant {ahead:%Y-%m-%d %H:%M} UTC is in the future")

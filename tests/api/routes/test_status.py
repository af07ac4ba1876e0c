"""The status of the daemon."""

from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path

from monitor.domain.alert import DeliveryState
from monitor.domain.calendar.windows import Window
from monitor.store.findings import alerts
from monitor.store.runs import runs
from tests.api.house import House, open_house
from tests.api.policies import policy
from tests.api.records import interaction
from tests.store.build import notification


def test_calls_of_an_unmonitored_deployment_are_counted(house: House) -> None:
    assert house.get("/api/v1/status").json()["unmonitored"] == {}
    told = [interaction(), interaction(id="b", deployment="helper"), interaction(id="c", deployment="helper")]
    old = interaction(id="d", deployment="gone", started_at="2026-11-19T01:00:00Z")
    house.post("/api/v1/interactions", [*told, interaction(id="e", deployment="other"), old])
    assert house.get("/api/v1/status").json()["unmonitored"] == {"helper": 2, "other": 1}


def test_how_many_calls_arrived_is_reported_by_deployment(house: House) -> None:
    def arrived() -> dict[str, tuple[int, int, int, str | None]]:
        found = house.get("/api/v1/status").json()["arrivals"]
        return {a["deployment"]: (a["last_minute"], a["last_hour"], a["last_day"], a["last_at"]) for a in found}

    idle = arrived()
    assert set(idle.values()) == {(0, 0, 0, None)}, "every deployment of the configuration is listed"
    watched = min(idle)
    first = house.clock.instant
    house.post("/api/v1/interactions", [interaction(id="a", deployment=watched)])
    house.clock.instant = first + timedelta(minutes=30)
    second = house.clock.instant
    helper = [interaction(id=i, deployment="helper") for i in "bc"]
    house.post("/api/v1/interactions", [interaction(id="d", deployment=watched), *helper])
    new = {watched: (1, 2, 2, as_text(second)), "helper": (2, 2, 2, as_text(second))}
    assert arrived() == idle | new
    house.clock.instant = second + timedelta(minutes=59)
    assert arrived()[watched] == (0, 1, 2, as_text(second))
    house.clock.instant = second + timedelta(days=3)
    assert arrived() == idle | {watched: (0, 0, 0, as_text(second))}, "an unmonitored service is not listed"


def test_optional_values_that_could_not_be_read_are_counted_by_name_for_a_day(house: House) -> None:
    def unread() -> tuple[dict[str, int], str]:
        found = house.get("/api/v1/status").json()
        return found["unread"], found["unread_since"]

    started = house.clock.instant
    assert unread() == ({}, as_text(started))
    bad = {"usage": {"input_tokens": "many"}}
    house.post("/api/v1/interactions", [interaction(id="a", **bad), interaction(id="b")])
    house.clock.instant = started + timedelta(hours=2)
    house.post("/api/v1/interactions", [interaction(id="c", **bad), interaction(id="d", duration_ms="long")])
    assert unread() == ({"usage.input_tokens": 2, "duration_ms": 1}, as_text(started))
    house.clock.instant = later = started + timedelta(hours=25)
    hour = later.replace(minute=0, second=0, microsecond=0) - timedelta(hours=23)
    assert unread() == ({"duration_ms": 1, "usage.input_tokens": 1}, as_text(hour))
    house.clock.instant = started + timedelta(days=3)
    assert unread()[0] == {}


def as_text(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def test_a_receiver_that_takes_nothing_is_a_warning_with_its_error_until_it_is_delivered(house: House) -> None:
    since = house.clock.now() - timedelta(hours=3)
    old = notification("a", planned_at=since, state=DeliveryState.REPLACED, next_attempt_at=None)
    away = notification("b", planned_at=since + timedelta(hours=1), attempt=4, error="receiver 'pager': away")
    with house.store.write() as tx:
        alerts.insert_notifications(tx, [old, away, notification("c", receiver="chat")])  # chat has no attempt yet
    [warning] = house.get("/api/v1/status").json()["warnings"]
    assert warning == (
        f"receiver pager: 1 notification is not delivered, the oldest from {since:%Y-%m-%d %H:%M} UTC: "
        "receiver 'pager': away"
    )
    with house.store.write() as tx:
        alerts.update_notification(tx, replace(away, state=DeliveryState.SENT, sent_at=house.clock.now(), error=None))
    assert house.get("/api/v1/status").json()["warnings"] == []


def test_a_schedule_that_runs_nothing_is_a_warning(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        house.post("/api/v1/schedules/nightly/pause", {"reason": "migration"})
        [warning] = house.get("/api/v1/status").json()["warnings"]
        assert warning == (
            "schedule nightly is paused by local since 2026-11-21 02:00 UTC, until a person resumes it (migration); "
            "`driftd schedule resume nightly` ends the pause"
        )
        house.post("/api/v1/schedules/nightly/resume", {})
        assert house.get("/api/v1/status").json()["warnings"] == []
    always = Window(name="always", timezone="UTC", start=time(), end=time())
    base = policy()
    closed = replace(base.schedules["nightly"], blackouts=(always,))
    (tmp_path / "closed").mkdir()
    with open_house(tmp_path / "closed", known=replace(base, schedules={"nightly": closed})) as house:
        [warning] = house.get("/api/v1/status").json()["warnings"]
        assert warning.startswith("schedule nightly has no next time: its blackouts contain every planned time")


def test_an_instant_recorded_while_the_clock_was_ahead_is_a_warning(house: House) -> None:
    assert house.get("/api/v1/status").json()["warnings"] == []
    ahead = house.clock.now() + timedelta(days=1000)
    with house.store.write() as tx:
        runs.record_instant(tx, "nightly", "bot", ahead, ahead)
    [warning] = house.get("/api/v1/status").json()["warnings"]
    assert warning.startswith(f"schedule nightly of bot: instant {ahead:%Y-%m-%d %H:%M} UTC is in the future")

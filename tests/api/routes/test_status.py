"""What the daemon says of itself."""

from datetime import timedelta

from monitor.store import runs
from tests.api.house import House
from tests.api.records import interaction


def test_calls_of_a_deployment_that_nobody_watches_are_told(house: House) -> None:
    assert house.get("/api/v1/status").json()["unwatched"] == {}
    told = [interaction(), interaction(id="b", deployment="helper"), interaction(id="c", deployment="helper")]
    old = interaction(id="d", deployment="gone", started_at="2026-11-19T01:00:00Z")
    house.post("/api/v1/interactions", [*told, interaction(id="e", deployment="other"), old])
    assert house.get("/api/v1/status").json()["unwatched"] == {"helper": 2, "other": 1}


def test_an_instant_recorded_while_the_clock_was_ahead_is_a_warning(house: House) -> None:
    assert house.get("/api/v1/status").json()["warnings"] == []
    ahead = house.clock.now() + timedelta(days=1000)
    with house.store.write() as tx:
        runs.record_instant(tx, "nightly", "bot", ahead, ahead)
    [warning] = house.get("/api/v1/status").json()["warnings"]
    assert warning.startswith(f"schedule nightly of bot: instant {ahead:%Y-%m-%d %H:%M} UTC is in the future")

"""Production traffic in a complete daemon: calls and feedback over HTTP; an alert fires and resolves."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.app import build
from monitor.config.load import load
from tests.app.house import DEPLOYMENT, SETTLE_S, House, daemon

TODAY = datetime(2026, 3, 1, tzinfo=UTC)  # the house begins at noon
CALLS = 40
LEARNT = 32  # days that lie behind when the daemon begins


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with daemon(tmp_path) as one:
        yield one


def live(house: House, number: int, corrected: int) -> None:
    """Send the calls of a day, by its number from today, and the corrections of that evening."""
    day = TODAY + timedelta(days=number)
    calls = [
        call(f"{number}-{n}", day + timedelta(hours=9, minutes=n), 700 + 7 * n + (number * 13) % 9)
        for n in range(CALLS)
    ]
    signals = [
        {
            "type": "feedback",
            "interaction_id": f"{number}-{n}",
            "at": (day + timedelta(hours=20)).isoformat(),
            "kind": "thumb",
            "value": -1,
            "source": "user",
        }
        for n in range(corrected + number % 2)
    ]
    for path, rows in (("interactions", calls), ("feedback", signals)):
        answer = house.api.post(f"/api/v1/{path}", json=rows).raise_for_status().json()
        assert answer["accepted"] == len(rows), answer


def call(name: str, at: datetime, duration_ms: float) -> dict[str, Any]:
    return {
        "type": "interaction",
        "id": name,
        "deployment": DEPLOYMENT,
        "started_at": at.isoformat(),
        "duration_ms": duration_ms,
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": f"Is {name} a prime?"}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "Yes, it is."}]},
        "usage": {"input_tokens": 20, "output_tokens": 5},
    }


def night(house: House, number: int) -> None:
    """Run the night after day `number`, when its feedback is linked."""
    house.app.settle(SETTLE_S)
    house.clock.advance_to(TODAY + timedelta(days=number, hours=1, minutes=10))
    house.app.wake_schedule()
    house.app.settle(SETTLE_S)


def about_corrections(house: House, what: str) -> list[dict[str, Any]]:
    """Return the findings, newest first."""
    return [row for row in house.listed(what) if row["series"] == "corrections"]


def test_users_who_correct_more_are_heard_and_the_alert_ends_when_they_are_content(house: House) -> None:
    for number in range(-LEARNT, 0):
        live(house, number, corrected=2)
    night(house, 1)
    assert [row["verdict"] for row in about_corrections(house, "findings")] == ["ok"]
    for number in range(1, 7):
        live(house, number, corrected=16)
        night(house, number + 1)
    (firing,) = about_corrections(house, "alerts")
    assert (firing["state"], firing["series"], firing["set_name"]) == ("firing", "corrections", None)
    told = house.api.get(f"/api/v1/findings/{firing['last_finding_id']}").raise_for_status().json()
    assert told["production"]["onset"] == "2026-03-02"
    assert told["production"]["interval"][0] > 0.2
    page = (house.folder / "console.txt").read_text()
    assert "FIRING · critical · corrections +" in page
    assert "since 2026-03-02" in page
    for number in range(7, 12):
        live(house, number, corrected=2)
        night(house, number + 1)
    (resolved,) = about_corrections(house, "alerts")
    assert (resolved["id"], resolved["state"]) == (firing["id"], "resolved")
    mine = [n for n in house.listed("notifications") if n["alert_id"] == firing["id"]]
    sent = [n["reason"] for n in mine if n["receiver"] == "console"]
    assert (sent.count("first"), sent[0], sent[-1]) == (1, "resolved", "first")
    assert [row for row in house.listed("alerts") if row["series"] not in {"corrections", None}] == []


def test_what_was_learnt_outlives_the_daemon(tmp_path: Path) -> None:
    with daemon(tmp_path) as first:
        for number in range(-LEARNT, 0):
            live(first, number, corrected=2)
        for number in range(4):
            live(first, number, corrected=16)
        night(first, 1)
        first.app.stop()
        again = build(load(tmp_path / "driftd.yaml", {}), clock=first.clock)
        again.start_local()
        first.clock.advance_to(TODAY + timedelta(days=6, hours=2))
        again.wake_schedule()
        again.settle(SETTLE_S)
        with again.store.read() as tx:
            from monitor.domain.production import Series
            from monitor.store.findings import findings

            told = findings.newest_of_series(tx, DEPLOYMENT, Series.CORRECTIONS)
        again.stop()
    assert told is not None
    assert told.verdict.value == "regression"
    assert told.production is not None
    assert told.production.onset is not None
    assert abs((told.production.onset - TODAY.date()).days) <= 1

"""Production series over HTTP: their state, their findings, and the acceptance of a new level."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from monitor.domain.alert import AlertState
from monitor.domain.finding import Finding, ProductionSeries, Verdict
from monitor.domain.production import ProductionEvidence, Series
from monitor.store.engine.database import Tx
from monitor.store.traffic import interactions
from tests.api.house import NOW, House
from tests.api.rows import add_alert, add_finding
from tests.store.build import interaction

ONSET = date(2026, 11, 10)
EVIDENCE = ProductionEvidence(
    unit="share",
    days=60,
    missing=0,
    e=1e6,
    e_needed=4e4,
    onset=ONSET,
    before=0.04,
    after=0.08,
    effect=0.04,
    interval=(0.03, 0.05),
    day_noise=0.006,
)


def live(house: House, days: int) -> None:
    """Store thirty calls for each of the past days."""
    midnight = datetime(NOW.year, NOW.month, NOW.day, tzinfo=NOW.tzinfo)
    rows = [
        interaction(
            f"{day}-{n}", deployment="bot", started_at=midnight - timedelta(days=day, minutes=n + 1), duration_ms=500.0
        )
        for day in range(days)
        for n in range(30)
    ]
    with house.store.write() as tx:
        interactions.insert(tx, rows)


def told(house: House, row_id: str = "f", **changes: Any) -> Finding:
    subject = ProductionSeries(series=Series.CORRECTIONS, day=date(2026, 11, 18))
    return add_finding(house, row_id, signal="production", subject=subject, production=EVIDENCE, **changes)


def test_every_watched_series_stands_with_its_days(house: House) -> None:
    live(house, days=5)
    items = house.get("/api/v1/production", deployment="bot").json()["items"]
    assert [item["series"] for item in items] == [
        "corrections",
        "implicit_corrections",
        "refusals",
        "availability",
        "latency",
        "cost",
    ]
    by_name = {item["series"]: item for item in items}
    assert by_name["corrections"]["day"] == "2026-11-18"
    assert len(by_name["corrections"]["days"]) == 3
    latency = by_name["latency"]
    assert (latency["verdict"], latency["production"]["missing"]) == ("insufficient", 24)
    assert latency["days"][-1]["day"] == "2026-11-20"
    assert abs(latency["days"][-1]["value"] - 500.0) < 1e-6
    assert by_name["availability"]["days"][0] == {"day": "2026-11-16", "value": 1.0, "n": 30}
    assert by_name["cost"]["days"] == []


def test_a_request_reads_what_is_known_of_all_series_at_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    live(house, days=5)
    used: list[str] = []
    original = Tx.table

    def table(tx: Tx, name: str, /, **params: Any) -> Any:
        used.append(name)
        return original(tx, name, **params)

    monkeypatch.setattr(Tx, "table", table)
    house.get("/api/v1/production", deployment="bot")
    assert len([name for name in used if "series" in name]) == 2
    assert len(used) <= 12


def test_a_deployment_no_one_watches_is_not_found(house: House) -> None:
    assert house.get("/api/v1/production", deployment="nobody").status_code == 404


def test_a_finding_on_production_is_reported_without_a_set_and_a_run(house: House) -> None:
    told(house)
    add_alert(house, "a", set_name=None, series="corrections")
    found = house.get("/api/v1/findings/f").json()
    assert (found["series"], found["day"]) == ("corrections", "2026-11-18")
    assert (found["set_name"], found["set_kind"], found["candidate_run"]) == (None, None, None)
    assert found["production"]["interval"] == [0.03, 0.05]
    assert house.get("/api/v1/findings").json()["items"] == [found]
    alert = house.get("/api/v1/alerts/a").json()
    assert (alert["series"], alert["set_name"]) == ("corrections", None)


def test_an_accepted_level_begins_at_its_onset_and_ends_the_alert(house: House) -> None:
    told(house)
    add_alert(house, "a", set_name=None, series="corrections", finding_id="f", state=AlertState.FIRING)
    answer = house.post("/api/v1/baselines", {"finding_id": "f", "reason": "the form asks for more now"})
    baseline = answer.json()
    assert (answer.status_code, baseline["series"], baseline["set_name"]) == (201, "corrections", None)
    assert baseline["counts_from"].startswith("2026-11-10T00:00:00")
    newest = house.get("/api/v1/findings").json()["items"][0]
    assert (newest["verdict"], newest["series"]) == ("ok", "corrections")
    assert house.post("/api/v1/baselines", {"finding_id": "f", "reason": "again"}).status_code == 200


def test_what_reported_of_no_change_of_production_is_not_accepted(house: House) -> None:
    told(house, verdict=Verdict.OK)
    assert house.post("/api/v1/baselines", {"finding_id": "f", "reason": "why"}).status_code == 422

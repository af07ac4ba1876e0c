"""Production monitors night after night: from stored calls and feedback to one alert and its end."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.alerting.plan import after_success
from monitor.config.policy import to_policy
from monitor.config.tree import Config
from monitor.domain.alert import Alert, AlertState, DeliveryState
from monitor.domain.finding import Finding, ProductionSeries, Verdict
from monitor.domain.interaction import Status
from monitor.domain.production import Series
from monitor.jobs.alerting.alert_loop import AlertLoop
from monitor.jobs.verdict.production_loop import ProductionLoop
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import alerts, findings
from monitor.store.traffic import feedback, interactions
from tests.store.build import feedback as signal
from tests.store.build import interaction

FIRST = date(2026, 1, 5)
CALLS = 60


def config(**production: Any) -> Config:
    return Config.model_validate(
        {
            "deployments": {"support": {"target": "model", "drift": {"production": production}}},
            "targets": {"model": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}},
        }
    )


class HandClock:
    def __init__(self) -> None:
        self.instant = midnight(0)

    def now(self) -> datetime:
        return self.instant

    def monotonic(self) -> float:
        return self.instant.timestamp()


def midnight(number: int) -> datetime:
    return datetime(FIRST.year, FIRST.month, FIRST.day, tzinfo=UTC) + timedelta(days=number)


class House:
    """A store, a clock and the two loops. The first `lived` days have traffic."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.lived = HandClock(), 0
        self.path = folder / "driftd.duckdb"
        self.store = Store.open(self.path, clock=self.clock)
        self.begin()

    def begin(self, **production: Any) -> None:
        policy = to_policy(config(**production))
        self.loop = ProductionLoop(store=self.store, policy=policy, clock=self.clock)
        self.alerting = AlertLoop(store=self.store, policy=policy, clock=self.clock)
        self.loop.step()  # first sight

    def restart(self) -> None:
        self.store.close()
        self.store = Store.open(self.path, clock=self.clock)
        self.begin()

    def live(self, until: int, corrected: Callable[[int], int] = lambda day: 3, failed: int = 1) -> None:
        """Store the traffic of each day until then. This number of its calls is corrected in the evening."""
        for day in range(self.lived, until):
            start = midnight(day)
            rows = [
                interaction(
                    f"{day}-{n}",
                    started_at=start + timedelta(minutes=n + 1),
                    duration_ms=600.0 + (7 * day + 13 * n) % 50,
                    status=Status.ERROR if n >= CALLS - failed else Status.OK,
                )
                for n in range(CALLS)
            ]
            messages = [
                signal(
                    f"f{day}-{n}",
                    at=start + timedelta(hours=20),
                    is_correction=True,
                    linked_interaction_id=f"{day}-{n}",
                )
                for n in range(min(corrected(day) + day % 3 - 1, CALLS))
            ]
            with self.store.write() as tx:
                interactions.insert(tx, rows)
                feedback.insert(tx, messages)
        self.lived = until

    def night(self, number: int) -> int:
        """Run the night after the day before `number`."""
        self.clock.instant = midnight(number) + timedelta(hours=1, minutes=5)
        looked = self.loop.step()
        self.alerting.step()
        self.deliver()
        return looked

    def deliver(self) -> None:
        """Deliver every notification that is due."""
        with self.store.write() as tx:
            for queued in alerts.page_notifications(tx, PageQuery(limit=500)).items:
                if queued.state is DeliveryState.QUEUED:
                    alerts.update_notification(tx, after_success(queued, self.clock.now()))

    def result(self, series: Series = Series.CORRECTIONS) -> list[Finding]:
        """Return the findings, the oldest first."""
        with self.store.read() as tx:
            items = findings.page(tx, PageQuery(limit=500)).items
        return [item for item in reversed(items) if item.subject.name == series.value]

    def alerts(self) -> list[Alert]:
        with self.store.read() as tx:
            return alerts.page(tx, PageQuery()).items

    def sent(self) -> list[str]:
        with self.store.read() as tx:
            rows = alerts.page_notifications(tx, PageQuery(limit=500)).items
        return [row.reason.value for row in reversed(rows)]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    opened = House(tmp_path)
    yield opened
    opened.store.close()


def nights(house: House, first: int, end: int, corrected: Callable[[int], int]) -> None:
    for number in range(first, end):
        house.live(number, corrected)
        house.night(number)


def test_corrections_that_rise_become_one_alert_that_ends_when_they_are_back(house: House) -> None:
    rate = lambda day: 15 if 40 <= day < 50 else 3  # noqa: E731
    nights(house, 33, 60, rate)
    verdicts = [finding.verdict for finding in house.result()]
    assert verdicts[0] is Verdict.OK
    assert verdicts[-1] is Verdict.OK
    assert set(verdicts[1:-1]) == {Verdict.REGRESSION}
    (alert,) = house.alerts()
    assert (alert.state, alert.series, alert.set_name) == (AlertState.RESOLVED, "corrections", None)
    assert alert.dedup_key == "support/production/corrections"
    assert house.sent()[0] == "first"
    assert house.sent()[-1] == "resolved"
    assert house.sent().count("first") == 1
    result = house.result()[1]
    assert result.subject == ProductionSeries(series=Series.CORRECTIONS, day=result.subject.day)  # type: ignore[union-attr]
    assert result.production is not None
    assert result.production.onset == FIRST + timedelta(days=40)
    assert result.reason.startswith("the share of answers that were corrected rose from 5.")


def test_quiet_months_write_one_word_a_series_and_wake_nobody(house: House) -> None:
    nights(house, 20, 70, lambda day: 3)
    for series in (Series.CORRECTIONS, Series.REFUSALS, Series.AVAILABILITY, Series.LATENCY):
        assert [finding.verdict for finding in house.result(series)] == [Verdict.INSUFFICIENT, Verdict.OK]
    assert house.result(Series.COST) == []  # the target has no price
    assert house.alerts() == []


def test_a_night_is_looked_at_once_and_a_stop_is_caught_up_by_its_last_night(house: House) -> None:
    house.live(45, lambda day: 15 if day >= 38 else 3)
    assert house.night(45) == 1
    assert house.night(45) == 0
    (finding,) = house.result()
    assert (finding.verdict, finding.production and finding.production.days) == (Verdict.REGRESSION, 43)


def test_a_restart_in_the_middle_of_an_alert_changes_nothing(house: House, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = House(tmp_path / "other")
    for number in range(40, 58):
        for one in (house, other):
            one.live(number, lambda day: 15 if 40 <= day < 50 else 3)
            one.night(number)
        other.restart()
        assert other.night(number) == 0
    messages = [[(f.verdict, f.reason, f.production) for f in one.result()] for one in (house, other)]
    assert messages[0] == messages[1]
    assert Verdict.REGRESSION in [f.verdict for f in other.result()]
    assert [a.state for a in other.alerts()] == [AlertState.RESOLVED]
    other.store.close()


def test_a_series_that_is_switched_off_is_not_told(house: House) -> None:
    house.begin(corrections=False)
    house.live(45, lambda day: 15 if day >= 38 else 3)
    house.night(45)
    assert house.result() == []
    assert len(house.result(Series.LATENCY)) == 1


def test_a_deployment_without_traffic_says_nothing(house: House) -> None:
    assert house.night(30) == 1
    with house.store.read() as tx:
        assert findings.page(tx, PageQuery()).items == []

"""Change events of PagerDuty: real loops, a real store and a strict fake of the Events API."""

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from monitor.alerting.notify.base import Receiver
from monitor.alerting.notify.table import build_receiver
from monitor.domain.alert import DeliveryState, Notification
from monitor.domain.baseline import AcceptedBaseline
from monitor.domain.policy import Policy
from monitor.domain.version import ChangeKind, How
from monitor.jobs.alerting.alert_loop import AlertLoop
from monitor.jobs.alerting.change_event_loop import ChangeEventLoop
from monitor.jobs.alerting.notify_loop import NotifyLoop
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import alerts, baselines
from monitor.store.traffic import versions
from monitor.supervisor import Loop
from tests.alerting.notify.fakes.pagerduty import ROUTING_KEY, pagerduty
from tests.alerting.notify.fakes.vendor import Answer, Vendor
from tests.api.policies import policy
from tests.jobs.replay.test_schedule_loop import MovedClock
from tests.store.build import change, version

T0 = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)


def with_change_events(*names: str) -> Policy:
    base = policy()
    return replace(base, alerts=replace(base.alerts, receivers=(), change_receivers=names, backoff_s=5.0))


class Deployment:
    """The loops of one daemon. `restart` replaces them; the store and its file stay."""

    def __init__(self, folder: Path, fake: Vendor, *names: str) -> None:
        self.clock, self.fake, self.names = MovedClock(T0), fake, names
        self.store = Store.open(folder / "driftd.duckdb", clock=self.clock)
        self.receivers: list[Receiver] = []
        self.restart()

    def restart(self) -> None:
        self._close_receivers()
        rules = with_change_events(*self.names)
        options = {"routing_key": ROUTING_KEY, "url": self.fake.url, "timeout_s": 5.0}
        self.receivers = [build_receiver("pagerduty", name, options, io.StringIO()) for name in self.names]
        self.alerts = AlertLoop(store=self.store, policy=rules, clock=self.clock)
        self.changes = ChangeEventLoop(store=self.store, policy=rules, clock=self.clock)
        self.notify = [
            NotifyLoop(store=self.store, policy=rules, clock=self.clock, receiver=one, jitter=lambda: 1.0)
            for one in self.receivers
        ]

    def settle(self) -> None:
        loops: list[Loop] = [self.alerts, self.changes, *self.notify]
        while sum(loop.step() for loop in loops):
            pass

    def add_change(self, id_: str, at: datetime = T0, **fields: object) -> None:
        with self.store.write() as tx:
            for each in ("v1", "v2"):
                identity = {"response_model": f"model-{each}"}
                versions.insert(tx, version(each, deployment="bot", label=f"model {each}", identity=identity))
            named = {"deployment": "bot", "at": at, "noted_at": at, "kind": ChangeKind.MODEL, "how": How.ANNOUNCED}
            versions.insert_change(tx, change(id_, **(named | {"from_version": "v1", "to_version": "v2"} | fields)))

    def outbox(self) -> list[Notification]:
        with self.store.read() as tx:
            return list(alerts.page_notifications(tx, PageQuery(limit=50)).items)

    def close(self) -> None:
        self._close_receivers()
        self.store.close()

    def _close_receivers(self) -> None:
        for one in self.receivers:
            one.close()


@pytest.fixture
def fake() -> Iterator[Vendor]:
    with pagerduty() as one:
        yield one


@pytest.fixture
def bot(tmp_path: Path, fake: Vendor) -> Iterator[Deployment]:
    one = Deployment(tmp_path, fake, "pager")
    yield one
    one.close()


def test_a_change_is_sent_once_with_both_versions(bot: Deployment) -> None:
    bot.add_change("change-1")
    bot.settle()
    bot.restart()
    bot.settle()
    assert bot.fake.rejected == []
    [event] = bot.fake.accepted
    payload = event["payload"]
    assert payload["summary"] == "bot: the model changed (announced): model v1 to model v2"
    assert (payload["source"], payload["timestamp"]) == ("bot", T0.isoformat())
    details = payload["custom_details"]
    assert (details["from_version"], details["to_version"]) == ("model v1", "model v2")
    assert [(each["before"], each["after"]) for each in details["diff"]] == [("model-v1", "model-v2")]
    [row] = bot.outbox()
    assert (row.alert_id, row.reason, row.state) == ("change-1", "change", DeliveryState.SENT)


def test_an_accepted_baseline_is_sent_once(bot: Deployment) -> None:
    accepted = AcceptedBaseline(
        id="baseline-1",
        deployment="bot",
        set_name="primes",
        run_id="run-1",
        counts_from=T0,
        finding_id="finding-1",
        at=T0,
        who="anne",
        reason="we chose the cheaper model",
    )
    with bot.store.write() as tx:
        baselines.accept(tx, accepted, None)
    bot.settle()
    bot.settle()
    [event] = bot.fake.accepted
    expected = "bot: anne accepted a new baseline of set primes: we chose the cheaper model"
    assert event["payload"]["summary"] == expected
    assert event["payload"]["custom_details"]["baseline"]["finding_id"] == "finding-1"


def test_the_first_version_and_an_old_change_are_no_events(bot: Deployment) -> None:
    bot.add_change("change-1", from_version=None)
    bot.add_change("change-2", at=T0 - timedelta(days=8))
    bot.settle()
    assert bot.fake.accepted == []


def test_a_change_without_a_new_name_says_so(bot: Deployment) -> None:
    bot.add_change("change-1", to_version="v1", how=How.OBSERVED)
    bot.settle()
    [event] = bot.fake.accepted
    assert event["payload"]["summary"] == "bot: the model changed without a new name (observed): model v1"


def test_each_receiver_gets_each_change(tmp_path: Path, fake: Vendor) -> None:
    two = Deployment(tmp_path, fake, "pager", "other")
    two.add_change("change-1")
    two.add_change("change-2")
    two.settle()
    assert len(fake.accepted) == 4
    assert {(row.receiver, row.alert_id) for row in two.outbox()} == {
        (name, id_) for name in ("pager", "other") for id_ in ("change-1", "change-2")
    }
    two.close()


def test_a_busy_service_is_retried_after_its_pause_and_over_a_restart(bot: Deployment) -> None:
    bot.add_change("change-1")
    bot.fake.answers = [Answer(429, headers={"Retry-After": "120"})]
    bot.settle()
    [row] = bot.outbox()
    assert (row.state, row.next_attempt_at) == (DeliveryState.QUEUED, T0 + timedelta(seconds=120))
    bot.fake.answers = []
    bot.clock.at += timedelta(seconds=60)
    bot.settle()
    assert bot.fake.accepted == [], "not before the time in Retry-After"
    bot.restart()  # an attempt at once: the configuration may have been corrected
    bot.settle()
    assert len(bot.fake.accepted) == 1


def test_a_change_event_neither_pages_nor_opens_a_group(bot: Deployment) -> None:
    bot.add_change("change-1")
    bot.settle()
    with bot.store.read() as tx:
        assert alerts.open_all(tx) == []
        assert alerts.live_groups(tx, ["pager"]) == []


def test_alerts_are_sent_before_change_events(bot: Deployment) -> None:
    bot.add_change("change-1")
    assert bot.changes.step() == 1
    [event] = bot.outbox()
    alert = replace(event, id="n-alert", alert_id="alert-1", reason=type(event.reason).FIRST)
    with bot.store.write() as tx:
        alerts.insert_notifications(tx, [replace(alert, planned_at=T0 + timedelta(seconds=1), next_attempt_at=T0)])
        found = alerts.next_notification(tx, "pager", T0 + timedelta(seconds=2), timedelta(hours=1))
    assert found is not None
    assert found.id == "n-alert"

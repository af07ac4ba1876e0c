"""The resend contract of Alertmanager through the real loops, a real store and a strict fake."""

import io
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.alerting.notify.alertmanager import Alertmanager
from monitor.alerting.notify.table import build_receiver
from monitor.domain.alert import Notification
from monitor.domain.silence import Silence, matcher_of
from monitor.errors import StoreUnavailable
from monitor.jobs.alerting.daemon_checks import ReceiverCheck
from monitor.jobs.alerting.resend_loop import ResendLoop
from monitor.store.engine.transaction import Tx
from monitor.store.findings import alerts, silences
from tests.alerting.notify.fakes.alertmanager import alertmanager
from tests.alerting.notify.fakes.vendor import Answer, Vendor
from tests.jobs.alerting.test_notify_loop import HOUR, MINUTE, OK, Night

SECOND = timedelta(seconds=1)


class Cluster(Night):
    """A night with Alertmanager peers. Each body of a request is a list of alerts."""

    def __init__(self, folder: Path, peers: list[Vendor]) -> None:
        super().__init__(folder, "am")
        self.peers = peers
        self.restart()

    def restart(self) -> None:
        options = {"urls": [one.url for one in self.peers], "timeout_s": 5.0, "repeat_s": 60.0, "hold_s": 240.0}
        receiver = build_receiver("alertmanager", "am", options, io.StringIO())
        assert isinstance(receiver, Alertmanager)
        receiver._now = self.clock.now
        self.start(receiver)
        self.receiver = receiver
        self.resend = ResendLoop(store=self.store, clock=self.clock, receiver=receiver)

    def pass_once(self) -> None:
        super().pass_once()
        assert self.resend.step() == 0

    def take(self, peer: int = 0) -> list[tuple[datetime, str]]:
        """Return end and state of each alert that arrived since the last call."""
        bodies, self.peers[peer].accepted = self.peers[peer].accepted, []
        found = [(datetime.fromisoformat(alert["endsAt"]), alert["startsAt"]) for body in bodies for alert in body]
        return [(ends, "firing" if ends > self.clock.at else "resolved") for ends, _ in found]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        one = Cluster(tmp_path, [stack.enter_context(alertmanager()) for _ in range(2)])
        stack.callback(one.close)
        yield one
        assert [peer.rejected for peer in one.peers] == [[], []]


def test_a_firing_alert_is_repeated_every_minute_with_an_end_four_minutes_later(cluster: Cluster) -> None:
    cluster.find()
    cluster.live(MINUTE)
    assert {state for _, state in cluster.take()} == {"firing"}
    for _ in range(10):
        cluster.live(MINUTE, step=SECOND * 10)
        [(ends, state)] = cluster.take()
        assert (ends, state) == (cluster.clock.at + 4 * MINUTE, "firing")


def test_a_resolution_is_repeated_for_five_minutes_and_then_nothing_is_sent(cluster: Cluster) -> None:
    cluster.find()
    cluster.live(HOUR)
    cluster.take()
    cluster.find(OK)
    cluster.live(MINUTE)
    over = cluster.clock.at
    first = cluster.take()
    assert {ends for ends, _ in first} == {over}
    cluster.live(HOUR)
    again = cluster.take()
    assert {ends for ends, _ in again} == {over}
    assert len(again) == 4
    assert cluster.take(1)[-1] == (over, "resolved")


def test_a_restart_continues_the_repetitions(cluster: Cluster) -> None:
    cluster.find()
    cluster.live(10 * MINUTE)
    cluster.take()
    cluster.restart()
    cluster.live(SECOND, step=SECOND)
    assert [state for _, state in cluster.take()] == ["firing"]
    cluster.find(OK)
    cluster.live(MINUTE)
    cluster.take()
    cluster.restart()
    cluster.live(SECOND, step=SECOND)
    assert [state for _, state in cluster.take()] == ["resolved"]


def test_nothing_is_repeated_before_it_was_delivered(cluster: Cluster) -> None:
    for peer in cluster.peers:
        peer.answers = [Answer(503)]
    cluster.find()
    cluster.live(10 * MINUTE)
    assert [state for _, state in cluster.states()] == ["queued"]
    for peer in cluster.peers:
        peer.answers = []
    assert cluster.resend.step() == 0
    assert cluster.take() == []


def test_a_resolution_that_waits_keeps_the_alert_firing(cluster: Cluster) -> None:
    """The receiver was told that it fires, and is told so until the resolution is delivered."""
    cluster.find()
    cluster.live(MINUTE)
    cluster.find(OK)
    cluster.alerts.step()
    cluster.take()
    cluster.clock.at += MINUTE
    cluster.resend.step()
    assert [state for _, state in cluster.take()] == ["firing"]


def test_a_silence_after_the_delivery_leaves_the_alert_as_it_was_told(cluster: Cluster) -> None:
    cluster.find()
    cluster.live(MINUTE)
    with cluster.store.write() as tx:
        _silence(tx, cluster.clock.at)
    cluster.take()
    for _ in range(30):
        cluster.live(MINUTE)
        assert [state for _, state in cluster.take()] == ["firing"]


def test_a_silence_before_the_delivery_sends_nothing(cluster: Cluster) -> None:
    with cluster.store.write() as tx:
        _silence(tx, cluster.clock.at)
    cluster.find()
    cluster.live(HOUR)
    assert cluster.take() == []


def test_a_peer_that_was_down_gets_the_alert_with_the_next_repetition_and_is_reported(cluster: Cluster) -> None:
    check = ReceiverCheck(cluster.store, ("am",), {"am": cluster.receiver.failing_peers})
    cluster.peers[1].answers = [Answer(503)]
    cluster.find()
    cluster.live(9 * MINUTE)
    [condition] = check.conditions(cluster.clock.at)
    assert str(condition.state) == "clear"
    cluster.live(5 * MINUTE)
    [condition] = check.conditions(cluster.clock.at)
    assert str(condition.state) == "firing"
    assert condition.reason.startswith("receiver am reaches only some of its peers: peer 127.0.0.1:")
    assert "responded 503" in condition.reason
    cluster.peers[1].answers = []
    cluster.live(MINUTE)
    assert [state for _, state in cluster.take(1)] == ["firing"]
    [condition] = check.conditions(cluster.clock.at)
    assert str(condition.state) == "clear"


def test_a_repetition_that_began_before_a_delivery_was_stored_is_corrected(cluster: Cluster) -> None:
    cluster.find()
    cluster.live(MINUTE)
    cluster.find(OK)
    cluster.alerts.step()
    cluster.take()
    while cluster.notify[0].step():
        pass
    [one] = cluster.take()
    assert one == (cluster.clock.at, "resolved")
    assert cluster.receiver.repeat(cluster.clock.at) == 1  # with what it knew before
    assert [state for _, state in cluster.take()] == ["firing"]
    cluster.clock.at += SECOND
    cluster.resend.step()
    assert [state for _, state in cluster.take()] == ["resolved"]


def test_an_outage_of_every_peer_is_logged_once(cluster: Cluster, caplog: pytest.LogCaptureFixture) -> None:
    cluster.find()
    cluster.live(MINUTE)
    for peer in cluster.peers:
        peer.answers = [Answer(503)]
    cluster.live(10 * MINUTE)
    assert caplog.text.count("alerts are not repeated") == 1


def test_an_alert_that_the_store_could_not_keep_is_repeated(cluster: Cluster) -> None:
    cluster.find()
    cluster.live(MINUTE)
    [delivered] = cluster.outbox()
    with cluster.store.read() as tx:
        assert alerts.newest_delivery(tx, "am") == (1, delivered.id)
    kept = _other(delivered)
    loop = ResendLoop(
        store=cluster.store,
        clock=cluster.clock,
        receiver=cluster.receiver,
        unstored=lambda name: [kept] * (name == "am"),
    )
    cluster.take()
    loop.step()
    assert [state for _, state in cluster.take()] == ["firing", "firing"]


def test_a_store_that_cannot_be_read_does_not_end_the_repetitions(cluster: Cluster) -> None:
    cluster.find()
    cluster.live(MINUTE)
    cluster.take()
    cluster.store.close()
    cluster.clock.at += MINUTE
    with pytest.raises(StoreUnavailable):
        cluster.resend.step()
    assert [state for _, state in cluster.take()] == ["firing"]


def _other(delivered: Notification) -> Notification:
    """The same notification about another set."""
    alert: dict[str, Any] = dict(delivered.payload["alerts"][0])
    alert |= {"id": "other", "labels": alert["labels"] | {"set": "other"}}
    return replace(delivered, id="other", payload=dict(delivered.payload) | {"alerts": [alert]})


def _silence(tx: Tx, now: datetime) -> None:
    silences.insert(
        tx,
        Silence(
            id="s1",
            matchers=(matcher_of("alertname=QualityRegression"),),
            starts_at=now,
            ends_at=now + 2 * HOUR,
            created_by="anne",
            comment="rehearsal",
            created_at=now,
        ),
    )

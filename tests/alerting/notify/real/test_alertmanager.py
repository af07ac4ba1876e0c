"""A real Alertmanager receives, groups and resolves the alerts of the real loops."""

import io
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from monitor.alerting.notify.base import ReceiverRefused, RepeatingReceiver
from monitor.alerting.notify.table import build_receiver
from monitor.alerting.trial import trial
from monitor.clock import SystemClock
from monitor.domain.finding import SetReplay, Verdict
from monitor.domain.policy import WatchdogPolicy
from monitor.jobs.alerting.alert_loop import AlertLoop
from monitor.jobs.alerting.notify_loop import NotifyLoop
from monitor.jobs.alerting.resend_loop import ResendLoop
from monitor.jobs.alerting.watchdog_loop import WatchdogLoop
from monitor.store.engine.database import Store
from monitor.store.findings import findings
from monitor.supervisor import Loop, Supervisor
from monitor.telemetry import NO_TELEMETRY
from tests.alerting.notify.real.alertmanager import Alertmanager, find_alertmanager, running, wait_for
from tests.api.policies import policy
from tests.ports import free_port
from tests.store.build import finding

RESEND_S = 2.0  # a machine under load must not miss four of them
SHORT_S = 1.0


class Daemon:
    """The alert loop, the notify loop and the resend loop in their threads, on the real clock."""

    def __init__(self, folder: Path, urls: list[str]) -> None:
        self._folder, self._urls, self._threads = folder, urls, ExitStack()
        base = policy()
        self.policy = replace(
            base, alerts=replace(base.alerts, receivers=("am",), backoff_s=0.2, group_interval_s=0.2, for_s=0.0)
        )
        self.clock = SystemClock()
        self.store = Store.open(folder / "driftd.duckdb", clock=self.clock)
        self.start()

    def start(self) -> None:
        receiver = receiver_of(self._urls)
        loops: list[Loop] = [
            AlertLoop(store=self.store, policy=self.policy, clock=self.clock),
            NotifyLoop(store=self.store, policy=self.policy, clock=self.clock, receiver=receiver),
            ResendLoop(store=self.store, clock=self.clock, receiver=receiver),
        ]
        supervisor = Supervisor(loops, NO_TELEMETRY)
        supervisor.start()
        self._threads.callback(receiver.close)
        self._threads.callback(supervisor.stop)

    def stop(self) -> None:
        self._threads.close()

    def close(self) -> None:
        self.stop()
        self.store.close()

    def find(self, verdict: Verdict = Verdict.REGRESSION, set_name: str = "primes") -> None:
        at = self.clock.now()
        one = finding(f"f{at:%d%H%M%S%f}", verdict=verdict, severity="critical", at=at)
        assert isinstance(one.subject, SetReplay)
        with self.store.write() as tx:
            findings.insert(tx, replace(one, subject=replace(one.subject, set_name=set_name)))


def receiver_of(urls: list[str], resend_s: float = RESEND_S) -> RepeatingReceiver:
    options = {"urls": urls, "timeout_s": 10.0, "repeat_s": resend_s, "hold_s": 4 * resend_s}
    receiver = build_receiver("alertmanager", "am", options, io.StringIO())
    assert isinstance(receiver, RepeatingReceiver)
    return receiver


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Alertmanager]:
    with running(tmp_path / "am") as one:
        yield one


def test_it_groups_the_alerts_keeps_them_active_and_resolves_them(real: Alertmanager, tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, [real.url])
    try:
        daemon.find()
        wait_for(lambda: len(real.alerts()) == 1, real.alerts)
        [(name, alert)] = real.alerts().items()
        assert name == "QualityRegression"
        assert alert["labels"] == {
            "alertname": "QualityRegression",
            "deployment": "support",
            "set": "primes",
            "severity": "critical",
        }
        assert alert["annotations"]["summary"]
        daemon.find(set_name="hard")
        wait_for(lambda: any(len(group["alerts"]) == 2 for group in real.groups()), real.groups)
        [group] = real.groups()
        assert group["labels"] == {"deployment": "support"}
        first_end = alert["endsAt"]
        time.sleep(5 * RESEND_S)  # longer than resolve_timeout (1 s) and than the four intervals of one delivery
        assert datetime.fromisoformat(first_end) < datetime.now(UTC)
        assert {one["status"]["state"] for group in real.groups() for one in group["alerts"]} == {"active"}
        assert {status for status, _ in real.states()} == {"firing"}
        daemon.find(Verdict.OK)
        daemon.find(Verdict.OK, set_name="hard")
        wait_for(lambda: real.states()[-1][0] == "resolved", real.states)
        assert real.alerts() == {}
        told = real.states()
        time.sleep(2 * RESEND_S)  # the repetitions of the resolution notify no one again
        assert real.states() == told
    finally:
        daemon.close()


def test_a_restart_continues_before_alertmanager_resolves(real: Alertmanager, tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, [real.url])
    try:
        daemon.find()
        wait_for(lambda: len(real.states()) == 1, real.states)
        daemon.stop()
        daemon.start()
        time.sleep(5 * RESEND_S)
        assert [status for status, _ in real.states()] == ["firing"]
    finally:
        daemon.close()


def test_without_repetitions_alertmanager_resolves_the_alert_by_itself(real: Alertmanager, tmp_path: Path) -> None:
    """The reason for the contract, and the proof that the tests above can fail."""
    daemon = Daemon(tmp_path, [real.url])
    try:
        daemon.find()
        wait_for(lambda: len(real.states()) == 1, real.states)
        daemon.stop()
        wait_for(lambda: [status for status, _ in real.states()] == ["firing", "resolved"], real.states)
    finally:
        daemon.close()


def test_a_second_peer_that_was_down_has_the_alert_after_one_interval(tmp_path: Path) -> None:
    with running(tmp_path / "first") as first:
        port_of_second = free_port()
        daemon = Daemon(tmp_path, [first.url, f"http://127.0.0.1:{port_of_second}"])
        try:
            daemon.find()
            wait_for(lambda: len(first.alerts()) == 1, first.alerts)
            with running(tmp_path / "second", port=port_of_second) as second:
                wait_for(lambda: len(second.alerts()) == 1, second.alerts)
                assert second.alerts()["QualityRegression"]["labels"] == first.alerts()["QualityRegression"]["labels"]
        finally:
            daemon.close()


def test_a_test_notification_passes_through_and_ends(real: Alertmanager) -> None:
    receiver = receiver_of([real.url], SHORT_S)
    receiver.reach()
    receiver.send(trial("am", id="t1", now=datetime.now(UTC)))
    wait_for(lambda: len(real.states()) == 2, real.states)
    assert real.states() == [
        ("firing", (("DriftdTest", "firing"),)),
        ("resolved", (("DriftdTest", "resolved"),)),
    ]
    receiver.close()


def test_the_watchdog_is_an_alert_that_ends_when_driftd_stops(real: Alertmanager) -> None:
    base = policy()
    watched = replace(base, alerts=replace(base.alerts, watchdog=WatchdogPolicy(receivers=("am",), every_s=SHORT_S)))
    receiver = receiver_of([real.url], SHORT_S)
    loop = WatchdogLoop(policy=watched, clock=SystemClock(), receivers={"am": receiver}, not_ready=lambda: None)
    until = time.monotonic() + 6 * SHORT_S
    while time.monotonic() < until:
        loop.step()
        time.sleep(0.1)
    assert real.states() == [("firing", (("Watchdog", "firing"),))]
    wait_for(lambda: real.states()[-1][0] == "resolved", real.states)
    receiver.close()


def test_a_request_that_alertmanager_rejects_is_a_refusal(real: Alertmanager) -> None:
    """The strict fake has the same rule: an alert has labels."""
    receiver = receiver_of([real.url], SHORT_S)
    one = trial("am", id="t1", now=datetime.now(UTC))
    labels: Mapping[str, str] = {"not valid": "x"}
    payload = dict(one.payload) | {"alerts": [dict(one.payload["alert"]) | {"labels": {"alertname": "x", **labels}}]}
    with pytest.raises(ReceiverRefused, match="responded 400"):
        receiver.send(replace(one, payload=payload))
    receiver.close()


def test_a_missing_alertmanager_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        pytest.fail.Exception, match=r"ALERTMANAGER is .*none, which is no file; run `.ci/alertmanager`"
    ):
        find_alertmanager({"ALERTMANAGER": str(tmp_path / "none")})

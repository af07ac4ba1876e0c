"""The Alertmanager receiver: alerts of a payload, what it was told, and several peers."""

import io
import logging
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from monitor.alerting.group import group_parts
from monitor.alerting.notify.alertmanager import Alertmanager
from monitor.alerting.notify.alertmanager_alerts import Posted, due, posted_of, standing
from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable, RepeatingReceiver
from monitor.alerting.notify.table import build_receiver
from monitor.alerting.render import render
from monitor.alerting.trial import trial
from monitor.config.receivers.alertmanager import AlertmanagerReceiver
from monitor.domain.alert import Alert, AlertState, DeliveryState, Notification
from monitor.errors import ConfigError
from tests.alerting.build import POLICY, T0, a_notification, a_payload, an_alert, at
from tests.alerting.notify.fakes.alertmanager import alertmanager
from tests.alerting.notify.fakes.mail import write_certificate
from tests.alerting.notify.fakes.vendor import Answer, Vendor

OPTIONS: dict[str, Any] = {"timeout_s": 5.0, "repeat_s": 60.0, "hold_s": 240.0}


def fired(name: str = "a1", seconds: float = 0, **fields: Any) -> Alert:
    return an_alert(id=name, group_id="g1", fired_at=at(seconds), pending_since=at(seconds), **fields)


def resolved(alert: Alert, seconds: float) -> Alert:
    return replace(alert, state=AlertState.RESOLVED, resolved_at=at(seconds))


def told(*alerts: Alert, hidden: str = "", seconds: float = 0, **fields: Any) -> Notification:
    """A notification of these alerts, delivered at T0 + `seconds`."""
    parts = group_parts(alerts, POLICY, {hidden: "silenced"} if hidden else {})
    payload = a_payload(alerts[0]) | parts
    sent_at = {"state": DeliveryState.SENT, "sent_at": at(seconds), "planned_at": at(seconds)}
    return a_notification(**({"id": f"n{seconds}", "payload": payload} | sent_at | fields))


def posted(notification: Notification, **labels: str) -> list[Posted]:
    payload = notification.payload
    return posted_of(payload, render(payload), labels, notification.sent_at or T0)


@contextmanager
def cluster(size: int, **options: Any) -> Iterator[tuple[Alertmanager, list[Vendor]]]:
    with ExitStack() as stack:
        peers = [stack.enter_context(alertmanager()) for _ in range(size)]
        built = build_receiver(
            "alertmanager", "am", {**OPTIONS, "urls": [peer.url for peer in peers], **options}, io.StringIO()
        )
        assert isinstance(built, Alertmanager)
        stack.callback(built.close)
        yield built, peers


def test_each_alert_of_the_group_is_one_alert_with_its_identity_as_labels() -> None:
    first, second = fired("a1"), fired("a2", 30, rule="CategoryRegression", category="prime", severity="warning")
    lead, other = posted(told(first, second), cluster="eu")
    assert lead.labels == {
        "cluster": "eu",
        "alertname": "QualityRegression",
        "deployment": "support",
        "severity": "critical",
        "set": "primes",
    }
    assert other.labels == dict(lead.labels) | {
        "alertname": "CategoryRegression",
        "category": "prime",
        "severity": "warning",
    }
    assert "gpt-4-0613" in lead.annotations["description"]
    assert "description" not in other.annotations
    assert lead.annotations["runbook_url"].endswith("runbook=QualityRegression")
    assert lead.annotations["dashboard"] == lead.generator_url == "http://127.0.0.1:8501/alerts?alert=a1"
    assert (lead.annotations["alert_id"], lead.annotations["group_id"]) == ("a1", "g1")
    assert (lead.starts_at, lead.ends_at) == (T0, None)


def test_a_firing_alert_ends_after_four_intervals_and_a_resolved_one_at_its_end() -> None:
    [one] = posted(told(fired()))
    body = one.to_json(at(600), timedelta(seconds=240))
    assert (body["startsAt"], body["endsAt"]) == (T0.isoformat(), at(840).isoformat())
    [over] = posted(told(resolved(fired(), 900), seconds=900))
    assert over.to_json(at(960), timedelta(seconds=240))["endsAt"] == at(900).isoformat()


def test_a_clock_that_went_back_gives_no_end_before_the_start() -> None:
    [one] = posted(told(fired(seconds=1000)))
    assert one.to_json(T0, timedelta(seconds=240))["endsAt"] == at(1240).isoformat()


def test_a_suppressed_alert_is_not_sent_but_its_resolution_is() -> None:
    first, second = fired("a1"), fired("a2", severity="warning")
    assert [one.id for one in posted(told(first, second, hidden="a2"))] == ["a1"]
    ended = resolved(second, 60)
    assert {one.id for one in posted(told(first, ended, hidden="a2"))} == {"a1", "a2"}


def test_an_alert_that_is_silenced_after_its_delivery_stays_as_it_was_told() -> None:
    first, second = fired("a1"), fired("a2", severity="warning")
    known = standing([posted(told(first, second)), posted(told(first, second, hidden="a2", seconds=300))])
    assert {(one.id, one.ends_at) for one in known} == {("a1", None), ("a2", None)}


def test_a_resolution_is_repeated_for_five_minutes_after_its_first_delivery() -> None:
    first, second = fired("a1"), fired("a2", severity="warning")
    ended = resolved(second, 60)
    update = posted(told(first, ended, seconds=90))
    repeat = posted(told(first, ended, seconds=300))
    known = standing([posted(told(first, second)), update, repeat])
    assert [one.id for one in due(known, at(389))] == ["a1", "a2"]
    assert [one.id for one in due(known, at(390))] == ["a1"]


def test_a_new_severity_ends_the_alert_with_the_old_one() -> None:
    mild, severe = fired(severity="warning"), fired(severity="critical")
    known = standing([posted(told(mild)), posted(told(severe, seconds=120)), posted(told(severe, seconds=500))])
    assert [(one.labels["severity"], one.ends_at) for one in known] == [("warning", at(120)), ("critical", None)]
    assert [one.labels["severity"] for one in due(known, at(420))] == ["critical"]


def test_a_resolution_is_final_when_the_clock_went_back() -> None:
    firing = fired()
    known = standing([posted(told(resolved(firing, 60), seconds=60)), posted(told(firing, seconds=300))])
    assert [one.ends_at for one in known] == [at(60)]


def test_an_old_episode_does_not_resolve_a_new_one_with_the_same_labels() -> None:
    old, new = resolved(fired("a1"), 60), fired("a2", 120)
    assert [(one.id, one.ends_at) for one in posted(told(new, old))] == [("a2", None)]
    late = [posted(told(new, seconds=130)), posted(told(old, seconds=140))]
    assert [(one.id, one.ends_at) for one in standing(late)] == [("a2", None)]


def test_a_test_has_labels_of_its_own_and_ends_by_itself() -> None:
    [one] = posted(trial("am", id="t1", now=T0))
    assert (one.labels["alertname"], one.labels["test"], one.ends_at) == ("DriftdTest", "true", None)


def test_every_peer_gets_the_alerts() -> None:
    with cluster(3) as (receiver, peers):
        receiver.send(told(fired()))
        assert [len(peer.accepted) for peer in peers] == [1, 1, 1]
        assert [peer.rejected for peer in peers] == [[], [], []]


def test_one_peer_that_accepts_is_a_delivery_and_the_others_are_reported_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    with cluster(3) as (receiver, peers):
        peers[0].answers, peers[2].answers = [Answer(503)], [Answer(reset=True)]
        receiver.learn([told(fired())])
        receiver.send(told(fired()))
        receiver.repeat(at(60))
        assert len(peers[1].accepted) == 2
        failing = receiver.failing_peers()
        assert [one.peer for one in failing] == [f"127.0.0.1:{peer.port}" for peer in (peers[0], peers[2])]
        assert "responded 503" in failing[0].error
        assert caplog.text.count("responded 503") == 1
        peers[0].answers, peers[2].answers = [], []
        assert receiver.repeat(at(120)) == 1
        assert [len(peer.accepted) for peer in peers] == [1, 3, 1]
        assert receiver.failing_peers() == []
        assert caplog.text.count("takes alerts again") == 2


def test_without_a_peer_that_accepts_the_notification_is_retried_after_the_shortest_pause() -> None:
    with cluster(2) as (receiver, peers):
        peers[0].answers = [Answer(429, headers={"Retry-After": "30"})]
        peers[1].answers = [Answer(400)]
        with pytest.raises(ReceiverUnavailable, match=r"responded 429; .*responded 400") as raised:
            receiver.send(told(fired()))
        assert raised.value.retry_after_s == 30.0


def test_a_cluster_that_rejects_the_alerts_is_a_refusal() -> None:
    with cluster(2) as (receiver, peers):
        for peer in peers:
            peer.answers = [Answer(401)]
        with pytest.raises(ReceiverRefused, match=r"responded 401; .*responded 401"):
            receiver.send(told(fired()))


def test_reach_names_each_peer_that_fails() -> None:
    with cluster(1) as (alive, peers):
        alive.reach()
        urls = [peers[0].url, "http://127.0.0.1:1"]
        half = build_receiver("alertmanager", "am", {**OPTIONS, "urls": urls}, io.StringIO())
        with pytest.raises(ReceiverUnavailable, match=r"receiver 'am' at 127.0.0.1:1 cannot be reached"):
            half.reach()
        half.close()
        assert peers[0].accepted == []


@pytest.mark.parametrize(
    ("options", "header"),
    [
        ({"login": ("anne", "pä")}, "Basic YW5uZTpww6Q="),
        ({"bearer_token": "t0ken"}, "Bearer t0ken"),
    ],
)
def test_credentials_are_in_the_header_and_not_in_errors(options: dict[str, Any], header: str) -> None:
    with alertmanager(authorization=header) as fake:
        for allowed in (options, {}):
            settings = {**OPTIONS, "urls": [fake.url], **allowed}
            receiver = build_receiver("alertmanager", "am", settings, io.StringIO())
            if allowed:
                receiver.send(told(fired()))
                fake.answers = [Answer(403), Answer(503)]
                for kind in (ReceiverRefused, ReceiverUnavailable):
                    with pytest.raises(kind) as raised:
                        receiver.send(told(fired()))
                    assert "t0ken" not in repr(raised.value)
                    assert "YW5u" not in repr(raised.value)
                fake.answers = []
            else:
                with pytest.raises(ReceiverRefused, match="responded 401"):
                    receiver.send(told(fired()))
            receiver.close()
        assert len(fake.accepted) == 1


def test_a_missing_ca_file_is_an_error_of_the_configuration(tmp_path: Path) -> None:
    options = {**OPTIONS, "urls": ["https://am.example.org"], "ca_file": tmp_path / "none.pem"}
    with pytest.raises(ConfigError, match="receiver 'am': cannot read ca_file"):
        build_receiver("alertmanager", "am", options, io.StringIO())


def test_a_peer_with_tls_is_trusted_by_its_ca_file_only(tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with alertmanager(tls=context) as fake:
        trusting, strict = (
            build_receiver("alertmanager", "am", {**OPTIONS, "urls": [fake.url], "ca_file": each}, io.StringIO())
            for each in (certificate, None)
        )
        trusting.reach()
        trusting.send(told(fired()))
        assert (len(fake.accepted), fake.rejected) == (1, [])
        for attempt in (strict.reach, partial(strict.send, told(fired()))):
            with pytest.raises(ReceiverUnavailable, match=r"receiver .am. at"):
                attempt()
        assert len(fake.accepted) == 1
        trusting.close()
        strict.close()


def test_only_receivers_that_forget_are_repeated() -> None:
    with cluster(1) as (receiver, _):
        assert isinstance(receiver, RepeatingReceiver)
    assert not isinstance(build_receiver("console", "c", {}, io.StringIO()), RepeatingReceiver)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"urls": []}, "at least 1 item"),
        ({"urls": ["http://anne:pw@am:9093"]}, "an address must contain no login"),
        ({"urls": ["http://am:9093/?x=1"]}, "no query"),
        ({"urls": ["http://am:9093/a", "http://am:9093/b"]}, "a host and port of its own"),
        ({"labels": {"1st": "x"}}, "begins with no digit"),
        ({"labels": {"severity": "x"}}, "driftd sets it"),
        ({"labels": {"team": ""}}, "the value is empty"),
        ({"username": "anne"}, "give username and password"),
        ({"username": "anne", "password": "x", "bearer_token": "y"}, "a login or a bearer token"),
        ({"bearer_token": "with space"}, "ASCII characters without spaces"),
    ],
)
def test_settings_that_cannot_work_are_an_error(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        AlertmanagerReceiver.model_validate({"kind": "alertmanager", "urls": ["http://am:9093"], **fields})

"""The PagerDuty receiver against a strict fake of the Events API."""

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from monitor.alerting.group import group_parts
from monitor.alerting.notify import pagerduty as receiver_module
from monitor.alerting.notify.base import Receiver, ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.table import build_receiver
from monitor.alerting.render import Rendered
from monitor.alerting.trial import trial
from monitor.domain.alert import AlertState, Notification, NotifyReason
from tests.alerting.build import POLICY, T0, a_notification, a_payload, an_alert
from tests.alerting.notify.fakes.pagerduty import ROUTING_KEY, event, pagerduty
from tests.alerting.notify.fakes.vendor import Answer, Vendor


@pytest.fixture
def service() -> Iterator[tuple[Vendor, Receiver]]:
    with pagerduty() as fake:
        receiver = a_receiver(fake)
        yield fake, receiver
        receiver.close()


def a_receiver(fake: Vendor, timeout_s: float = 5.0) -> Receiver:
    options = {"routing_key": ROUTING_KEY, "url": fake.url, "timeout_s": timeout_s}
    return build_receiver("pagerduty", "pager", options, io.StringIO())


def of_group(reason: NotifyReason = NotifyReason.FIRST, **fields: Any) -> Notification:
    """The notification of a group with one alert."""
    alert = an_alert(**{"fired_at": T0, "group_id": "group-1", "group_key": "bot/change-1", **fields})
    payload = a_payload(alert, reason=reason) | group_parts([alert], POLICY, {})
    return a_notification(payload=payload, reason=reason, group_id="group-1")


def test_an_alert_triggers_an_incident_of_its_group(service: tuple[Vendor, Receiver]) -> None:
    fake, receiver = service
    receiver.send(of_group(severity="critical"))
    assert fake.rejected == []
    [body] = fake.accepted
    assert (body["event_action"], body["dedup_key"], body["client"]) == ("trigger", "group-1", "driftd")
    payload = body["payload"]
    assert payload["severity"] == "critical"
    assert payload["source"] == "support"
    assert (payload["component"], payload["class"]) == ("primes", "QualityRegression")
    assert (payload["group"], payload["timestamp"]) == ("bot/change-1", T0.isoformat())
    assert "gpt-4-0613" in payload["custom_details"]["text"]
    assert payload["custom_details"]["alerts"][0]["rule"] == "QualityRegression"
    assert {link["text"] for link in body["links"]} == {"Dashboard", "Runbook", "Silence", "Acknowledge"}
    assert body["client_url"].startswith("http://127.0.0.1:8501/alerts?alert=")


@pytest.mark.parametrize(
    ("reason", "fields", "action"),
    [
        (NotifyReason.UPDATE, {}, "trigger"),
        (NotifyReason.WORSE, {}, "trigger"),
        (NotifyReason.REPEAT, {}, "trigger"),
        (NotifyReason.ESCALATION, {}, "trigger"),
        (NotifyReason.ACKNOWLEDGED, {"acknowledged_by": "anne", "acknowledged_at": T0}, "acknowledge"),
        (NotifyReason.RESOLVED, {"state": AlertState.RESOLVED, "resolved_at": T0}, "resolve"),
    ],
)
def test_each_reason_has_its_action(
    service: tuple[Vendor, Receiver], reason: NotifyReason, fields: dict[str, Any], action: str
) -> None:
    fake, receiver = service
    receiver.send(of_group(reason, **fields))
    assert fake.rejected == []
    [body] = fake.accepted
    assert (body["event_action"], body["dedup_key"]) == (action, "group-1")
    if action != "trigger":
        assert set(body) == {"routing_key", "event_action", "dedup_key"}


@pytest.mark.parametrize(
    ("severity", "expected"), [("critical", "critical"), ("warning", "warning"), ("info", "info"), ("odd", "error")]
)
def test_severities_are_mapped(severity: str, expected: str) -> None:
    payload = {"alert": {"severity": severity}}
    body = receiver_module.trigger_of({}, payload, Rendered(title="t", summary="s", text="x", html=""))
    assert body["payload"]["severity"] == expected


def test_a_test_leaves_no_open_incident(service: tuple[Vendor, Receiver]) -> None:
    fake, receiver = service
    receiver.send(trial("pager", id="test-1", now=T0))
    assert fake.rejected == []
    assert [(body["event_action"], body["dedup_key"]) for body in fake.accepted] == [
        ("trigger", "test-1"),
        ("resolve", "test-1"),
    ]
    assert fake.accepted[0]["payload"]["severity"] == "info"


@pytest.mark.parametrize("character", ["x", '"', "ä", "\U0001f6a8", "\n"])
@pytest.mark.parametrize("size", [0, 1, 1024, 1025, 600_000])
def test_a_text_of_any_size_is_within_the_limits(character: str, size: int) -> None:
    long = character * size
    rendered = Rendered(title="", summary=long.replace("\n", " "), text=long, html="")
    identity = {"routing_key": ROUTING_KEY, "dedup_key": "group-1"}
    payload = dict(of_group().payload) | {"links": {"dashboard": f"https://d.example/{'a' * size}"}}
    event(receiver_module.trigger_of(identity, payload, rendered))


def test_an_event_that_is_too_large_loses_its_details_and_keeps_its_summary() -> None:
    identity = {"routing_key": ROUTING_KEY, "dedup_key": "group-1"}
    rendered = Rendered(title="t", summary="it fell", text="x" * 512_000, html="")
    body = receiver_module.trigger_of(identity, of_group().payload, rendered)
    assert body["payload"]["summary"] == "it fell"
    assert set(body["payload"]["custom_details"]) == {"omitted"}
    assert body["links"]


def test_the_fake_refuses_unknown_fields_and_other_keys(service: tuple[Vendor, Receiver]) -> None:
    body = receiver_module.trigger_of(
        {"routing_key": ROUTING_KEY, "dedup_key": "g"},
        of_group().payload,
        Rendered(title="t", summary="s", text="x", html=""),
    )
    for broken in (body | {"zork": 1}, body | {"routing_key": "other"}, body | {"dedup_key": "x" * 256}):
        with pytest.raises(AssertionError):
            event(broken)


def test_an_invalid_event_is_refused_without_the_key(service: tuple[Vendor, Receiver]) -> None:
    fake, _ = service
    options = {"routing_key": "s3cret" * 5, "url": fake.url, "timeout_s": 5.0}
    receiver = build_receiver("pagerduty", "pager", options, io.StringIO())
    with pytest.raises(ReceiverRefused, match=f"receiver 'pager' at 127.0.0.1:{fake.port} responded 400$") as raised:
        receiver.send(of_group())
    assert "s3cret" not in repr(raised.value)
    assert len(fake.rejected) == 1
    receiver.close()


def test_a_busy_service_gets_its_pause(service: tuple[Vendor, Receiver]) -> None:
    fake, receiver = service
    fake.answers = [Answer(429, headers={"Retry-After": "120"})]
    with pytest.raises(ReceiverUnavailable, match=r"responded 429$") as raised:
        receiver.send(of_group())
    assert raised.value.retry_after_s == 120.0


def test_after_an_error_of_the_server_and_a_reset_the_next_attempt_arrives(service: tuple[Vendor, Receiver]) -> None:
    fake, receiver = service
    fake.answers = [Answer(500), Answer(reset=True)]
    for problem in ("responded 500", "the connection broke"):
        with pytest.raises(ReceiverUnavailable, match=problem):
            receiver.send(of_group())
    fake.answers.clear()
    receiver.send(of_group())
    assert len(fake.accepted) == 1


def test_a_silent_service_is_unavailable() -> None:
    with pagerduty() as fake:
        fake.answers = [Answer(silent=True)]
        receiver = a_receiver(fake, timeout_s=0.05)
        with pytest.raises(ReceiverUnavailable, match="no response in time"):
            receiver.send(of_group())
        fake.stopped.set()
        receiver.close()


def test_a_notification_of_an_older_release_has_its_alert_as_key(service: tuple[Vendor, Receiver]) -> None:
    fake, receiver = service
    old = replace(a_notification(), group_id="")
    receiver.send(old)
    assert fake.rejected == []
    assert fake.accepted[0]["dedup_key"] == "a1"

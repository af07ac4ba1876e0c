"""The receivers of Opsgenie and Grafana IRM against strict fakes."""

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from pydantic import ValidationError

from monitor.alerting.notify import grafana_irm as grafana_module
from monitor.alerting.notify import opsgenie as opsgenie_module
from monitor.alerting.notify.base import Receiver, ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.table import build_receiver
from monitor.alerting.render import Rendered
from monitor.alerting.trial import trial
from monitor.config.receivers.opsgenie import OpsgenieReceiver
from monitor.domain.alert import Notification
from tests.alerting.build import T0, a_notification
from tests.alerting.notify.fakes.on_call import API_KEY, alert, formatted_webhook, grafana_irm, opsgenie
from tests.alerting.notify.fakes.vendor import Answer, Vendor

GROUP = {"id": "g1/ä", "key": "support", "state": "firing"}
ENTRY = {"labels": {"alertname": "QualityRegression", "deployment": "support", "severity": "critical"}}
RESPONDERS = [{"type": "team", "name": "ml"}, {"type": "user", "username": "anne@example.org"}]
LINKS = {
    "dashboard": "https://driftd.example.org/alerts?alert=a1",
    "runbook": "https://driftd.example.org/runbook",
    "silence": "javascript:alert(1)",
    "acknowledge": None,
}


@pytest.fixture
def genie() -> Iterator[tuple[Vendor, Receiver]]:
    with opsgenie() as fake:
        options = {"url": fake.url, "api_key": API_KEY, "timeout_s": 5.0, "responders": RESPONDERS, "tags": ("llm",)}
        receiver = build_receiver("opsgenie", "pager", options, io.StringIO())
        yield fake, receiver
        receiver.close()


@pytest.fixture
def grafana() -> Iterator[tuple[Vendor, Receiver]]:
    with grafana_irm() as fake:
        receiver = build_receiver("grafana_irm", "pager", {"url": fake.url, "timeout_s": 5.0}, io.StringIO())
        yield fake, receiver
        receiver.close()


def notification(reason: str = "first", state: str = "firing", **alert_fields: Any) -> Notification:
    base = a_notification()
    parts: dict[str, Any] = {
        "reason": reason,
        "group": GROUP | {"state": state},
        "links": LINKS,
        "alerts": [ENTRY],
        "alert": dict(base.payload["alert"]) | {"state": state} | alert_fields,
    }
    return replace(base, payload=dict(base.payload) | parts)


def test_a_first_notification_creates_the_alert_of_the_group(genie: tuple[Vendor, Receiver]) -> None:
    fake, receiver = genie
    receiver.send(notification())
    assert fake.rejected == []
    assert fake.paths == ["/v2/alerts"]
    [body] = fake.accepted
    assert (body["alias"], body["priority"], body["entity"]) == ("g1/ä", "P1", "support")
    assert body["responders"] == RESPONDERS
    assert body["tags"] == ["llm", "QualityRegression", "critical", "support"]
    assert body["details"]["alertname"] == "QualityRegression"
    assert body["description"].endswith(f"Dashboard: {LINKS['dashboard']}\nRunbook: {LINKS['runbook']}")


@pytest.mark.parametrize(
    ("reason", "state", "actions"),
    [
        ("escalation", "firing", [""]),
        ("repeat", "firing", ["", "notes"]),
        ("worse", "firing", ["", "notes"]),
        ("update", "firing", ["", "notes"]),
        ("acknowledged", "firing", ["acknowledge"]),
        ("resolved", "resolved", ["close"]),
    ],
)
def test_each_reason_has_its_action(
    genie: tuple[Vendor, Receiver], reason: str, state: str, actions: list[str]
) -> None:
    fake, receiver = genie
    receiver.send(notification(reason, state))
    assert fake.rejected == []
    shown = [unquote(path.removeprefix("/v2/alerts").split("?")[0]) for path in fake.paths]
    assert shown == [f"/g1/ä/{action}" if action else "" for action in actions]


def test_the_person_who_acknowledged_is_the_user(genie: tuple[Vendor, Receiver]) -> None:
    fake, receiver = genie
    receiver.send(notification("acknowledged", acknowledged_by="anne"))
    [body] = fake.accepted
    assert (body["user"], body["source"]) == ("anne", "driftd")


@pytest.mark.parametrize(("severity", "priority"), [("critical", "P1"), ("warning", "P3"), ("info", "P5")])
def test_the_priority_is_that_of_the_severity(genie: tuple[Vendor, Receiver], severity: str, priority: str) -> None:
    fake, receiver = genie
    receiver.send(notification(severity=severity))
    assert fake.accepted[0]["priority"] == priority


def test_a_test_leaves_no_open_alert(genie: tuple[Vendor, Receiver], grafana: tuple[Vendor, Receiver]) -> None:
    fake, receiver = genie
    receiver.send(trial("pager", id="t1", now=T0))
    assert fake.paths == ["/v2/alerts", "/v2/alerts/t1/close?identifierType=alias"]
    fake, receiver = grafana
    receiver.send(trial("pager", id="t1", now=T0))
    assert [(body["alert_uid"], body["state"]) for body in fake.accepted] == [("t1", "alerting"), ("t1", "ok")]


def test_a_wrong_key_is_refused_and_not_quoted(genie: tuple[Vendor, Receiver]) -> None:
    fake, _ = genie
    options = {"url": fake.url, "api_key": "wr0ng", "timeout_s": 5.0}
    receiver = build_receiver("opsgenie", "pager", options, io.StringIO())
    with pytest.raises(ReceiverRefused, match="responded 401") as raised:
        receiver.send(notification())
    assert "wr0ng" not in repr(raised.value)
    receiver.close()


@pytest.mark.parametrize("character", ["x", "\U0001f6a8", "ä b\n"])
@pytest.mark.parametrize("size", [0, 1, 150, 8000, 40_000])
def test_a_text_of_any_size_and_alphabet_is_within_the_limits(character: str, size: int) -> None:
    long = character * size
    line = long.replace("\n", " ")
    texts = Rendered(title=line[:250], summary=line[:1000], text=long, html="")
    links = dict.fromkeys(LINKS, "https://driftd.example.org/" + "a&" * 700)
    payload = {"links": links, "deployment": line[:60], "alerts": [{"labels": {"set": line[:600]}}]}
    for each in (payload, payload | {"links": LINKS}):
        alert(opsgenie_module.alert_of("g1", each, texts, tags=("tag",) * 17))
        formatted_webhook(grafana_module.message_of("g1", each, texts))


@pytest.mark.parametrize(("state", "shown"), [("firing", "alerting"), ("resolved", "ok")])
def test_grafana_gets_the_state_and_the_id_of_the_group(
    grafana: tuple[Vendor, Receiver], state: str, shown: str
) -> None:
    fake, receiver = grafana
    receiver.send(notification(state=state))
    assert fake.rejected == []
    [body] = fake.accepted
    assert (body["alert_uid"], body["state"]) == ("g1/ä", shown)
    assert body["link_to_upstream_details"] == LINKS["dashboard"]
    assert "gpt-4-0613" in body["message"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_client_error_is_a_refusal(
    genie: tuple[Vendor, Receiver], grafana: tuple[Vendor, Receiver], status: int
) -> None:
    for fake, receiver in (genie, grafana):
        fake.answers = [Answer(status)]
        with pytest.raises(ReceiverRefused, match=f"receiver 'pager' at 127.0.0.1:{fake.port} responded {status}$"):
            receiver.send(notification())


def test_a_busy_service_gets_its_pause_and_a_failure_is_retried(
    genie: tuple[Vendor, Receiver], grafana: tuple[Vendor, Receiver]
) -> None:
    for fake, receiver in (genie, grafana):
        fake.answers = [Answer(429, headers={"Retry-After": "30"}), Answer(500), Answer(reset=True)]
        with pytest.raises(ReceiverUnavailable, match=r"responded 429$") as raised:
            receiver.send(notification())
        assert raised.value.retry_after_s == 30.0
        for problem in ("responded 500", "the connection broke"):
            with pytest.raises(ReceiverUnavailable, match=problem) as raised:
                receiver.send(notification())
            assert "s3cret" not in repr(raised.value)
            assert API_KEY not in repr(raised.value)
        fake.answers.clear()
        receiver.send(notification())
        assert len(fake.accepted) == 1


def test_a_server_that_does_not_respond_is_unavailable() -> None:
    with opsgenie() as fake:
        fake.answers = [Answer(silent=True)]
        options = {"url": fake.url, "api_key": API_KEY, "timeout_s": 0.2}
        receiver = build_receiver("opsgenie", "pager", options, io.StringIO())
        with pytest.raises(ReceiverUnavailable, match="no response in time"):
            receiver.send(notification())
        receiver.close()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "give api_key or api_key_file"),
        ({"api_key": "with space"}, "ASCII characters without spaces"),
        ({"api_key": "k", "responders": [{"type": "team"}]}, "give exactly one of id, name and username"),
        ({"api_key": "k", "responders": [{"type": "team", "id": "1", "name": "ml"}]}, "give exactly one of"),
        ({"api_key": "k", "responders": [{"type": "team", "username": "anne"}]}, "a team has a name or an id"),
        ({"api_key": "k", "responders": [{"type": "user", "name": "anne"}]}, "a user has a username or an id"),
    ],
)
def test_settings_that_opsgenie_would_refuse_are_an_error(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        OpsgenieReceiver.model_validate({"kind": "opsgenie", **fields})


def test_the_address_is_that_of_the_region_or_of_the_configuration() -> None:
    urls = [
        OpsgenieReceiver.model_validate({"kind": "opsgenie", "api_key": "k", **fields}).options()["url"]
        for fields in ({}, {"region": "eu"}, {"api_url": "https://api.atlassian.com/jsm/ops/integration/"})
    ]
    assert urls == [
        "https://api.opsgenie.com",
        "https://api.eu.opsgenie.com",
        "https://api.atlassian.com/jsm/ops/integration",
    ]

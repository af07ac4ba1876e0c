"""Slack reports a press of the button Acknowledge, with a signature."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from pydantic import SecretStr

from monitor.api.callbacks.slack import is_signed
from monitor.domain.alert import AlertState, DeliveryState, Notification, NotifyReason
from monitor.store.findings import alerts
from tests.api.house import NOW, House, open_house, tokens_for_roles
from tests.api.rows import add_alert

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
PATH = "/api/v1/callbacks/slack/chat"
LATER = NOW + timedelta(minutes=5)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A daemon with tokens: callbacks need none. One group with two firing alerts was sent to `chat`."""
    secrets = {("slack_api", "chat"): SecretStr(SECRET), ("slack_api", "other"): SecretStr(SECRET)}
    with open_house(tmp_path, tokens=tokens_for_roles(), callback_secrets=secrets) as house:
        for number in (1, 2):
            add_alert(house, f"alert-{number}", group_id="group-1")
        add_alert(house, "alert-3", group_id="group-1", state=AlertState.RESOLVED, resolved_at=NOW)
        add_alert(house, "alert-9", group_id="group-9")
        sent = Notification(
            id="n1",
            alert_id="alert-1",
            group_id="group-1",
            receiver="chat",
            reason=NotifyReason.FIRST,
            payload={},
            state=DeliveryState.SENT,
            planned_at=NOW,
            sent_at=NOW,
        )
        with house.store.write() as tx:
            alerts.insert_notifications(tx, [sent])
        house.clock.instant = LATER
        yield house


def press(group: str = "group-1", /, *, at: datetime = LATER, **fields: Any) -> dict[str, Any]:
    """A payload of Slack's documentation, with the fields that matter here changed."""
    action = {
        "type": "button",
        "block_id": "VW1",
        "action_id": "acknowledge",
        "text": {"type": "plain_text", "text": "Acknowledge", "emoji": True},
        "value": group,
        "action_ts": f"{at.timestamp():.6f}",
    }
    return {
        "type": "block_actions",
        "team": {"id": "T9TK3CUKW", "domain": "example"},
        "user": {"id": "UA8RXUSPL", "username": "anne", "name": "anne", "team_id": "T9TK3CUKW"},
        "api_app_id": "AABA1ABCD",
        "container": {"type": "message", "message_ts": "1548261231.000200", "channel_id": "CBR2V3XEX"},
        "channel": {"id": "CBR2V3XEX", "name": "review-updates"},
        "actions": [action],
        **fields,
    }


def form(document: Any) -> bytes:
    return urlencode({"payload": json.dumps(document)}).encode()


def headers_for(body: bytes, sent_at: str, secret: str = SECRET) -> dict[str, str]:
    digest = hmac.new(secret.encode(), b"v0:" + sent_at.encode() + b":" + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": sent_at, "X-Slack-Signature": f"v0={digest}"}


def post(house: House, document: Any, *, path: str = PATH, headers: dict[str, str] | None = None) -> httpx.Response:
    body = document if isinstance(document, bytes) else form(document)
    signed = headers_for(body, str(int(house.clock.instant.timestamp()))) if headers is None else headers
    content_type = {"Content-Type": "application/x-www-form-urlencoded"}
    return house.ask("POST", path, content=body, headers=content_type | signed)


def acknowledged(house: House) -> dict[str, str | None]:
    with house.store.read() as tx:
        rows = [alerts.get(tx, f"alert-{number}") for number in (1, 2, 3, 9)]
    return {row.id: row.acknowledged_by for row in rows if row is not None}


def history(house: House, alert: str) -> list[tuple[str, str]]:
    items = house.get(f"/api/v1/alerts/{alert}/events", token="token-read").json()["items"]
    return [(item["kind"], item["who"]) for item in items]


NONE = dict.fromkeys(("alert-1", "alert-2", "alert-3", "alert-9"))
BOTH = NONE | dict.fromkeys(("alert-1", "alert-2"), "Slack: anne")


def test_the_signature_of_the_documentation_is_valid() -> None:
    """https://docs.slack.dev/authentication/verifying-requests-from-slack has this request."""
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
        b"&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
        b"&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
        b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    headers = {"x-slack-request-timestamp": "1531420618", "x-slack-signature": signature}
    sent_at = datetime.fromtimestamp(1531420618, NOW.tzinfo)
    assert is_signed(SECRET, headers, body, sent_at)
    assert not is_signed(SECRET, headers, body + b"&", sent_at)


def test_the_button_acknowledges_every_firing_alert_of_the_group(house: House) -> None:
    response = post(house, press())
    assert (response.status_code, response.json()) == (200, {"alerts": 2, "ignored": None})
    assert acknowledged(house) == BOTH
    assert history(house, "alert-1") == [("acknowledged", "Slack: anne")]
    assert house.wakes, "the loop that notifies runs at once"


def test_a_press_that_arrives_twice_has_one_effect(house: House) -> None:
    first, second = post(house, press()), post(house, press())
    assert first.json() == second.json()
    assert len(history(house, "alert-1")) == 1


def test_a_second_press_changes_nothing(house: House) -> None:
    post(house, press())
    house.clock.instant = LATER + timedelta(minutes=1)
    ben = {"id": "U2", "username": "ben"}
    again = post(house, press(at=house.clock.instant, user=ben))
    assert again.json() == {"alerts": 0, "ignored": "no firing alert of the group needs the change"}
    assert acknowledged(house) == BOTH


@pytest.mark.parametrize(
    ("user", "who"),
    [
        ({"id": "U2", "username": "ben"}, "Slack: ben"),
        ({"id": "U2"}, "Slack: U2"),
        ({}, "Slack"),
        ({"name": "a\x1b[31m" + "n" * 300}, None),
    ],
)
def test_the_author_is_the_name_in_slack(house: House, user: dict[str, str], who: str | None) -> None:
    assert post(house, press(user=user)).status_code == 200
    by = acknowledged(house)["alert-1"]
    assert by is not None
    assert by == who or (who is None and "\x1b" not in by and len(by) <= 107)


LINK = {"type": "button", "action_id": "open_dashboard", "action_ts": "1548426417.840180"}


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (press(actions=[LINK]), "the action is not the button Acknowledge"),
        (press(actions=[]), "the action is not the button Acknowledge"),
        (press(type="view_submission"), "the action is not the button Acknowledge"),
        (press("group-9"), "the receiver was not notified of this group"),
        (press("unknown"), "the receiver was not notified of this group"),
    ],
)
def test_other_actions_are_taken_and_have_no_effect(house: House, document: dict[str, Any], reason: str) -> None:
    response = post(house, document)
    assert (response.status_code, response.json()) == (200, {"alerts": 0, "ignored": reason})
    assert acknowledged(house) == NONE


def test_the_secret_of_one_receiver_has_no_power_over_groups_of_another(house: House) -> None:
    response = post(house, press(), path="/api/v1/callbacks/slack/other")
    assert response.json()["ignored"] == "the receiver was not notified of this group"


@pytest.mark.parametrize("age_s", [-301, 301, 86_400])
def test_a_request_that_is_not_of_these_minutes_is_refused(house: House, age_s: int) -> None:
    body = form(press())
    sent_at = str(int(LATER.timestamp()) - age_s)
    assert post(house, body, headers=headers_for(body, sent_at)).status_code == 401
    assert acknowledged(house) == NONE


@pytest.mark.parametrize("age_s", [-299, 299])
def test_a_request_of_these_minutes_is_taken(house: House, age_s: int) -> None:
    body = form(press())
    assert post(house, body, headers=headers_for(body, str(int(LATER.timestamp()) - age_s))).status_code == 200


@pytest.mark.parametrize("sent_at", ["", "now", "-1", "1e9", "9" * 400])
def test_a_time_of_another_form_is_refused(house: House, sent_at: str) -> None:
    body = form(press())
    assert post(house, body, headers=headers_for(body, sent_at)).status_code == 401


@pytest.mark.parametrize("signature", ["", "v0=", "v0=00", "v1=%s", "%s"])
def test_a_wrong_signature_is_refused_before_the_body_is_parsed(house: House, signature: str) -> None:
    body, now = b"{ no form", str(int(LATER.timestamp()))
    digest = headers_for(body, now)["X-Slack-Signature"].removeprefix("v0=")
    headers = {"X-Slack-Request-Timestamp": now, "X-Slack-Signature": signature.replace("%s", digest)}
    response = post(house, body, headers=headers)
    assert (response.status_code, response.json()["code"]) == (401, "invalid_signature")
    assert SECRET not in response.text


def test_the_signature_of_another_secret_is_refused(house: House) -> None:
    body = form(press())
    headers = headers_for(body, str(int(LATER.timestamp())), secret="another-secret-of-slack")
    assert post(house, body, headers=headers).status_code == 401


@pytest.mark.parametrize("name", ["console", "nobody"])
def test_a_receiver_without_a_secret_has_no_callback(house: House, name: str) -> None:
    response = post(house, press(), path=f"/api/v1/callbacks/slack/{name}")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"payload",
        b"payload={",
        b"payload=%7B%7D&payload=%7B%7D",
        b"payload=[]",
        "payload=é".encode(),
        form(press(actions=[LINK | {"action_ts": "soon"}])),
        form(press(user=3)),
    ],
)
def test_a_signed_body_that_is_not_an_interaction_is_refused(house: House, body: bytes) -> None:
    response = post(house, body)
    assert response.status_code == 422
    assert acknowledged(house) == NONE


def test_the_body_is_limited(house: House) -> None:
    assert post(house, b"payload=" + b" " * (1024 * 1024 + 1)).status_code == 413

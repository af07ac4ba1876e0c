"""The documented rules of PagerDuty's Events API v2. A check raises AssertionError for an event that breaks them.

https://developer.pagerduty.com/docs/send-alert-event and https://developer.pagerduty.com/docs/send-change-event
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from tests.alerting.notify.fakes.rules import fields, text
from tests.alerting.notify.fakes.vendor import Rules, Vendor, vendor

ROUTING_KEY = "R0123456789abcdefghijklmnopqrstu"
_ACTIONS = {"trigger", "acknowledge", "resolve"}


def event(body: Any) -> None:
    """An alert event. `acknowledge` and `resolve` need the dedup key, and `trigger` a payload."""
    _envelope(body)
    identity = {"routing_key": str, "event_action": str, "dedup_key": str}
    assert body["event_action"] in _ACTIONS
    if body["event_action"] != "trigger":
        fields("event", body, identity)
        _key(body)
        return
    fields("event", body, {**identity, "payload": dict}, {"links": list, "client": str, "client_url": str})
    _key(body)
    payload = body["payload"]
    optional = {"timestamp": str, "component": str, "group": str, "class": str, "custom_details": dict}
    fields("payload", payload, {"summary": str, "source": str, "severity": str}, optional)
    _summary(payload)
    assert payload["source"]
    assert payload["severity"] in {"critical", "error", "warning", "info"}
    _links(body)


def change_event(body: Any) -> None:
    """A change event. It has no action and no dedup key."""
    _envelope(body)
    fields("event", body, {"routing_key": str, "payload": dict}, {"links": list})
    payload = body["payload"]
    fields("payload", payload, {"summary": str}, {"source": str, "timestamp": str, "custom_details": dict})
    _summary(payload)
    _links(body)


def _envelope(body: Any) -> None:
    assert len(json.dumps(body, ensure_ascii=False).encode()) <= 512 * 1000, "the event is too large"
    assert body["routing_key"] == ROUTING_KEY, "the routing key is unknown"


def _key(body: Any) -> None:
    text("dedup_key", body["dedup_key"], 255)


def _summary(payload: Any) -> None:
    text("summary", payload["summary"], 1024)
    if "timestamp" in payload:
        assert datetime.fromisoformat(payload["timestamp"]).tzinfo is not None


def _links(body: Any) -> None:
    assert body.get("links") != [], "links is empty"
    for link in body.get("links", []):
        fields("link", link, {"href": str}, {"text": str})
        assert link["href"].startswith(("http://", "https://"))


CHECKS: Mapping[str, Callable[[Any], None]] = {"/v2/enqueue": event, "/v2/change/enqueue": change_event}
RULES = Rules(
    check=lambda path, body: CHECKS[path](body),
    accepted=(202, '{"status": "success", "message": "Event processed", "dedup_key": "x"}'),
    rejected='{"status": "invalid event", "message": "Event object is invalid", "errors": ["invalid"]}',
)


@contextmanager
def pagerduty() -> Iterator[Vendor]:
    """Serve the Events API; `url` is its base."""
    with vendor("pagerduty", RULES) as fake:
        fake.url = f"http://127.0.0.1:{fake.port}"
        yield fake

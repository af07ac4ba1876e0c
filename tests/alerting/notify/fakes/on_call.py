"""The documented rules of Opsgenie and Grafana IRM. A check raises AssertionError for a request that breaks them.

https://docs.opsgenie.com/docs/alert-api, https://docs.opsgenie.com/docs/alerts-and-alert-fields and
https://grafana.com/docs/grafana-cloud/alerting-and-irm/irm/integrations/custom-integrations/incoming-webhooks/oncall-webhooks/
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.alerting.notify.fakes.rules import fields, text
from tests.alerting.notify.fakes.vendor import Rules, Vendor, vendor

API_KEY = "eb243592-faa2-4ba2-a551-1afdf565c889"
_ACTIONS = {"acknowledge", "close", "notes"}
_IDENTITY = {
    "team": {"id", "name"},
    "user": {"id", "username"},
    "escalation": {"id", "name"},
    "schedule": {"id", "name"},
}


def alert(body: Any) -> None:
    """The body of a request that creates an alert."""
    optional = {"alias": str, "description": str, "priority": str, "source": str, "entity": str}
    fields("alert", body, {"message": str}, {**optional, "tags": list, "details": dict, "responders": list})
    limits = {"message": 130, "alias": 512, "description": 15_000, "source": 100, "entity": 512}
    for name, most in limits.items():
        if name in body:
            text(name, body[name], most)
    assert body.get("priority") in {None, "P1", "P2", "P3", "P4", "P5"}
    assert len(body.get("tags", [])) <= 20, "too many tags"
    for tag in body.get("tags", []):
        text("tag", tag, 50)
    details = body.get("details", {})
    assert all(isinstance(value, str) for value in details.values())
    assert sum(len(key) + len(value) for key, value in details.items()) <= 8000, "the details are too long"
    assert len(body.get("responders", [])) <= 50
    for responder in body.get("responders", []):
        assert set(responder) - {"type"} <= _IDENTITY[responder["type"]]
        assert len(responder) == 2


def action(body: Any) -> None:
    """The body of an action on an alert that exists."""
    fields("action", body, {}, {"user": str, "source": str, "note": str})
    for name, most in {"user": 100, "source": 100, "note": 25_000}.items():
        if name in body:
            text(name, body[name], most)


def _opsgenie(path: str, body: Any) -> None:
    address = urlsplit(path)
    parts = address.path.removeprefix("/v2/alerts").split("/")
    if parts == [""]:
        alert(body)
        return
    _, alias, name = parts
    assert alias
    assert name in _ACTIONS, f"there is no action {name}"
    assert parse_qs(address.query) == {"identifierType": ["alias"]}
    action(body)
    assert name != "notes" or body.get("note"), "a note is required"


def formatted_webhook(body: Any) -> None:
    """The fields that Grafana recognizes. It shows `image_url` as an image, so an empty one is not allowed."""
    known = ("alert_uid", "title", "message", "state", "link_to_upstream_details", "image_url")
    fields("webhook", body, {}, dict.fromkeys(known, str))
    assert body["state"] in {"ok", "alerting"}
    assert body["alert_uid"]
    for name in ("link_to_upstream_details", "image_url"):
        assert body.get(name, "https://").startswith(("http://", "https://"))


@contextmanager
def opsgenie() -> Iterator[Vendor]:
    """Serve the Alert API; `url` is its base."""
    rules = Rules(
        check=_opsgenie,
        accepted=(202, '{"result": "Request will be processed", "took": 0.1, "requestId": "43a29c5c"}'),
        rejected='{"message": "Request body is not processable. Please check the errors.", "took": 0.1}',
        authorization=f"GenieKey {API_KEY}",
    )
    with vendor("opsgenie", rules) as fake:
        fake.url = f"http://127.0.0.1:{fake.port}"
        yield fake


@contextmanager
def grafana_irm() -> Iterator[Vendor]:
    """Serve a formatted webhook; `url` contains the secret."""
    rules = Rules(check=lambda _path, body: formatted_webhook(body), accepted=(200, "Ok."), rejected="Bad request")
    with vendor("grafana_irm", rules) as fake:
        yield fake

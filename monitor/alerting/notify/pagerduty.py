"""A receiver that sends alerts to PagerDuty's Events API v2."""

import json
from collections.abc import Mapping
from typing import Any, TextIO

from monitor.alerting.notify.chat import cut, links_of, utf16_units
from monitor.alerting.notify.http import Poster
from monitor.alerting.render import Rendered, Templates, render
from monitor.alerting.sample import checked_templates
from monitor.domain.alert import Notification, NotifyReason

# PagerDuty allows 1024 characters of a summary and 512 kB of an event. UTF-16 code units are the shorter reading.
_MOST_SUMMARY = 1024
_MOST_BYTES = 512_000
_MOST_LINK = 2048
_SEVERITIES = {"critical": "critical", "warning": "warning", "info": "info"}  # PagerDuty's `error` has no counterpart
_ENTRY = ("id", "rule", "state", "severity", "summary", "labels", "fired_at", "resolved_at", "dashboard_url")


class PagerDuty:
    """Sends one event for each notification. The group of alerts is the incident: its id is the `dedup_key`.

    The event of a resolved group is `resolve`, that of an acknowledgement `acknowledge`, and any other `trigger`. A
    test triggers an incident and resolves it. A change event notifies no one. Poster describes responses and errors.
    """

    def __init__(self, poster: Poster, changes: Poster, routing_key: str, templates: Templates | None = None) -> None:
        """`poster` posts to `/v2/enqueue`, `changes` to `/v2/change/enqueue`."""
        self._poster, self._changes, self._routing_key, self._templates = poster, changes, routing_key, templates

    @property
    def name(self) -> str:
        return self._poster.name

    def reach(self) -> None:
        self._poster.reach()

    def send(self, notification: Notification) -> None:
        payload = notification.payload
        if notification.reason is NotifyReason.CHANGE:
            self._changes.post(change_event_of(self._routing_key, payload))
            return
        key = (payload.get("group") or {}).get("id") or notification.group_id or notification.alert_id
        identity = {"routing_key": self._routing_key, "dedup_key": key}
        action = action_of(payload)
        if action != "trigger":
            self._poster.post({**identity, "event_action": action})
            return
        self._poster.post(trigger_of(identity, payload, render(payload, self._templates)))
        if payload.get("reason") == "test":
            self._poster.post({**identity, "event_action": "resolve"})

    def close(self) -> None:
        self._poster.close()
        self._changes.close()


def action_of(payload: Mapping[str, Any]) -> str:
    """Return the `event_action` of a payload: trigger, acknowledge or resolve."""
    group = payload.get("group") or {"state": (payload.get("alert") or {}).get("state")}
    if group.get("state") == "resolved":
        return "resolve"
    return "acknowledge" if payload.get("reason") == NotifyReason.ACKNOWLEDGED.value else "trigger"


def trigger_of(identity: Mapping[str, str], payload: Mapping[str, Any], rendered: Rendered) -> dict[str, Any]:
    """Return the event that opens or updates the incident, with at most 512,000 bytes.

    `identity` has the routing key and the dedup key. An event that is too large loses its `custom_details`.
    """
    alert = payload.get("alert") or {}
    event: dict[str, Any] = {
        **identity,
        "event_action": "trigger",
        "client": "driftd",
        "payload": {
            "summary": cut(rendered.summary or rendered.title or "driftd", _MOST_SUMMARY, utf16_units),
            "source": str(payload.get("deployment") or "driftd"),
            "severity": _SEVERITIES.get(str(alert.get("severity")), "error"),
            **_optional(payload),
            "custom_details": _details(payload, rendered),
        },
    }
    links = _links(payload)
    if links:
        event["links"] = links
    dashboard = next((link["href"] for link in links if link["text"] == "Dashboard"), None)
    if dashboard is not None:
        event["client_url"] = dashboard
    return _within_limit(event)


def change_event_of(routing_key: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the change event of a payload of monitor/alerting/change_event.py, with at most 512,000 bytes."""
    details = {key: payload[key] for key in ("change", "baseline", "diff") if payload.get(key)}
    event: dict[str, Any] = {
        "routing_key": routing_key,
        "payload": {
            "summary": cut(str(payload["summary"]), _MOST_SUMMARY, utf16_units),
            "source": str(payload["deployment"]),
            "timestamp": payload["at"],
            "custom_details": {**details, **_versions(payload)},
        },
    }
    links = _links(payload)
    if links:
        event["links"] = links
    return _within_limit(event)


def _links(payload: Mapping[str, Any]) -> list[dict[str, str]]:
    return [
        {"href": address, "text": label} for label, address in links_of(payload) if len(address.encode()) <= _MOST_LINK
    ]


def _within_limit(event: dict[str, Any]) -> dict[str, Any]:
    """Return the event, without its details if it is too large."""
    if len(json.dumps(event).encode()) > _MOST_BYTES:
        event["payload"]["custom_details"] = {"omitted": "the details exceed 512 kB; the dashboard has them"}
    return event


def _versions(payload: Mapping[str, Any]) -> dict[str, str]:
    labels = {key: (payload.get(key) or {}).get("label") for key in ("from_version", "to_version")}
    return {key: str(label) for key, label in labels.items() if label}


def _optional(payload: Mapping[str, Any]) -> dict[str, str]:
    """Return the optional fields of the event that the payload has values for."""
    alert, group = payload.get("alert") or {}, payload.get("group") or {}
    production = payload.get("production") or {}
    values = {
        "timestamp": group.get("since") or alert.get("fired_at"),
        "component": (payload.get("set") or {}).get("name") or production.get("series") or payload.get("source"),
        "group": group.get("key"),
        "class": alert.get("rule"),
    }
    return {name: str(value) for name, value in values.items() if value}


def _details(payload: Mapping[str, Any], rendered: Rendered) -> dict[str, Any]:
    return {
        "text": rendered.text,
        "reason": payload.get("reason"),
        **_versions(payload),
        "alerts": [{key: each[key] for key in _ENTRY if key in each} for each in payload.get("alerts") or ()],
    }


def build(name: str, options: Mapping[str, Any], output: TextIO) -> PagerDuty:  # noqa: ARG001  the signature of a kind
    """Return a PagerDuty receiver. `options` has `routing_key`, `url` (without /v2), `timeout_s` and `templates`."""
    templates = checked_templates(name, options.get("templates", {}))
    poster, changes = (
        Poster(name, f"{options['url']}{path}", options["timeout_s"]) for path in ("/v2/enqueue", "/v2/change/enqueue")
    )
    return PagerDuty(poster, changes, options["routing_key"], templates)

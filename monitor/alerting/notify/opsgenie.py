"""A receiver that creates, acknowledges and closes alerts in Opsgenie or Jira Service Management."""

from collections.abc import Mapping, Sequence
from typing import Any, TextIO
from urllib.parse import quote

from monitor.alerting.notify.chat import cut, links_of, utf16_units
from monitor.alerting.notify.http import Poster
from monitor.alerting.render import Rendered, Templates, render
from monitor.alerting.sample import checked_templates
from monitor.domain.alert import Notification, NotifyReason

# https://docs.opsgenie.com/docs/alert-api: the limits in characters. UTF-16 code units are the shorter reading.
_MOST_MESSAGE = 130
_MOST_DESCRIPTION = 15_000
_MOST_NOTE = 25_000
_MOST_ALIAS = 512
_MOST_ENTITY = 512
_MOST_USER = 100
_MOST_TAGS = 20
_MOST_TAG = 50
_MOST_DETAIL = 300  # of one value; Opsgenie allows 8000 characters of all details
_PRIORITIES = {"critical": "P1", "warning": "P3", "info": "P5"}
_SOURCE = "driftd"


class Opsgenie:
    """Keeps one alert for each group of alerts: the id of the group is its alias.

    A first notification creates the alert. Later ones create it again, which Opsgenie counts as the same alert while
    it is open, and add a note with the newest text. An acknowledgement in driftd acknowledges the alert, and the
    resolution closes it. A test creates an alert and closes it. Poster describes responses and errors; 202 means that
    Opsgenie has queued the request.
    """

    def __init__(
        self,
        poster: Poster,
        api_key: str,
        *,
        responders: Sequence[Mapping[str, str]] = (),
        tags: Sequence[str] = (),
        templates: Templates | None = None,
    ) -> None:
        self._poster, self._templates = poster, templates
        self._headers = {"Authorization": f"GenieKey {api_key}"}
        self._responders, self._tags = responders, tags

    @property
    def name(self) -> str:
        return self._poster.name

    def reach(self) -> None:
        self._poster.reach()

    def send(self, notification: Notification) -> None:
        payload = notification.payload
        alias = _alias(notification)
        rendered = render(payload, self._templates)
        action = action_of(payload)
        if action == "create":
            self._create(alias, payload, rendered)
        else:
            self._post(action_body(payload, rendered), alias, action)
        if payload.get("reason") == "test":
            self._post(action_body(payload, rendered), alias, "close")

    def _create(self, alias: str, payload: Mapping[str, Any], rendered: Rendered) -> None:
        body = alert_of(alias, payload, rendered, tags=self._tags)
        if self._responders:
            body["responders"] = [dict(each) for each in self._responders]
        self._post(body)
        if payload.get("reason") not in {NotifyReason.FIRST.value, NotifyReason.ESCALATION.value, "test"}:
            self._post(action_body(payload, rendered), alias, "notes")

    def _post(self, body: Mapping[str, Any], alias: str = "", action: str = "") -> None:
        path = f"/{quote(alias, safe='')}/{action}?identifierType=alias" if action else ""
        self._poster.post(body, self._headers, path=path)

    def close(self) -> None:
        self._poster.close()


def action_of(payload: Mapping[str, Any]) -> str:
    """Return what the payload needs: create, acknowledge or close."""
    group = payload.get("group") or {"state": (payload.get("alert") or {}).get("state")}
    if group.get("state") == "resolved":
        return "close"
    return "acknowledge" if payload.get("reason") == NotifyReason.ACKNOWLEDGED.value else "create"


def alert_of(alias: str, payload: Mapping[str, Any], rendered: Rendered, *, tags: Sequence[str] = ()) -> dict[str, Any]:
    """Return the body that creates the alert. `tags` are those of the configuration."""
    alert = payload.get("alert") or {}
    deployment = str(payload.get("deployment") or "driftd")
    links = "".join(f"\n{label}: {address}" for label, address in links_of(payload) if len(address) <= _MOST_DETAIL)
    description = cut(rendered.text or rendered.summary or "driftd", _MOST_DESCRIPTION - len(links) - 2, utf16_units)
    own = [str(alert[key]) for key in ("rule", "severity") if alert.get(key)]
    unique = dict.fromkeys(cut(tag, _MOST_TAG, utf16_units) for tag in (*tags, *own, deployment))
    return {
        "message": cut(rendered.title or "driftd", _MOST_MESSAGE, utf16_units),
        "alias": alias,
        "description": f"{description}\n{links}" if links else description,
        "priority": _PRIORITIES.get(str(alert.get("severity")), "P3"),
        "source": _SOURCE,
        "entity": cut(deployment, _MOST_ENTITY, utf16_units),
        "tags": list(unique)[:_MOST_TAGS],
        "details": _details(payload, rendered),
    }


def action_body(payload: Mapping[str, Any], rendered: Rendered) -> dict[str, str]:
    """Return the body of an action on an alert that exists: a note, and the person who acknowledged it."""
    body = {"source": _SOURCE, "note": cut(rendered.text or rendered.title or "driftd", _MOST_NOTE, utf16_units)}
    who = (payload.get("alert") or {}).get("acknowledged_by")
    if payload.get("reason") == NotifyReason.ACKNOWLEDGED.value and who:
        body["user"] = cut(str(who), _MOST_USER, utf16_units)
    return body


def _details(payload: Mapping[str, Any], rendered: Rendered) -> dict[str, str]:
    """Return the custom properties of the alert: strings, for rules and filters in Opsgenie."""
    lead = next(iter(payload.get("alerts") or ()), None) or {}
    values = {
        "summary": rendered.summary,
        "alert_id": (payload.get("alert") or {}).get("id"),
        **{name: value for name, value in (lead.get("labels") or {}).items() if name != "severity"},
        **{label.lower(): address for label, address in links_of(payload)},
    }
    return {name: cut(str(value), _MOST_DETAIL, utf16_units) for name, value in values.items() if value}


def _alias(notification: Notification) -> str:
    key = (notification.payload.get("group") or {}).get("id") or notification.group_id or notification.alert_id
    return cut(str(key), _MOST_ALIAS, utf16_units)


def build(name: str, options: Mapping[str, Any], output: TextIO) -> Opsgenie:  # noqa: ARG001  the signature of a kind
    """Return an Opsgenie receiver.

    `options` has `url` (without /v2), `api_key` and `timeout_s`; optional are `responders`, `tags` and `templates`.
    """
    return Opsgenie(
        Poster(name, f"{options['url']}/v2/alerts", options["timeout_s"]),
        options["api_key"],
        responders=options.get("responders", ()),
        tags=options.get("tags", ()),
        templates=checked_templates(name, options.get("templates", {})),
    )

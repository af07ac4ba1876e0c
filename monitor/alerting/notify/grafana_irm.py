"""A receiver that posts alerts to a formatted webhook of Grafana IRM or Grafana OnCall."""

from collections.abc import Mapping
from typing import Any, TextIO

from monitor.alerting.notify.chat import cut, links_of, utf16_units
from monitor.alerting.notify.http import Poster
from monitor.alerting.render import Rendered, Templates, render
from monitor.alerting.sample import checked_templates
from monitor.domain.alert import Notification

_MOST_TITLE = 250
_MOST_MESSAGE = 15_000  # Grafana documents no limit; chat services behind it cut earlier


class GrafanaIrm:
    """Posts each notification with the id of the group as `alert_uid`, so that Grafana shows one alert group.

    A resolved group has the state `ok`, which resolves the alert group in Grafana. A test posts both states. Poster
    describes responses and errors.
    """

    def __init__(self, poster: Poster, templates: Templates | None = None) -> None:
        self._poster, self._templates = poster, templates

    @property
    def name(self) -> str:
        return self._poster.name

    def reach(self) -> None:
        self._poster.reach()

    def send(self, notification: Notification) -> None:
        payload = notification.payload
        uid = (payload.get("group") or {}).get("id") or notification.group_id or notification.alert_id
        message = message_of(str(uid), payload, render(payload, self._templates))
        self._poster.post(message)
        if payload.get("reason") == "test":
            self._poster.post({**message, "state": "ok"})

    def close(self) -> None:
        self._poster.close()


def message_of(uid: str, payload: Mapping[str, Any], rendered: Rendered) -> dict[str, str]:
    """Return the fields that the formatted webhook recognizes. `image_url` is left out: there is no image."""
    group = payload.get("group") or {"state": (payload.get("alert") or {}).get("state")}
    message = {
        "alert_uid": uid,
        "title": cut(rendered.title or "driftd", _MOST_TITLE, utf16_units),
        "message": cut(rendered.text or rendered.summary or "driftd", _MOST_MESSAGE, utf16_units),
        "state": "ok" if group.get("state") == "resolved" else "alerting",
    }
    dashboard = next((address for label, address in links_of(payload) if label == "Dashboard"), None)
    return message if dashboard is None else {**message, "link_to_upstream_details": dashboard}


def build(name: str, options: Mapping[str, Any], output: TextIO) -> GrafanaIrm:  # noqa: ARG001  the signature of a kind
    """Return a Grafana IRM receiver. `options` has `url`, `timeout_s` and `templates`."""
    templates = checked_templates(name, options.get("templates", {}))
    return GrafanaIrm(Poster(name, options["url"], options["timeout_s"]), templates)

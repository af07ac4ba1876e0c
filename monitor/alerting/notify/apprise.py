"""A receiver that sends alerts through the package apprise to any service that it knows. The package is optional."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, TextIO

from monitor.alerting.notify.base import ReceiverUnavailable
from monitor.alerting.notify.deadline import run_within
from monitor.alerting.render import Rendered, Templates, render
from monitor.alerting.sample import checked_templates
from monitor.domain.alert import Notification
from monitor.errors import ConfigError

INSTALL = "pip install 'apprise>=2.2,<3'"
_TYPES = {"critical": "failure", "warning": "warning", "info": "info"}
# apprise and the packages below it log addresses of services, which contain secrets.
_QUIET = {"apprise": logging.CRITICAL, "urllib3": logging.WARNING, "requests_oauthlib": logging.WARNING}


class AppriseReceiver:
    """Sends title and text of each notification to every URL.

    apprise reports only whether a service accepted the message, so every failure counts as unavailable. A retry sends
    the message to the services that did not accept it. Each notification is a new message: services get no identity
    of the group of alerts. After `timeout_s` seconds the receiver is unavailable, and the message can still arrive.
    """

    def __init__(
        self,
        name: str,
        services: Sequence[Any],
        timeout_s: float,
        templates: Templates | None = None,
    ) -> None:
        """`services` have the method `notify` of `apprise.Apprise`."""
        self.name = name
        self._services, self._timeout_s, self._templates = services, timeout_s, templates
        self._accepted: tuple[str, frozenset[int]] = ("", frozenset())  # id of the notification, indexes of services

    def reach(self) -> None:
        """Do nothing: apprise can only send."""

    def send(self, notification: Notification) -> None:
        message = message_of(notification.payload, render(notification.payload, self._templates))
        known, accepted = self._accepted
        done = accepted if known == notification.id else frozenset()
        for index, service in enumerate(self._services):
            if index not in done and self._is_accepted(service, message):
                done |= {index}
        self._accepted = (notification.id, done)
        missing = len(self._services) - len(done)
        if missing:
            raise ReceiverUnavailable(
                f"receiver {self.name!r}: {missing} of {len(self._services)} services did not accept the message"
            )

    def close(self) -> None:
        """Do nothing: apprise opens a connection for each message."""

    def _is_accepted(self, service: Any, message: Mapping[str, str]) -> bool:
        try:
            return bool(run_within(self._timeout_s, lambda: asyncio.to_thread(service.notify, **message)))
        except Exception as error:  # noqa: BLE001  a plugin of apprise can raise anything, with the URL in the text
            logging.getLogger(__name__).warning("receiver %s: apprise raised %s", self.name, type(error).__name__)
            return False


def message_of(payload: Mapping[str, Any], rendered: Rendered) -> dict[str, str]:
    """Return the arguments of `Apprise.notify`. The type is failure, warning or info; a resolution is a success."""
    group, alert = payload.get("group") or {}, payload.get("alert") or {}
    resolved = (group.get("state") or alert.get("state")) == "resolved"
    kind = "success" if resolved else _TYPES.get(str(alert.get("severity")), "warning")
    text = rendered.text or rendered.summary or "driftd"
    return {"title": rendered.title, "body": text, "notify_type": kind, "body_format": "text"}


def build(name: str, options: Mapping[str, Any], output: TextIO) -> AppriseReceiver:  # noqa: ARG001  of every kind
    """Return an apprise receiver. `options` has `service_urls`, one for each line, `timeout_s` and `templates`.

    Raises:
        ConfigError: The package apprise is missing, or a line is not one of its URLs.
    """
    templates = checked_templates(name, options.get("templates", {}))
    try:
        apprise = import_module("apprise")
    except ImportError:
        raise ConfigError(f"receiver {name!r}: the package apprise is not installed; run: {INSTALL}") from None
    for logger, level in _QUIET.items():
        logging.getLogger(logger).setLevel(level)
    lines = enumerate(str(options["service_urls"]).splitlines(), 1)
    services = [_service(apprise, name, number, line.strip()) for number, line in lines if line.strip()]
    return AppriseReceiver(name, services, options["timeout_s"], templates)


def _service(apprise: Any, name: str, number: int, url: str) -> Any:
    service = apprise.Apprise(asset=apprise.AppriseAsset(app_id="driftd", secure_logging=True))
    if not service.add(url):
        raise ConfigError(f"receiver {name!r}: line {number} of its service_urls is not a URL of apprise")
    return service

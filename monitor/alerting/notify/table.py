"""The kinds of receiver. A new kind is one file, one line here and its section of the configuration."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, TextIO

from monitor.alerting.notify.base import Receiver
from monitor.errors import ConfigError

# The module of a kind has `build(name, options, output)`. It is imported when the first receiver of the kind is built,
# because each kind imports packages that the others do not need.
RECEIVERS: Mapping[str, str] = {
    "alertmanager": "monitor.alerting.notify.alertmanager",
    "apprise": "monitor.alerting.notify.apprise",
    "console": "monitor.alerting.notify.console",
    "discord": "monitor.alerting.notify.discord",
    "email": "monitor.alerting.notify.email",
    "grafana_irm": "monitor.alerting.notify.grafana_irm",
    "opsgenie": "monitor.alerting.notify.opsgenie",
    "pagerduty": "monitor.alerting.notify.pagerduty",
    "slack": "monitor.alerting.notify.slack",
    "slack_api": "monitor.alerting.notify.slack_api",
    "teams": "monitor.alerting.notify.teams",
    "webhook": "monitor.alerting.notify.webhook",
}


def build_receiver(kind: str, name: str, options: Mapping[str, Any], output: TextIO) -> Receiver:
    """Return a receiver of this kind.

    `options` are the values of its section of the configuration. `output` is the standard output of the daemon.

    Raises:
        ConfigError: The kind is unknown, or a value is not valid.
    """
    if kind not in RECEIVERS:
        raise ConfigError(f"receiver {name!r}: kind {kind!r} is unknown; known: {', '.join(sorted(RECEIVERS))}")
    receiver: Receiver = import_module(RECEIVERS[kind]).build(name, options, output)
    return receiver

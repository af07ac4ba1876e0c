"""Checks receivers: they accept a connection and, with --notify, a test notification."""

from datetime import datetime
from typing import TextIO

from monitor import parts
from monitor.alerting.notify.base import Receiver
from monitor.alerting.trial import trial
from monitor.cli.checks.line import Line, fail, ok, warn
from monitor.config.tree import Config, ReceiverConfig
from monitor.domain.run import new_id
from monitor.errors import DriftdError


def check_receiver(name: str, section: ReceiverConfig, console: TextIO, *, notify: bool, now: datetime) -> Line:
    """Connect to a receiver; with `notify`, send a test notification."""
    check = f"receiver {name}"
    try:
        receiver = parts.receiver(name, section, console)
    except DriftdError as error:
        return fail(check, str(error))
    try:
        return _try(check, receiver, section.kind, notify=notify, now=now)
    except DriftdError as error:
        return fail(check, str(error))
    finally:
        receiver.close()


def check_unused(config: Config) -> list[Line]:
    """Return a warning for each receiver that gets no alerts."""
    return [
        warn(f"receiver {name}", "it gets no alerts: alerts.receivers does not name it")
        for name in config.receivers
        if name not in config.alerts.receivers
    ]


def _try(check: str, receiver: Receiver, kind: str, *, notify: bool, now: datetime) -> Line:
    if notify:
        receiver.send(trial(receiver.name, id=new_id("check", now), now=now))
        return ok(check, f"the {kind} receiver accepted a test notification")
    receiver.reach()
    if kind == "apprise":
        return ok(check, "its URLs are valid; --notify sends a test notification")
    if kind == "console":
        return ok(check, "its stream is writable")
    return ok(check, "it accepts connections; --notify sends a test notification")

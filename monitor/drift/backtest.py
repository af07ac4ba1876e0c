"""`driftd backtest`: one history in, its alerts out, as JSON documents. Pure: no state, no clock, no network."""

from collections.abc import Mapping
from typing import Any

from monitor.drift.backtest_json import read_history
from monitor.drift.detect.detector import DriftAlert, detect_alerts
from monitor.drift.detect.history import History


def backtest_document(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the alerts that a history would have raised. Raise MalformedRecord with the field that cannot be read."""
    return write_alerts(read_history(line))


def write_alerts(history: History) -> dict[str, Any]:
    return {"id": history.id, "alerts": [_document(alert) for alert in detect_alerts(history)]}


def _document(alert: DriftAlert) -> dict[str, Any]:
    evidence = {"p": alert.p} if alert.e is None else {"e": alert.e}
    return {
        "night": alert.night,
        "kind": alert.kind,
        "trigger": alert.trigger,
        "channel": alert.channel,
        "onset": alert.onset,
        "delta": alert.delta,
        "ci": None if alert.ci is None else [alert.ci.low, alert.ci.high],
        **evidence,
    }

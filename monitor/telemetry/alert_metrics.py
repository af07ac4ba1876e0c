"""The metrics of alerts and of their delivery."""

from monitor.telemetry.metric import Metric

ALERT_METRICS: tuple[Metric, ...] = (
    Metric(
        name="driftd.alerts.open",
        kind="gauge",
        unit="{alert}",
        description="Open alerts by state (pending or firing) and severity (info, warning or critical).",
        action="Read the alert with `driftd alerts list`.",
        labels=(
            "deployment",
            "state",
            "severity",
        ),
    ),
    Metric(
        name="driftd.alert.conditions",
        kind="gauge",
        unit="{condition}",
        description="Conditions of driftd's own health by alerting rule and state (firing, clear or unknown).",
        action="Each rule has a runbook with its name.",
        labels=(
            "rule",
            "deployment",
            "state",
        ),
    ),
    Metric(
        name="driftd.notification.deliveries",
        kind="counter",
        unit="{delivery}",
        description=(
            "Attempts to deliver a notification: sent, retrying (the receiver is unavailable) or refused. driftd "
            "repeats both failures."
        ),
        action="`retrying` and `refused`: see the runbook ReceiverFailing.",
        labels=(
            "kind",
            "state",
        ),
    ),
    Metric(
        name="driftd.notification.repetitions",
        kind="counter",
        unit="{repetition}",
        description="Repetitions of alerts to Alertmanager: sent (at least one peer accepted them) or failed.",
        action="After `failed`, no peer of Alertmanager accepts alerts: see the runbook ReceiverFailing.",
        labels=("state",),
    ),
    Metric(
        name="driftd.notification.undelivered",
        kind="gauge",
        unit="{notification}",
        description="Notifications that are not delivered yet.",
        action="See the runbook ReceiverFailing.",
        labels=("receiver",),
    ),
    Metric(
        name="driftd.notification.undelivered.age",
        kind="gauge",
        unit="s",
        description="Age of the oldest undelivered notification; 0 without one.",
        action="See the runbook ReceiverFailing.",
        labels=("receiver",),
    ),
)

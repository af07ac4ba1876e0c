"""Every metric of the daemon, declared once. `monitor.telemetry.describe` generates docs/daemon-metrics.md from it.

A label has few values: a constant of the code or a name of the configuration. It is never an id and never a text.
"""

from monitor.telemetry.alert_metrics import ALERT_METRICS
from monitor.telemetry.daemon_metrics import DAEMON_METRICS
from monitor.telemetry.ingest_metrics import INGEST_METRICS
from monitor.telemetry.judge_metrics import JUDGE_METRICS
from monitor.telemetry.metric import Metric
from monitor.telemetry.replay_metrics import REPLAY_METRICS

AREAS: dict[str, tuple[Metric, ...]] = {
    "Ingest": INGEST_METRICS,
    "Replays and verdicts": REPLAY_METRICS,
    "Judges": JUDGE_METRICS,
    "Alerts and their delivery": ALERT_METRICS,
    "The daemon": DAEMON_METRICS,
}
METRICS: tuple[Metric, ...] = tuple(metric for metrics in AREAS.values() for metric in metrics)
BY_NAME = {metric.name: metric for metric in METRICS}

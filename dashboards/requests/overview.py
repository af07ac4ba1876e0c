"""The state of all deployments, and the open alerts about driftd itself."""

from dataclasses import dataclass
from datetime import datetime

from dashboards.client import Client
from monitor.api.schema import AlertItem
from monitor.api.schema.overview import OverviewItem

DAEMON = "driftd"  # the deployment of alerts about the daemon
MOST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewRows:
    """The rows, the worst first. `now` is the daemon's clock; `warnings` and `alerts` concern all deployments."""

    now: datetime
    items: list[OverviewItem]
    warnings: list[str]
    alerts: list[AlertItem]


def read_overview(client: Client) -> OverviewRows:
    """Read the state of all deployments."""
    status = client.status()
    items = client.items("overview", OverviewItem, most=MOST)
    own = client.items("alerts", AlertItem, most=100, deployment=DAEMON)
    return OverviewRows(
        now=status.now,
        items=items,
        warnings=status.warnings,
        alerts=[alert for alert in own if alert.state != "resolved"],
    )

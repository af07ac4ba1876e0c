"""Checks the optional package of traffic reports."""

from monitor.cli.checks.line import Line, warn
from monitor.config.tree import Config
from monitor.jobs.traffic_reports.available import missing_package


def check_traffic_reports(config: Config) -> list[Line]:
    """Return a warning if traffic reports are enabled and their package is not installed; nothing otherwise."""
    if not config.traffic_reports.enabled or not config.deployments:
        return []
    missing = missing_package()
    return [warn("traffic reports", missing)] if missing else []

"""Build the checks of driftd's own health. app.py gives them to the check loop."""

from collections.abc import Sequence

from monitor.alerting.checks.condition import Check
from monitor.domain.policy import Policy
from monitor.jobs.alerting.replay_checks import ReplayCheck
from monitor.jobs.alerting.source_checks import DatabaseCheck, HealthSource, SourceCheck
from monitor.store.engine.database import Store


def checks(*, store: Store, policy: Policy, sources: Sequence[HealthSource]) -> list[Check]:
    """Return every check, the fastest first."""
    return [SourceCheck(sources), DatabaseCheck(store), ReplayCheck(store, policy)]

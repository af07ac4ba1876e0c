"""Build the checks of driftd's own health. app.py gives them to the check loop."""

from collections.abc import Sequence

from monitor.alerting.checks.condition import Check
from monitor.domain.policy import Policy
from monitor.ingest.counts import IngestCounts
from monitor.ingest.intake import Intake
from monitor.jobs.alerting.daemon_checks import DiskCheck, IngestCheck
from monitor.jobs.alerting.evaluation_checks import BudgetCheck, CandidateCheck, ChangeCheck, TargetCheck
from monitor.jobs.alerting.replay_checks import ReplayCheck
from monitor.jobs.alerting.source_checks import DatabaseCheck, HealthSource, SourceCheck
from monitor.store.engine.database import Store


def checks(
    *, store: Store, policy: Policy, sources: Sequence[HealthSource], intake: Intake, counts: IngestCounts
) -> list[Check]:
    """Return every check, the fastest first."""
    thresholds = policy.alerts.checks
    return [
        SourceCheck(sources),
        DatabaseCheck(store),
        IngestCheck(intake, counts.totals, thresholds),
        DiskCheck(store.path.parent, thresholds),
        TargetCheck(store, policy),
        ReplayCheck(store, policy),
        BudgetCheck(store, policy),
        ChangeCheck(store, policy),
        CandidateCheck(store, policy),
    ]

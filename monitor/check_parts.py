"""Build the checks of driftd's own health. app.py gives them to the check loop."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from monitor.alerting.checks.condition import Check, Condition
from monitor.alerting.notify.base import FailingPeer, Receiver
from monitor.clock import Clock
from monitor.domain.alert import Notification
from monitor.domain.policy import Policy
from monitor.ingest.counts import IngestCounts
from monitor.ingest.intake import Intake
from monitor.jobs.alerting.certificate_check import CertificateCheck, WatchedCertificate
from monitor.jobs.alerting.check_loop import CheckLoop
from monitor.jobs.alerting.daemon_checks import DiskCheck, IngestCheck, ReceiverCheck, TrafficCheck
from monitor.jobs.alerting.evaluation_checks import BudgetCheck, CandidateCheck, ChangeCheck, TargetCheck
from monitor.jobs.alerting.judge_checks import JudgeCheck
from monitor.jobs.alerting.replay_checks import ReplayCheck
from monitor.jobs.alerting.set_checks import SetCheck
from monitor.jobs.alerting.source_checks import AuditCheck, DatabaseCheck, HealthSource, SourceCheck, StoreCheck
from monitor.jobs.alerting.store_alert_loop import StoreAlertLoop
from monitor.jobs.alerting.watchdog_loop import WatchdogLoop
from monitor.store.access.audit_state import AuditChain
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from monitor.supervisor import Loop
from monitor.telemetry import GaugeValue
from replay.evalsets.sealing import Sealer


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """The loops that observe driftd's own health, and a reader of the newest conditions. `unstored` returns the
    notifications that a receiver got while the store could not be written.
    """

    loops: Sequence[Loop]
    conditions: Callable[[], Sequence[Condition]]
    unstored: Callable[[str], Sequence[Notification]]


def checks(
    *,
    store: Store,
    audit: AuditChain,
    policy: Policy,
    clock: Clock,
    telemetry: IngestCounts,
    sources: Sequence[HealthSource],
    result_sources: Sequence[HealthSource],
    intake: Intake,
    receivers: Mapping[str, Receiver],
    states: Callable[[], Mapping[str, str]],
    sealer_of: Callable[[str], Sealer | None],
    not_ready: Callable[[], str | None],
    failing_peers: Mapping[str, Callable[[], Sequence[FailingPeer]]] = MappingProxyType({}),
    certificates: Callable[[], Sequence[WatchedCertificate]] = list,
) -> Checks:
    """Return the loop over every check, the loop that notifies `receivers` when the store cannot be written, and the
    watchdog.

    `sources` are those of records, `result_sources` those of results of other tools.
    `states` returns the state of the writer and of each loop, `not_ready` why the daemon cannot work. `receivers` are
    used by these loops only. `failing_peers` returns the servers that fail, by name of a receiver with several.
    """
    thresholds = policy.alerts.checks
    every: list[Check] = [
        SourceCheck(sources),
        SourceCheck(result_sources, "ResultsNotImported"),
        DatabaseCheck(store),
        AuditCheck(audit),
        StoreCheck(states),
        IngestCheck(intake, telemetry.totals, thresholds),
        *([DiskCheck(store.path.parent, store.disk, thresholds)] if isinstance(store, FileStore) else []),
        TrafficCheck(store, policy),
        TargetCheck(store, policy),
        ReplayCheck(store, policy),
        BudgetCheck(store, policy),
        ChangeCheck(store, policy),
        CandidateCheck(store, policy),
        JudgeCheck(store, policy),
        SetCheck(store, policy, sealer_of),
        CertificateCheck(certificates),
        ReceiverCheck(store, policy.alerts.outbox_receivers, failing_peers),
    ]
    checking = CheckLoop(store=store, policy=policy, clock=clock, checks=every, telemetry=telemetry)
    telemetry.observe("driftd.alert.conditions", checking.values)
    watched = {name: one for name, one in receivers.items() if name in policy.alerts.watchdog.receivers}
    emergency = StoreAlertLoop(store=store, policy=policy, clock=clock, receivers=receivers, states=states)
    telemetry.observe("driftd.store.write.refused", lambda: [GaugeValue(value=emergency.refused_s())])
    watchdog = WatchdogLoop(policy=policy, clock=clock, receivers=watched, not_ready=not_ready)
    return Checks(loops=[checking, emergency, watchdog], conditions=checking.conditions, unstored=emergency.delivered)

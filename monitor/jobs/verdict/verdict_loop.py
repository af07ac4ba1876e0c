"""Judges every finished run by the nights of its set, and stores the finding."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from monitor.clock import Clock
from monitor.domain.finding import Finding, Verdict
from monitor.domain.policy import DriftPolicy, Policy
from monitor.domain.run import Run, new_id
from monitor.drift.detect.decision import Decision
from monitor.drift.detect.pinned_run import policy_with_pin
from monitor.drift.imported.conditions import is_imported
from monitor.drift.judge.accept_baseline import accepted_baseline, accepted_finding, nights_at_new_level, onset_run
from monitor.drift.judge.finding import unidentified_version_change
from monitor.errors import Retryable
from monitor.jobs.after_writes import AfterWrites
from monitor.jobs.replay.crash_limit import JUDGING, CrashLimit, crash_site
from monitor.jobs.verdict.experiments import InvestigationDependencies
from monitor.jobs.verdict.imported import describe_imports, hold_back_old, with_imported_cause
from monitor.jobs.verdict.root_cause import Alarm, investigate_alarm
from monitor.jobs.verdict.set_parts import Judging, judge_parts
from monitor.jobs.verdict.severity_gate import gate_finding
from monitor.jobs.verdict.verdict import Known, read_known
from monitor.jobs.verdict.watched import hold_back, judge_metrics, metrics_of, order_of_verdict
from monitor.store.engine.database import Store, Tx
from monitor.store.findings import baselines, findings, pins
from monitor.store.runs import runs
from monitor.store.traffic import versions
from monitor.telemetry import NO_TELEMETRY, Recorder, root_of

log = logging.getLogger(__name__)
THE_POLICY = "the policy"  # who accepted a baseline when no person did


class VerdictLoop:
    """Turns finished runs into findings. The nights are recomputed from stored outcomes each time, so a restart changes
    nothing.

    `forbidden_of` returns, by set, the failure category of forbidden content of each scorer that tests it. Without
    one, the severity gate has no findings.
    """

    name = "compare"
    poll_s = 2.0

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        dependencies: InvestigationDependencies,
        forbidden_of: Callable[[str], Mapping[str, str]] = lambda _: {},
        telemetry: Recorder = NO_TELEMETRY,
    ) -> None:
        self._store, self._policy, self._clock, self._telemetry = store, policy, clock, telemetry
        self._dependencies, self._forbidden_of = dependencies, forbidden_of
        self._crash_limit = CrashLimit(store, clock, telemetry)
        self._after_writes = AfterWrites(store, clock)
        self._imports_changed = True  # whether an imported run may have to be judged again

    def step(self) -> int:
        return self._after_writes.run(self._judge)

    def _judge(self) -> int:
        with self._store.read() as tx:
            waiting = [run for run in runs.uncompared(tx) if self._is_judged(run)]
            outdated = runs.outdated_imports(tx, self._clock.now()) if self._imports_changed else []
        self._imports_changed = any(map(is_imported, [*waiting, *outdated]))
        for run in [*waiting, *outdated]:
            self._try(run)
        return len(waiting) + len(outdated)

    def _is_judged(self, run: Run) -> bool:
        """Return whether the run gets a verdict: an imported run also where its deployment is not configured."""
        configured = run.deployment in self._policy.deployments
        return configured or (is_imported(run) and self._policy.default_drift is not None)

    def _try(self, run: Run) -> None:
        try:
            self._find(run)
        except Retryable:
            raise
        except Exception as error:  # noqa: BLE001  whatever one run breaks, the others go on
            self._crash_limit.crashed(run, JUDGING, error)

    def _find(self, run: Run) -> None:
        now = self._clock.now()
        finding_id = new_id("finding", now)
        attributes = {"driftd.finding_id": finding_id, "driftd.run_id": run.id}
        where = {"driftd.deployment": run.deployment, "driftd.set": run.set_name}
        without_pin = self._policy.drift_of(run.deployment)
        assert without_pin is not None, "only such runs are judged"
        links = [] if is_imported(run) else [root_of(run.id)]  # the run of another tool has no trace
        attributes |= where
        with self._telemetry.span("alert.finding", attributes, links=links, starts_trace=finding_id) as span:
            with self._store.read() as tx:
                known, pin = read_known(tx, run), pins.current(tx, run.deployment, run.set_name)
                policy = without_pin if pin is None else policy_with_pin(without_pin)
                order = Judging(run=run, known=known, policy=policy, pin=pin, without_pin=without_pin)
                metrics = metrics_of(tx, run)
                verdict, decision = judge_parts(tx, order_of_verdict(order, metrics), finding_id, now)
                finding = hold_back(tx, run, verdict, metrics.needed, policy)
                watched = judge_metrics(tx, order, metrics, finding, now)
                if is_imported(run):
                    alerts = self._policy.alerts
                    finding, *watched = describe_imports(tx, run, [finding, *watched], known.history, alerts, now)
                    finding = with_imported_cause(finding, run, known.opening, known.history)
            finding = self._explained(finding, run, known, policy)
            with self._store.write() as tx:
                finding = _with_change(tx, finding, run, decision, now)
                findings.insert(tx, finding)
                for each in watched:
                    findings.insert(tx, replace(each, change_id=each.change_id or finding.change_id))
                self._insert_gate_finding(tx, run, finding, policy)
                _accept_when_due(tx, finding, known, policy, now)
            span.set_attribute("driftd.verdict", finding.verdict.value)
            if finding.change_id is not None:
                span.set_attribute("driftd.change_id", finding.change_id)
        log.info("finding %s: %s %s: %s", finding.id, run.deployment, run.set_name, finding.reason)
        labels = {"deployment": run.deployment, "verdict": finding.verdict.value}
        self._telemetry.count("driftd.findings", 1, labels)

    def _insert_gate_finding(self, tx: Tx, run: Run, score: Finding, policy: DriftPolicy) -> None:
        forbidden = self._forbidden_of(run.set_name) if run.set_name in self._policy.sets else {}
        found = gate_finding(tx, run, score, policy, forbidden, finding_id=new_id("finding", score.at))
        if found is not None:
            found = hold_back_old(tx, run, found, self._policy.alerts, score.at)
            findings.insert(tx, found)
            log.info("finding %s: %s %s: %s", found.id, run.deployment, run.set_name, found.reason)

    def _explained(self, finding: Finding, run: Run, known: Known, policy: DriftPolicy) -> Finding:
        """Return the finding with its cause when it opens an alert. The cause is computed once for each alert, not
        every night.
        """
        evidence = finding.evidence
        alarms = finding.verdict is Verdict.REGRESSION and finding.held_back is None and not is_imported(run)
        if evidence is None or known.opening is not None or not alarms:
            return finding
        alarm = Alarm(run=run, evidence=evidence, comparison=finding.comparison, baseline_run=finding.baseline_run)
        try:
            cause = investigate_alarm(self._store, self._dependencies, alarm, policy)
        except Exception as error:  # noqa: BLE001  the message may quote a sealed text, so the location is logged
            log.warning("run %s: no cause is named, the search for it crashed: %s", run.id, crash_site(error))
            return finding
        return replace(finding, evidence=replace(evidence, cause=cause))


def _with_change(tx: Tx, finding: Finding, run: Run, decision: Decision | None, now: datetime) -> Finding:
    """Store an unidentified version as a change, once, with the finding of the night that detected it."""
    if (
        decision is None
        or decision.unidentified_version is None
        or finding.change_id is not None
        or run.version is None
        or is_imported(run)  # a change announces what driftd asks: another tool made this run
    ):
        return finding
    change = unidentified_version_change(finding, run.version, change_id=new_id("change", now), now=now)
    versions.insert_change(tx, change)
    runs.set_change(tx, run.id, change.id)  # this run has met it already: no replay is planned for it
    log.info("%s: another version than %s seems to answer", run.deployment, run.version)
    return replace(finding, change_id=change.id)


def _accept_when_due(tx: Tx, finding: Finding, known: Known, policy: DriftPolicy, now: datetime) -> None:
    """Accept the level of an open alert as the baseline after the number of nights that the policy sets."""
    opening, nights = known.opening, policy.accept_after_nights
    if nights is None or opening is None or finding.verdict is not Verdict.REGRESSION:
        return
    if nights_at_new_level(opening, known.history) < nights or baselines.of_finding(tx, opening.id) is not None:
        return
    onset = next((run for run in known.history if run.id == onset_run(opening)), None)
    if onset is None or onset.finished_at is None:
        return
    baseline = accepted_baseline(
        opening,
        onset.finished_at,
        baseline_id=new_id("baseline", now),
        who=THE_POLICY,
        reason=f"{nights} nights at the new level",
        now=now,
    )
    after = now + timedelta(microseconds=1)  # alerting reads findings in the order of their times
    baselines.accept(tx, baseline, accepted_finding(finding, baseline, finding_id=new_id("finding", now), at=after))

"""Compares every finished run with its baseline and writes the finding."""

import logging
from datetime import datetime

from monitor.clock import Clock
from monitor.domain.finding import Finding
from monitor.domain.ids import new_id
from monitor.domain.policy import Policy
from monitor.domain.run import Run
from monitor.drift.baseline import choose_baseline
from monitor.drift.finding import assemble
from monitor.drift.noise import aa_discordance, same_version_pairs
from monitor.store import alerts, findings, outcomes, runs, versions
from monitor.store.database import Store, Tx
from monitor.telemetry import SILENT, Recorder

log = logging.getLogger(__name__)
NOISE_PAIRS = 5  # same-version pairs of consecutive runs that estimate the noise floor


class CompareLoop:
    """Finished runs become findings."""

    name = "compare"
    poll_s = 2.0

    def __init__(self, *, store: Store, policy: Policy, clock: Clock, telemetry: Recorder = SILENT) -> None:
        self._store, self._policy, self._clock, self._telemetry = store, policy, clock, telemetry

    def step(self) -> int:
        with self._store.read() as tx:
            waiting = [run for run in runs.uncompared(tx) if run.deployment in self._policy.deployments]
        for run in waiting:
            self._find(run)
        return len(waiting)

    def _find(self, run: Run) -> None:
        now = self._clock.now()
        finding_id = new_id("finding", now)
        told = {"driftd.finding_id": finding_id, "driftd.run_id": run.id}
        where = {"driftd.deployment": run.deployment, "driftd.set": run.set_name}
        with self._telemetry.span("alert.finding", {**told, **where}, begins=finding_id) as span:
            with self._store.read() as tx:
                finding = self._compare(tx, run, finding_id, now)
            with self._store.write() as tx:
                findings.insert(tx, finding)
            span.set_attribute("driftd.verdict", finding.verdict.value)
        log.info("finding %s: %s %s: %s", finding.id, run.deployment, run.set_name, finding.reason)
        labels = {"deployment": run.deployment, "verdict": finding.verdict.value}
        self._telemetry.count("driftd.findings", 1, labels)

    def _compare(self, tx: Tx, run: Run, finding_id: str, now: datetime) -> Finding:
        history = runs.of_set(tx, run.deployment, run.set_name)
        policy = self._policy.deployments[run.deployment].drift
        change = versions.get_change(tx, run.change_id) if run.change_id else None
        open_alert = alerts.open_of_set(tx, run.deployment, run.set_name)
        baseline = choose_baseline(
            run,
            history,
            open_alert.baseline_run if open_alert else None,
            change=change,
            min_scored_share=policy.min_scored_share,
        )
        return assemble(
            candidate=run,
            candidate_results=outcomes.case_results(tx, run.id),
            baseline=baseline,
            baseline_results=outcomes.case_results(tx, baseline.run.id) if baseline else [],
            streaks=outcomes.passing_streaks(tx, run.deployment, run.set_name, run.id),
            aa_discordance=_noise(tx, history),
            policy=policy,
            change=change,
            finding_id=finding_id,
            now=now,
        )


def _noise(tx: Tx, history: list[Run]) -> float | None:
    """How often a case changes its verdict between two nights of one version."""
    pairs = same_version_pairs(history, NOISE_PAIRS)
    return aa_discordance([(outcomes.case_results(tx, a.id), outcomes.case_results(tx, b.id)) for a, b in pairs])

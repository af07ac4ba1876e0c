"""Judges the days of production traffic every night, and stores the new findings."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

from monitor.clock import Clock
from monitor.domain.finding import Finding, ProductionSeries
from monitor.domain.policy import DeploymentPolicy, Policy, SchedulePolicy
from monitor.domain.production import Series
from monitor.domain.run import new_id
from monitor.drift.production.evaluate import evaluate_series, oldest_day
from monitor.drift.production.finding import is_news, open_onset, series_finding
from monitor.drift.production.wording import detector_text, rate_window
from monitor.schedules.due import due_instant
from monitor.store.engine.database import Store
from monitor.store.findings import findings
from monitor.store.runs import runs
from monitor.store.traffic import daily_counts as production
from monitor.store.traffic.daily_counts import midnight
from monitor.store.turns import rates
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
CATCH_UP_S = 86_400.0  # the days of a stop are all judged by the night after it


class ProductionLoop:
    """Judges each deployment once a night. The days are recomputed from the stored calls and feedback, so a restart
    changes nothing.
    """

    name = "production"
    poll_s = 60.0

    def __init__(self, *, store: Store, policy: Policy, clock: Clock, telemetry: Recorder = NO_TELEMETRY) -> None:
        self._store, self._policy, self._clock, self._telemetry = store, policy, clock, telemetry
        self._schedule = SchedulePolicy(
            name=":production",  # no name that a configuration can give
            cron="0 1 * * *",  # an hour after the day ended, for calls that come late
            timezone="UTC",
            deployments=tuple(policy.deployments),
            catch_up_s=CATCH_UP_S,
        )

    def step(self) -> int:
        return sum(self._evaluate_if_due(deployment) for deployment in self._policy.deployments.values())

    def _evaluate_if_due(self, deployment: DeploymentPolicy) -> int:
        now, schedule = self._clock.now(), self._schedule.name
        with self._store.read() as tx:
            last = runs.last_instant(tx, schedule, deployment.name, now)
        if last is None:  # A new deployment starts now; the next night reads what is stored by then.
            with self._store.write() as tx:
                runs.record_instant(tx, schedule, deployment.name, now, now)
            return 0
        instant = due_instant(self._schedule, last, now)
        if instant is None:
            return 0
        found = self._judge(deployment, instant, now)
        with self._store.write() as tx:
            if runs.record_instant(tx, schedule, deployment.name, instant, now):
                for finding in found:
                    findings.insert(tx, finding)
        for finding in found:
            log.info("finding %s: %s %s: %s", finding.id, deployment.name, finding.subject.name, finding.reason)
            labels = {"deployment": deployment.name, "verdict": finding.verdict.value}
            self._telemetry.count("driftd.findings", 1, labels)
        return 1

    def _judge(self, deployment: DeploymentPolicy, instant: datetime, now: datetime) -> list[Finding]:
        """Return the new findings of each series, for its last complete day."""
        name, policy, today = deployment.name, deployment.production, instant.date()
        found: list[Finding] = []
        with self._store.read() as tx:
            days = production.days(tx, name, oldest_day(today, policy), today, policy)
            known = production.known(tx, name, [one for one in policy.series if one is not Series.TRAFFIC])
            previous = {series: findings.newest_of_series(tx, name, series) for series in known}
        for series, before in known.items():
            seen = evaluate_series(
                series,
                days,
                deployment=name,
                today=today,
                policy=policy,
                accepted=before.accepted,
                open_onset=open_onset(before.opening),
            )
            finding = series_finding(
                seen.verdict,
                ProductionSeries(series=series, day=seen.day),
                policy,
                deployment=name,
                finding_id=new_id("finding", now),
                now=now + timedelta(microseconds=len(found)),  # alerting reads findings in the order of their times
            )
            if seen.points.days and is_news(finding, previous[series]):
                found.append(self._with_detector(finding) if series is Series.IMPLICIT_CORRECTIONS else finding)
        return found

    def _with_detector(self, finding: Finding) -> Finding:
        """Return the finding on implicit corrections with the rate that is corrected for the detector."""
        evidence, subject = finding.production, finding.subject
        if evidence is None or not isinstance(subject, ProductionSeries):
            return finding
        first, after = rate_window(subject.day, evidence.onset)
        with self._store.read() as tx:
            rate, reviews = rates.adjusted(tx, finding.deployment, since=midnight(first), until=midnight(after))
        return replace(finding, production=replace(evidence, detector=detector_text(rate, reviews, first)))

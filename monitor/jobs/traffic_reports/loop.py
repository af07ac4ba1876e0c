"""Makes the nightly traffic reports: the last day of production traffic compared with the reference, in a process of
its own.
"""

import hashlib
import logging
import math
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any, Final, Protocol

import pyarrow as pa

from monitor.clock import Clock
from monitor.domain.finding import Finding
from monitor.domain.policy import DeploymentPolicy, Policy, TrafficReportPolicy
from monitor.domain.production import ProductionPolicy, Series
from monitor.domain.run import new_id
from monitor.domain.traffic_report import TrafficReport, TrafficReportKind, TrafficReportState
from monitor.drift.production.finding import is_news, traffic_finding
from monitor.drift.production.input_drift import TrafficWindow, evaluate_traffic
from monitor.drift.production.verdict import alpha_shares
from monitor.jobs.traffic_reports.process import ReportFiles, Stopped, TrafficReportFailed, run_worker
from monitor.jobs.traffic_reports.worker import NOW, REFERENCE
from monitor.schedules.due import due_instant
from monitor.store.engine.database import Store, Tx
from monitor.store.findings import findings, traffic_reports
from monitor.store.runs import runs
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
MOST_WINDOWS: Final = 400  # days of history that a verdict reads
_MAKING: Final = ".making-"  # folders of processes at work


class Worker(Protocol):
    def __call__(self, calls: pa.Table, folder: Path, *, timeout_s: float, stopping: Event) -> ReportFiles: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Windows:
    reference_since: datetime
    since: datetime
    until: datetime


class TrafficReportLoop:
    """Makes one traffic report for each deployment and night. A stop abandons the current report; the next start makes
    it.

    `folder` has one folder of pages for each deployment. Pages without a row are removed with the next traffic report.
    """

    name = "traffic_reports"
    poll_s = 60.0

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        settings: TrafficReportPolicy,
        folder: Path,
        clock: Clock,
        telemetry: Recorder = NO_TELEMETRY,
        worker: Worker = run_worker,
        missing: str | None = None,
    ) -> None:
        """`missing` is why no report can be made: the loop logs it once and does nothing else."""
        self.stopping = Event()
        self._store, self._policy, self._settings, self._folder = store, policy, settings, folder
        self._clock, self._telemetry, self._worker = clock, telemetry, worker
        self._missing_package = missing

    def step(self) -> int:
        if not self._settings.enabled or not self._policy.deployments:
            return 0
        if self._missing_package:
            log.warning("%s", self._missing_package)
            self._settings = replace(self._settings, enabled=False)
            return 0
        return sum(self._make_when_due(deployment) for deployment in self._policy.deployments.values())

    def _make_when_due(self, deployment: DeploymentPolicy) -> int:
        now, schedule = self._clock.now(), self._settings.schedule
        with self._store.read() as tx:
            last = runs.last_instant(tx, schedule.name, deployment.name, now)
        if last is None:  # A new deployment starts now; nights of the past get no report.
            with self._store.write() as tx:
                runs.record_instant(tx, schedule.name, deployment.name, now, now)
            return 0
        instant = due_instant(schedule, last, now)
        if instant is None or self.stopping.is_set():
            return 0
        try:
            traffic_report = self._traffic_report(deployment, instant, now)
        except Stopped:
            return 0
        self._keep(traffic_report, instant, now, deployment)
        return 1

    def _traffic_report(self, deployment: DeploymentPolicy, instant: datetime, now: datetime) -> TrafficReport:
        since = instant - timedelta(seconds=self._settings.window_s)
        windows = _Windows(
            reference_since=since - timedelta(seconds=self._settings.reference_s), since=since, until=instant
        )
        empty = TrafficReport(
            id=new_id("traffic-report", now),
            deployment=deployment.name,
            kind=TrafficReportKind.TRAFFIC,
            at=now,
            reference_since=windows.reference_since,
            since=windows.since,
            until=windows.until,
            state=TrafficReportState.FAILED,
            reason="",
        )
        missing = self._missing(deployment.name, windows)
        if missing:
            return replace(empty, state=TrafficReportState.INSUFFICIENT, reason=missing)
        try:
            return self._measured(empty, deployment)
        except TrafficReportFailed as error:
            return replace(empty, reason=str(error))
        except OSError as error:
            return replace(empty, reason=f"{self._folder} cannot be written: {error.strerror}")

    def _missing(self, deployment: str, windows: _Windows) -> str | None:
        """Return which window has too few calls; None when both have enough."""
        with self._store.read() as tx:
            counts = traffic_reports.count_calls(
                tx,
                deployment,
                reference_since=windows.reference_since,
                since=windows.since,
                until=windows.until,
            )
        needed = self._settings.min_calls
        if min(counts.reference, counts.now) >= needed:
            return None
        return f"{counts.now} calls in the window and {counts.reference} in the reference; {needed} are needed in each"

    def _measured(self, empty: TrafficReport, deployment: DeploymentPolicy) -> TrafficReport:
        windows = {REFERENCE: (empty.reference_since, empty.since), NOW: (empty.since, empty.until)}
        with self._store.read() as tx:
            calls = traffic_reports.calls(tx, deployment.name, windows, max_calls=self._settings.max_calls)
        home = self._folder / deployment.name
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=_MAKING, dir=home) as making:
            made = self._worker(calls, Path(making), timeout_s=self._settings.timeout_s, stopping=self.stopping)
            page = _keep_page(made.page, home / f"{empty.id}.html") if made.page else {}
        traffic_report = replace(
            empty,
            state=TrafficReportState.MADE,
            reason=f"{len(calls)} calls were compared",
            distances=made.distances,
            counts=made.counts,
            **page,
        )
        return replace(traffic_report, evidence=self._weigh(traffic_report, deployment))

    def _weigh(self, traffic_report: TrafficReport, deployment: DeploymentPolicy) -> dict[str, Any]:
        with self._store.read() as tx:
            before = traffic_reports.measured(tx, deployment.name, MOST_WINDOWS - 1)
        alike = [
            e for e in before if _lengths(e) == _lengths(traffic_report)
        ]  # distances depend on how much is compared
        policy = deployment.production
        evaluated = evaluate_traffic(
            [TrafficWindow(id=e.id, until=e.until, distances=e.distances) for e in [*alike, traffic_report]],
            alpha=alpha_shares(policy).get(Series.TRAFFIC, policy.alpha),
            horizon=policy.horizon_days,
        )
        return {
            "verdict": evaluated.verdict,
            "windows": evaluated.windows,
            "missing": evaluated.missing,
            "log_e": _finite(evaluated.log_e),
            "log_threshold": evaluated.log_threshold,
            "columns": {name: _finite(log_e) for name, log_e in evaluated.columns},
            "onset": evaluated.onset and evaluated.onset.isoformat(),
        }

    def _keep(
        self, traffic_report: TrafficReport, instant: datetime, now: datetime, deployment: DeploymentPolicy
    ) -> None:
        """Store the report, its finding and its instant in one transaction; then remove expired pages."""
        with self._store.write() as tx:
            runs.record_instant(tx, self._settings.schedule.name, traffic_report.deployment, instant, now)
            traffic_reports.insert(tx, traffic_report)
            evaluated = _traffic_finding(tx, traffic_report, deployment.production, now)
            traffic_reports.forget_pages(tx, traffic_report.deployment, keep=self._settings.keep_pages)
            traffic_reports.expire(tx, now - timedelta(seconds=self._settings.keep_numbers_s))
            kept = traffic_reports.paths(tx)
        labels = {"deployment": traffic_report.deployment, "state": traffic_report.state.value}
        self._telemetry.count("driftd.traffic_reports", 1, labels)
        if evaluated is not None:
            self._telemetry.count(
                "driftd.findings", 1, {"deployment": evaluated.deployment, "verdict": evaluated.verdict.value}
            )
            log.info("finding %s: %s traffic: %s", evaluated.id, evaluated.deployment, evaluated.reason)
        level = logging.WARNING if traffic_report.state is TrafficReportState.FAILED else logging.INFO
        log.log(
            level,
            "traffic report of %s %s: %s",
            traffic_report.deployment,
            traffic_report.state.value,
            traffic_report.reason,
        )
        self._sweep(self._folder / traffic_report.deployment, kept)

    def _sweep(self, home: Path, kept: set[str]) -> None:
        """Remove pages without a row, and the files that a killed daemon left."""
        for path in home.glob("*.html"):
            if f"{home.name}/{path.name}" not in kept:
                with suppress(OSError):  # the next traffic report tries again
                    path.unlink()
        for left in home.glob(f"{_MAKING}*"):
            shutil.rmtree(left, ignore_errors=True)


def _traffic_finding(tx: Tx, traffic_report: TrafficReport, policy: ProductionPolicy, now: datetime) -> Finding | None:
    """Store a finding when the traffic drifted."""
    if Series.TRAFFIC not in policy.series:
        return None
    previous = findings.newest_of_series(tx, traffic_report.deployment, Series.TRAFFIC)
    finding = traffic_finding(traffic_report, previous, policy, finding_id=new_id("finding", now), now=now)
    if finding is None or not is_news(finding, previous):
        return None
    findings.insert(tx, finding)
    return finding


def _lengths(traffic_report: TrafficReport) -> tuple[timedelta, timedelta]:
    return traffic_report.since - traffic_report.reference_since, traffic_report.until - traffic_report.since


def _keep_page(page: Path, place: Path) -> dict[str, Any]:
    """Move the page to its folder, readable by the daemon's user only, and return the fields that describe it."""
    page.chmod(0o600)
    page.replace(place)
    content = place.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return {"path": f"{place.parent.name}/{place.name}", "sha256": digest, "bytes": len(content)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

"""The gauges: values that are read at each scrape. Labels are names of the configuration or constants of the code."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from itertools import product

from monitor import ingest_parts
from monitor.alerting.severity import MILDEST_FIRST
from monitor.clock import Clock
from monitor.config import tree
from monitor.domain.alert import AlertState
from monitor.domain.budgets import budget_states
from monitor.domain.future_instant import TOLERANCE
from monitor.domain.policy import Policy
from monitor.errors import Retryable
from monitor.ingest.intake import Intake
from monitor.schedules.due import next_instant
from monitor.store.engine.database import Store
from monitor.store.engine.disk_reserve import DiskReserve, NoReserve
from monitor.store.findings import alerts, gauge_values
from monitor.store.results import imports
from monitor.store.runs import pauses, replay_history, spending
from monitor.store.traffic import feedback
from monitor.supervisor import Supervisor
from monitor.telemetry import GaugeValue, Instruments
from replay.run.budget import Spent

CORRECTION_WINDOW = timedelta(days=7)
BACKUPS_EVERY = timedelta(minutes=1)  # the audit log can be long
CORRECTIONS_EVERY = timedelta(minutes=5)  # counting the calls of a week costs too much for every scrape
Read = Callable[[], Iterable[GaugeValue]]


def observe(
    telemetry: Instruments, config: tree.Config, policy: Policy, *, store: Store, intake: Intake, clock: Clock
) -> None:
    """Register every gauge that reads the store, the intake or the clock."""
    alerting = AlertGauges(config, store, clock)
    sets = SetGauges(config, store, clock)

    def unlinked_feedback() -> Iterable[GaugeValue]:
        with store.read() as tx:
            found = feedback.count_unlinked(tx, clock.now(), ingest_parts.feedback_retry(config))
        yield GaugeValue(value=found.waiting, labels={"state": "waiting"})
        yield GaugeValue(value=found.given_up, labels={"state": "given_up"})

    telemetry.observe("driftd.feedback.unlinked", _while_readable(unlinked_feedback))
    telemetry.observe("driftd.intake.rows", lambda: [GaugeValue(value=intake.rows)])
    telemetry.observe("driftd.intake.oldest.age", lambda: [GaugeValue(value=intake.oldest_s)])
    telemetry.observe("driftd.intake.capacity", lambda: [GaugeValue(value=intake.capacity)])
    telemetry.observe("driftd.store.size", _while_readable(lambda: [GaugeValue(value=store.bytes_stored())]))
    _observe_disk(telemetry, store.disk)
    telemetry.observe("driftd.alerts.open", _while_readable(alerting.open))
    telemetry.observe("driftd.notification.undelivered", _while_readable(alerting.undelivered))
    telemetry.observe("driftd.notification.undelivered.age", _while_readable(alerting.oldest_undelivered))
    telemetry.observe("driftd.schedule.last_success.timestamp", _while_readable(sets.last_successes))
    telemetry.observe("driftd.set.pass_rate", _while_readable(sets.pass_rate))
    telemetry.observe("driftd.set.verdict.age", _while_readable(sets.verdict_age))
    results = ResultGauges(config, store, clock)
    telemetry.observe("driftd.results.waiting", _while_readable(results.waiting))
    telemetry.observe("driftd.results.age", _while_readable(results.age))
    telemetry.observe("driftd.production.correction_rate", _while_readable(sets.correction_rate))
    _observe_health(telemetry, policy, store=store, clock=clock)


def _observe_disk(telemetry: Instruments, disk: DiskReserve | NoReserve) -> None:
    """Register the gauges of the disk of a file. A lake has none."""
    if isinstance(disk, NoReserve):
        return
    telemetry.observe("driftd.disk.free", lambda: [GaugeValue(value=disk.space.free)])
    telemetry.observe("driftd.disk.size", lambda: [GaugeValue(value=disk.space.total)])
    telemetry.observe("driftd.disk.reserve", lambda: [GaugeValue(value=disk.space.reserve)])
    telemetry.observe("driftd.ingest.paused", lambda: [GaugeValue(value=int(disk.reached))])


def _observe_health(telemetry: Instruments, policy: Policy, *, store: Store, clock: Clock) -> None:
    """Register the gauges of late schedules, budgets, sentinels and backups."""
    evaluation, backups = EvaluationGauges(policy, store, clock), BackupGauge(store, clock)

    telemetry.observe("driftd.schedule.overdue", _while_readable(evaluation.overdue))
    telemetry.observe("driftd.budget.used", _while_readable(evaluation.budgets))
    telemetry.observe("driftd.sentinel.age", _while_readable(evaluation.sentinels))
    telemetry.observe("driftd.backup.last_success.timestamp", _while_readable(backups.last_success))


def observe_loops(telemetry: Instruments, supervisor: Supervisor) -> None:
    """Register the gauges of the progress of every loop."""
    telemetry.observe("driftd.loop.success.age", supervisor.success_ages)
    telemetry.observe("driftd.loop.overdue", supervisor.overdue)


class AlertGauges:
    """Gauges of open alerts and undelivered notifications."""

    def __init__(self, config: tree.Config, store: Store, clock: Clock) -> None:
        self._config, self._store, self._clock = config, store, clock

    def open(self) -> Iterable[GaugeValue]:
        with self._store.read() as tx:
            found = Counter((alert.deployment, alert.state, alert.severity) for alert in alerts.open_all(tx))
        states = (AlertState.PENDING, AlertState.FIRING)
        expected = set(product(self._config.deployments, states, MILDEST_FIRST))
        for deployment, state, severity in sorted(expected | set(found)):
            labels = {"deployment": deployment, "state": state.value, "severity": severity}
            yield GaugeValue(value=found[deployment, state, severity], labels=labels)

    def undelivered(self) -> Iterable[GaugeValue]:
        return self._by_receiver(lambda one: one.count)

    def oldest_undelivered(self) -> Iterable[GaugeValue]:
        """Yield the age in seconds of the oldest undelivered notification of each receiver; 0 without one."""
        now = self._clock.now()
        return self._by_receiver(lambda one: max(0.0, (now - one.since).total_seconds()))

    def _by_receiver(self, value: Callable[[alerts.Undelivered], float]) -> Iterable[GaugeValue]:
        with self._store.read() as tx:
            found = {one.receiver: value(one) for one in alerts.undelivered(tx)}
        for name in self._config.receivers:
            yield GaugeValue(value=found.get(name, 0.0), labels={"receiver": name})


class SetGauges:
    """Gauges of each configured set of each deployment, and of the corrections in production."""

    def __init__(self, config: tree.Config, store: Store, clock: Clock) -> None:
        self._config, self._store, self._clock = config, store, clock
        self._rates: dict[str, float] = {}  # by run, kept because a complete run does not change
        self._corrections: tuple[datetime, dict[str, float]] | None = None

    def pass_rate(self) -> Iterable[GaugeValue]:
        """Yield the pass rate of the newest complete run of each set."""
        with self._store.read() as tx:
            runs = gauge_values.newest_complete_runs(tx, self._clock.now())
            new = [run_id for pair, run_id in runs.items() if run_id not in self._rates and pair in self._pairs()]
            rates = self._rates | (gauge_values.pass_rates(tx, new) if new else {})
        self._rates = {run_id: rates[run_id] for run_id in runs.values() if run_id in rates}
        for pair, labels in self._pairs().items():
            if runs.get(pair) in self._rates:
                yield GaugeValue(value=self._rates[runs[pair]], labels=labels)

    def verdict_age(self) -> Iterable[GaugeValue]:
        """Yield the age in seconds of the last verdict of each set. A set without a verdict has no value."""
        with self._store.read() as tx:
            found = gauge_values.newest_verdicts(tx)
        now = self._clock.now()
        for pair, labels in self._pairs().items():
            if pair in found:
                yield GaugeValue(value=max(0.0, (now - found[pair]).total_seconds()), labels=labels)

    def last_successes(self) -> Iterable[GaugeValue]:
        """Yield when the newest complete replay of each schedule and deployment ended, in seconds since 1970-01-01."""
        with self._store.read() as tx:
            found = gauge_values.last_successes(tx)
        for schedule, section in self._config.schedules.items():
            for deployment in section.deployments:
                if (schedule, deployment) in found:
                    labels = {"schedule": schedule, "deployment": deployment}
                    yield GaugeValue(value=found[schedule, deployment].timestamp(), labels=labels)

    def correction_rate(self) -> Iterable[GaugeValue]:
        now = self._clock.now()
        if self._corrections is None or abs(now - self._corrections[0]) >= CORRECTIONS_EVERY:
            with self._store.read() as tx:
                self._corrections = now, gauge_values.correction_rates(tx, now - CORRECTION_WINDOW, now)
        for name in self._config.deployments:
            if name in self._corrections[1]:
                yield GaugeValue(value=self._corrections[1][name], labels={"deployment": name})

    def _pairs(self) -> dict[gauge_values.Pair, dict[str, str]]:
        return {
            (name, eval_set): {"deployment": name, "set": eval_set, "kind": self._config.sets[eval_set].kind}
            for name, deployment in self._config.deployments.items()
            for eval_set in deployment.sets
        }


class EvaluationGauges:
    """Gauges of schedules that are late, of budgets, and of sentinels that are not judged."""

    def __init__(self, policy: Policy, store: Store, clock: Clock) -> None:
        self._policy, self._store, self._clock = policy, store, clock

    def overdue(self) -> Iterable[GaugeValue]:
        """Yield the seconds since the first planned time after the newest complete replay of each schedule.

        A schedule that has not handled its first planned time has no value. A pause, and a blackout that skips, have no
        planned time.
        """
        now = self._clock.now()
        with self._store.read() as tx:
            successes, paused = gauge_values.last_successes(tx), pauses.of_schedules(tx)
            pairs = [(one, name) for one in self._policy.schedules.values() for name in one.deployments]
            handled = {
                (one.name, name): replay_history.handled(tx, one.name, name, now + TOLERANCE) for one, name in pairs
            }
        for schedule, name in pairs:
            first, done = handled[schedule.name, name], successes.get((schedule.name, name))
            if first is None:
                continue
            since, held = done or first.first, paused.get(schedule.name, ())
            missed = next_instant(schedule, since, deployment=name, pauses=held)
            late_s = 0.0 if missed is None else max(0.0, (now - missed).total_seconds())
            yield GaugeValue(value=late_s, labels={"schedule": schedule.name, "deployment": name})

    def budgets(self) -> Iterable[GaugeValue]:
        """Yield the used share of each limit of each daily and monthly budget."""
        for state in budget_states(self._policy.deployments.values(), self._spent_since, self._clock.now()):
            for limit in ("requests", "tokens", "usd"):
                allowed = getattr(state.budget, limit)
                if allowed is not None:
                    labels = {"deployment": state.deployment, "period": state.period.value, "limit": limit}
                    yield GaugeValue(value=getattr(state.spent, limit) / allowed, labels=labels)

    def sentinels(self) -> Iterable[GaugeValue]:
        with self._store.read() as tx:
            judged = gauge_values.sentinels_judged(tx)
        places = {(one.name, name) for one in self._policy.deployments.values() for name in one.sets}
        for deployment, name in sorted(places & judged.keys()):
            at = judged[deployment, name]
            seconds = max(0.0, (self._clock.now() - at).total_seconds())
            yield GaugeValue(value=seconds, labels={"deployment": deployment, "set": name})

    def _spent_since(self, begin: datetime) -> Mapping[str, Spent]:
        with self._store.read() as tx:
            return spending.since(tx, begin)


class BackupGauge:
    """The gauge of the newest backup. The audit log has it, so it survives restarts and includes every sender."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._read: tuple[datetime, datetime | None] | None = None  # when it was read, and the backup

    def last_success(self) -> Iterable[GaugeValue]:
        now = self._clock.now()
        if self._read is None or abs(now - self._read[0]) >= BACKUPS_EVERY:
            with self._store.read() as tx:
                self._read = now, gauge_values.last_backup(tx)
        if self._read[1] is not None:
            yield GaugeValue(value=self._read[1].timestamp())


class ResultGauges:
    """Gauges of the imports of results of other tools."""

    def __init__(self, config: tree.Config, store: Store, clock: Clock) -> None:
        self._config, self._store, self._clock = config, store, clock

    def waiting(self) -> Iterable[GaugeValue]:
        with self._store.read() as tx:
            found = imports.by_source(tx)
        for name in sorted({*self._config.ingest.results, *found}):
            yield GaugeValue(value=found[name].waiting if name in found else 0, labels={"source": name})

    def age(self) -> Iterable[GaugeValue]:
        """Yield the age in seconds of the newest complete import of each source. A source without one has no value."""
        with self._store.read() as tx:
            found = imports.by_source(tx)
        for name, newest in sorted(found.items()):
            if newest.completed_at is not None:
                seconds = (self._clock.now() - newest.completed_at).total_seconds()
                yield GaugeValue(value=max(0.0, seconds), labels={"source": name})


def _while_readable(read: Read) -> Read:
    """Return a reader that yields nothing while the store cannot be read. A missing value must not look like a zero."""

    def read_now() -> Iterable[GaugeValue]:
        try:
            yield from list(read())
        except Retryable:
            return

    return read_now

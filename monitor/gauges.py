"""The gauges: what is so at the moment somebody asks. Labels are names of the configuration or of the code."""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from itertools import product

from monitor import ingest_parts
from monitor.alerting.severity import MILDEST_FIRST
from monitor.clock import Clock
from monitor.config import tree
from monitor.domain.alert import AlertState
from monitor.errors import Retryable
from monitor.ingest.intake import Intake
from monitor.store.engine.connect import bytes_on_disk
from monitor.store.engine.database import Store
from monitor.store.findings import alerts
from monitor.store.findings import gauge_values as levels
from monitor.store.traffic import feedback
from monitor.telemetry import GaugeValue, Instruments

CORRECTION_WINDOW = timedelta(days=7)
CORRECTIONS_EVERY = timedelta(minutes=5)  # counting the calls of a week is too dear for every scrape
Read = Callable[[], Iterable[GaugeValue]]


def observe(telemetry: Instruments, config: tree.Config, *, store: Store, intake: Intake, clock: Clock) -> None:
    """Show every gauge that the store, the intake and the clock give."""
    alerting = AlertGauges(config, store, clock)
    sets = SetGauges(config, store, clock)

    def unlinked_feedback() -> Iterable[GaugeValue]:
        with store.read() as tx:
            found = feedback.count_unlinked(tx, clock.now(), ingest_parts.patience(config))
        yield GaugeValue(value=found.waiting, labels={"state": "waiting"})
        yield GaugeValue(value=found.given_up, labels={"state": "given_up"})

    telemetry.observe("driftd.feedback.unlinked", _while_readable(unlinked_feedback))
    telemetry.observe("driftd.intake.rows", lambda: [GaugeValue(value=intake.rows)])
    telemetry.observe("driftd.intake.capacity", lambda: [GaugeValue(value=intake.capacity)])
    telemetry.observe("driftd.store.size", lambda: [GaugeValue(value=bytes_on_disk(store.path))])
    telemetry.observe("driftd.alerts.open", _while_readable(alerting.open))
    telemetry.observe("driftd.notification.undelivered", _while_readable(alerting.undelivered))
    telemetry.observe("driftd.notification.undelivered.age", _while_readable(alerting.oldest_undelivered))
    telemetry.observe("driftd.set.pass_rate", _while_readable(sets.pass_rate))
    telemetry.observe("driftd.set.verdict.age", _while_readable(sets.verdict_age))
    telemetry.observe("driftd.production.correction_rate", _while_readable(sets.correction_rate))


class AlertGauges:
    """Open alerts, and what is not delivered."""

    def __init__(self, config: tree.Config, store: Store, clock: Clock) -> None:
        self._config, self._store, self._clock = config, store, clock

    def open(self) -> Iterable[GaugeValue]:
        with self._store.read() as tx:
            found = Counter((alert.deployment, alert.state, alert.severity) for alert in alerts.open_all(tx))
        states = (AlertState.PENDING, AlertState.FIRING)
        wanted = set(product(self._config.deployments, states, MILDEST_FIRST))
        for deployment, state, severity in sorted(wanted | set(found)):
            labels = {"deployment": deployment, "state": state.value, "severity": severity}
            yield GaugeValue(value=found[deployment, state, severity], labels=labels)

    def undelivered(self) -> Iterable[GaugeValue]:
        return self._by_receiver(lambda one: one.count)

    def oldest_undelivered(self) -> Iterable[GaugeValue]:
        """In seconds; 0 when everything has arrived."""
        now = self._clock.now()
        return self._by_receiver(lambda one: max(0.0, (now - one.since).total_seconds()))

    def _by_receiver(self, value: Callable[[alerts.Undelivered], float]) -> Iterable[GaugeValue]:
        with self._store.read() as tx:
            found = {one.receiver: value(one) for one in alerts.undelivered(tx)}
        for name in self._config.receivers:
            yield GaugeValue(value=found.get(name, 0.0), labels={"receiver": name})


class SetGauges:
    """Each configured set against each deployment, and the corrections of production."""

    def __init__(self, config: tree.Config, store: Store, clock: Clock) -> None:
        self._config, self._store, self._clock = config, store, clock
        self._rates: dict[str, float] = {}  # by run; a complete run does not change
        self._corrections: tuple[datetime, dict[str, float]] | None = None

    def pass_rate(self) -> Iterable[GaugeValue]:
        """Of the newest complete run."""
        with self._store.read() as tx:
            runs = levels.newest_complete_runs(tx, self._clock.now())
            new = [run_id for pair, run_id in runs.items() if run_id not in self._rates and pair in self._pairs()]
            rates = self._rates | (levels.pass_rates(tx, new) if new else {})
        self._rates = {run_id: rates[run_id] for run_id in runs.values() if run_id in rates}
        for pair, labels in self._pairs().items():
            if runs.get(pair) in self._rates:
                yield GaugeValue(value=self._rates[runs[pair]], labels=labels)

    def verdict_age(self) -> Iterable[GaugeValue]:
        """In seconds; nothing for a set without a verdict."""
        with self._store.read() as tx:
            found = levels.newest_verdicts(tx)
        now = self._clock.now()
        for pair, labels in self._pairs().items():
            if pair in found:
                yield GaugeValue(value=max(0.0, (now - found[pair]).total_seconds()), labels=labels)

    def correction_rate(self) -> Iterable[GaugeValue]:
        now = self._clock.now()
        if self._corrections is None or abs(now - self._corrections[0]) >= CORRECTIONS_EVERY:
            with self._store.read() as tx:
                self._corrections = now, levels.correction_rates(tx, now - CORRECTION_WINDOW, now)
        for name in self._config.deployments:
            if name in self._corrections[1]:
                yield GaugeValue(value=self._corrections[1][name], labels={"deployment": name})

    def _pairs(self) -> dict[levels.Pair, dict[str, str]]:
        return {
            (name, eval_set): {"deployment": name, "set": eval_set, "kind": self._config.sets[eval_set].kind}
            for name, deployment in self._config.deployments.items()
            for eval_set in deployment.sets
        }


def _while_readable(read: Read) -> Read:
    """Nothing while the store cannot be read: no answer now is not a zero."""

    def levels_now() -> Iterable[GaugeValue]:
        try:
            yield from list(read())
        except Retryable:
            return

    return levels_now

"""The health of the sources that driftd reads, and of its database, as conditions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from monitor.alerting.checks.condition import DAEMON, Condition, ConditionState
from monitor.jobs.alerting.store_alert_loop import RULE as STORE_READ_ONLY
from monitor.jobs.alerting.store_alert_loop import SUBJECT as STORE
from monitor.jobs.alerting.store_alert_loop import refused_write
from monitor.store.access.audit_state import AuditChain
from monitor.store.engine import losses
from monitor.store.engine.database import Store


class HealthSource(Protocol):
    """A source that reports its own health. A source without trouble is healthy only while it is progressing."""

    name: str

    @property
    def recovered(self) -> str:
        """Return the sentence that reports the recovery."""

    def trouble(self) -> str | None: ...

    @property
    def progressing(self) -> bool: ...


class SourceCheck:
    """Reports a source that stopped or makes no progress until it reads again. `rule` is the rule of its kind."""

    every_s = 2.0
    follows_runs = False

    def __init__(self, sources: Sequence[HealthSource], rule: str = "KafkaStalled") -> None:
        self._sources, self._rule = sources, rule
        self.rules = (rule,)

    def conditions(self, now: datetime) -> Iterator[Condition]:
        del now
        for source in self._sources:
            trouble = source.trouble()
            healthy = ConditionState.CLEAR if source.progressing else ConditionState.UNKNOWN
            yield Condition(
                rule=self._rule,
                deployment=DAEMON,
                subject=source.name,
                state=healthy if trouble is None else ConditionState.FIRING,
                reason=trouble or source.recovered,
            )


class DatabaseCheck:
    """Reports committed rows that are missing. An acknowledgement clears the condition."""

    rules = ("DatabaseRowsMissing",)
    every_s = 2.0
    follows_runs = False

    def __init__(self, store: Store) -> None:
        self._store = store

    def conditions(self, now: datetime) -> Iterator[Condition]:
        del now
        with self._store.read() as tx:
            waiting = losses.unacknowledged(tx)
        yield Condition(
            rule="DatabaseRowsMissing",
            deployment=DAEMON,
            subject="database",
            state=ConditionState.FIRING if waiting else ConditionState.CLEAR,
            reason=waiting[-1].sentence if waiting else "the missing rows of the database are acknowledged",
        )


class AuditCheck:
    """Reports a broken link of the audit log. An acknowledgement clears the condition."""

    rules = ("AuditLogBroken",)
    every_s = 2.0
    follows_runs = False

    def __init__(self, chain: AuditChain) -> None:
        self._chain = chain

    def conditions(self, now: datetime) -> Iterator[Condition]:
        del now
        found = self._chain.last
        if found is None:
            return
        reason = found.broken.reason if found.broken else "the broken links of the audit log are acknowledged"
        yield Condition(
            rule="AuditLogBroken",
            deployment=DAEMON,
            subject="audit log",
            state=ConditionState.FIRING if found.broken else ConditionState.CLEAR,
            reason=f"{reason}; see `driftd db audit`" if found.broken else reason,
        )


class StoreCheck:
    """Clears the alert about a store that could not be written. monitor/jobs/alerting/store_alert_loop.py opens it,
    because nothing can be stored at that time.
    """

    rules = (STORE_READ_ONLY,)
    every_s = 2.0
    follows_runs = False

    def __init__(self, states: Callable[[], Mapping[str, str]]) -> None:
        self._states = states

    def conditions(self, now: datetime) -> Iterator[Condition]:
        del now
        trouble = refused_write(self._states())
        yield Condition(
            rule=STORE_READ_ONLY,
            deployment=DAEMON,
            subject=STORE,
            state=ConditionState.CLEAR if trouble is None else ConditionState.UNKNOWN,
            reason=trouble or "the store accepts writes",
        )

"""The history of alerts: each change of state, with who and when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.alert import AlertEvent, AlertEventKind
from monitor.store.engine.append import row_of
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Tx


def insert(tx: Tx, events: Sequence[AlertEvent]) -> None:
    if events:
        rows = [row_of(event) | {"kind": event.kind.value} for event in events]
        tx.insert("alert_event", table_of(TABLES["alert_event"], rows))


def of_alert(tx: Tx, alert_id: str) -> list[AlertEvent]:
    """Return the events of the alert, oldest first."""
    rows = tx.query("alert_events_of", alert_id=alert_id)
    return [AlertEvent(**row | {"kind": AlertEventKind(row["kind"])}) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePrecision:
    """The number of alerts of a rule that fired, and of the verdicts that people gave on them."""

    rule: str
    fired: int
    true: int
    false: int
    expected: int

    @property
    def precision(self) -> float | None:
        """Return the share of the judged alerts that were right, expected ones included; None without a verdict."""
        judged = self.true + self.false + self.expected
        return None if judged == 0 else (self.true + self.expected) / judged


def precision(tx: Tx, *, since: datetime | None, deployment: str | None) -> list[RulePrecision]:
    """Return the verdicts on each rule, by name of the rule."""
    return [RulePrecision(**row) for row in tx.query("alert_precision", since=since, deployment=deployment)]

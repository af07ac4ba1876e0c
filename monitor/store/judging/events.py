"""The events of judges: one moved, or a person accepted how it judges now."""

from collections.abc import Mapping

from monitor.domain.sentinel import JudgeEvent
from monitor.store.engine.append import row_of
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.judging.identity import identity_of, identity_row

_EVENT = ("id", "deployment", "set_name", "scorer", "at", "kind", "who", "reason")


def insert(tx: Tx, event: JudgeEvent) -> None:
    tx.insert("judge_event", table_of(TABLES["judge_event"], [row_of(event) | identity_row(event.judge)]))


def newest(tx: Tx, deployment: str, set_name: str) -> Mapping[str, JudgeEvent]:
    """Return the newest event of each judge of a set, by scorer."""
    rows = tx.query("newest_judge_events", deployment=deployment, set_name=set_name)
    return {row["scorer"]: _event(row) for row in rows}


def of_scorer(tx: Tx, deployment: str, set_name: str, scorer: str, limit: int) -> list[JudgeEvent]:
    """Return the newest events of the judges of a scorer, the newest first."""
    rows = tx.query("judge_events_of_scorer", deployment=deployment, set_name=set_name, scorer=scorer, limit=limit)
    return [_event(row) for row in rows]


def _event(row: Row) -> JudgeEvent:
    return JudgeEvent(judge=identity_of(row), **{name: row[name] for name in _EVENT})

"""The measured health of sets: the newest measurement of each, and the figures of each day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from monitor.domain.health_day import CaseAges, HealthDay, RunDay
from monitor.store.aggregates.settled_days import midnight
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx

EXPOSURE: Final = ("budget", "max_exposure", "median_exposure", "over_budget", "revealed_cases")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredHealth:
    """A measurement. `inputs` identifies what it was computed from, `document` is the result as JSON. `concerns` is a
    JSON list of sentences, without that about the exposure.
    """

    revision: str
    inputs: str
    computed_at: datetime
    runs: int
    concerns: str
    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestHealth:
    """The newest measurement of a set, from the runs and the traffic of `deployments`.

    `concerns` has no sentence about the exposure. Figures are those of `HealthDay`.
    """

    set_name: str
    deployments: tuple[str, ...]
    revision: str
    computed_at: datetime
    runs: int
    concerns: tuple[str, ...]
    cases: int
    saturation: float | None
    distant: float | None
    budget: int | None
    max_exposure: int | None
    over_budget: int | None
    median_age_days: float | None


def inputs(tx: Tx, set_name: str, deployments: Sequence[str], since: datetime, most: int) -> str | None:
    """Return what identifies the runs, calls and corrections behind the health of the set; None while results of a run
    are not stored.

    Calls are those that started at `since` or later. From `most` calls or corrections on, new ones change nothing.
    """
    [row] = tx.query("set_health_inputs", name=set_name, deployments=list(deployments), since=since, most=most)
    return None if row["unsettled"] else to_json(list(row.values()))


def newest(tx: Tx, set_name: str, deployments: Sequence[str]) -> StoredHealth | None:
    row = tx.one("newest_set_health", name=set_name, deployments=_key(deployments))
    return StoredHealth(**row) if row else None


def newest_of_sets(tx: Tx) -> list[NewestHealth]:
    """Return the newest measurement of each set and each group of deployments."""
    return [_newest(tx, row) for row in tx.query("newest_health_of_sets")]


def put(tx: Tx, set_name: str, deployments: Sequence[str], found: StoredHealth) -> None:
    """Store a measurement in place of the older one."""
    key = {"set_name": set_name, "deployments": _key(deployments)}
    tx.execute("replace_set_health", name=set_name, deployments=key["deployments"])
    tx.insert("set_health", table_of(TABLES["set_health"], [row_of(found) | key]))


def put_day(tx: Tx, set_name: str, deployments: Sequence[str], found: HealthDay) -> None:
    """Store the figures of a day in place of older ones."""
    key = {"set_name": set_name, "deployments": _key(deployments)}
    tx.execute("replace_health_day", name=set_name, deployments=key["deployments"], day=found.day)
    tx.insert("set_health_day", table_of(TABLES["set_health_day"], [row_of(found) | key]))


def remove_days(tx: Tx, set_name: str, deployments: Sequence[str], since: date, until: date) -> None:
    """Remove the figures of the days of [since, until)."""
    tx.execute("remove_health_days", name=set_name, deployments=_key(deployments), since=since, until=until)


def days(tx: Tx, set_name: str, deployments: Sequence[str], since: date) -> list[HealthDay]:
    """Return the stored days from `since` on, the oldest first.

    A sender with a limit does not see the exposure of a set that other deployments share.
    """
    rows = tx.query("health_days", name=set_name, deployments=_key(deployments), since=since)
    return [HealthDay(**_visible(tx, set_name, row)) for row in rows]


def run_days(tx: Tx, set_name: str, deployments: Sequence[str], since: date) -> list[RunDay]:
    """Return the days from `since` on with complete runs of the set, the oldest first."""
    rows = tx.query("run_days_of_set", name=set_name, deployments=list(deployments), since=midnight(since))
    return [RunDay(**row) for row in rows]


def case_ages(tx: Tx, set_name: str, revision: str, at: datetime) -> CaseAges:
    """Return the ages of the cases of a revision at a time."""
    [row] = tx.query("case_ages", name=set_name, revision=revision, at=at)
    return CaseAges(**row)


def forget(tx: Tx, set_name: str) -> None:
    """Remove the measurements of a set of which cases are erased. The figures of days name no case and stay."""
    tx.execute("forget_set_health", name=set_name)


def _key(deployments: Sequence[str]) -> str:
    return to_json(list(deployments))


def _newest(tx: Tx, row: Row) -> NewestHealth:
    lists = {name: tuple(from_json(row[name])) for name in ("deployments", "concerns")}
    return NewestHealth(**_visible(tx, row["set_name"], row) | lists)


def _visible(tx: Tx, set_name: str, row: Row) -> Row:
    """Return the row without the exposure if the sender has a limit and other deployments share the set."""
    if tx.limit is None or set_name in tx.limit.own_sets:
        return row
    return row | {name: None for name in EXPOSURE if name in row}

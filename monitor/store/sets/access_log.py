"""The access log of sealed cases: written before every request, read by set, case and time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from monitor.domain.evalset import AccessEntry, CaseExposure, Replayed
from monitor.domain.run import Run
from monitor.store.engine.append import row_of
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from replay.call_log import CallStart
from replay.types import TargetConditions

RECENT = timedelta(days=30)


def replayed(run: Run, conditions: TargetConditions, kind: str = "replay") -> Replayed:
    """Return the identification of a run in the access log."""
    return Replayed(
        kind=kind,
        deployment=run.deployment,
        set_name=run.set_name,
        revision=run.revision,
        run_id=run.id,
        provider=urlsplit(conditions.base_url).netloc.rpartition("@")[2] or conditions.kind,
        model=conditions.model,
    )


def record(tx: Tx, access: Replayed, started: Sequence[CallStart], unused: Sequence[CallStart] = ()) -> None:
    """Record that these cases are about to be sent: one row for each case, with the number of requests. The requests
    `unused` were recorded and not sent; a row with a negative number takes them back.
    """
    calls = Counter(call.case_id for call in started)
    calls.subtract(call.case_id for call in unused)
    last = {call.case_id: call.at for call in sorted([*started, *unused], key=lambda call: call.at)}
    entries = [row_of(access) | {"case_id": i, "calls": count, "at": last[i]} for i, count in calls.items() if count]
    if entries:
        tx.insert("case_replay", table_of(TABLES["case_replay"], entries))


def page(tx: Tx, set_name: str, case_id: str | None, q: PageQuery) -> Page[AccessEntry]:
    """Return the access log of a set, the newest first: one entry for each run and each reveal, of one case if it is
    named.
    """
    return fetch_page(tx, "page_accesses", q, _entry, at="at", tie="tie", set_name=set_name, case_id=case_id)


def exposures(tx: Tx, set_name: str, revision: str, now: datetime, until: datetime | None = None) -> list[CaseExposure]:
    """Return the exposure of every case of the revision, by position. `until` leaves out later accesses."""
    rows = tx.query("exposures_of_revision", name=set_name, revision=revision, since=now - RECENT, until=until)
    return [CaseExposure(**row) for row in rows]


def _entry(row: Row) -> AccessEntry:
    return AccessEntry(**{name: value for name, value in row.items() if name != "tie"})


def providers(tx: Tx, set_name: str) -> Mapping[str, int]:
    """Return the number of calls with a case of the set, by endpoint."""
    return {row["provider"]: row["calls"] for row in tx.query("providers_of_set", name=set_name)}

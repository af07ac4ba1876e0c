"""Interactions: appended once each, read by page, by id and for change detection."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from monitor.domain.feedback import Feedback, LinkCandidate, LinkMethod
from monitor.domain.interaction import Interaction
from monitor.domain.version import ObservedIdentity
from monitor.store.aggregates import settled_days
from monitor.store.engine.append import Inserted, append_columns, row_of
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import KEYS_OF_FEEDBACK, table_of
from monitor.store.engine.transaction import Tx
from monitor.store.traffic.interaction_codec import interaction_columns
from monitor.store.traffic.interaction_row import to_interaction
from monitor.store.traffic.late_texts import insert_content, join_content
from monitor.store.traffic.recent_ids import BEGINNING, END, RecentIds

__all__ = [
    "IdentityCount",
    "Inserted",
    "count",
    "find_for_link",
    "get",
    "identity_windows",
    "insert",
    "insert_content",
    "join_content",
    "latest_identities",
    "page",
    "unmonitored",
]

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# A call has its own time, so a resent call has the same time except for rounding. Every commit reads the ids of this
# window: with a million calls in the last hour, reading them costs twice as much as the rest of the insert.
RESEND_MARGIN: Final = timedelta(seconds=2)
MAX_UNMONITORED: Final = 20  # reported names


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityCount:
    """The number of calls that one identity served, and the fields of its newest interaction."""

    identity: str
    count: int
    first_seen: datetime
    last_seen: datetime
    request_model: str | None
    response_model: str | None
    prompt_id: str | None
    prompt_version: str | None
    prompt_hash: str | None
    system_fingerprint: str | None


def insert(tx: Tx, rows: Sequence[Interaction], limited_to: str | None = None) -> Inserted:
    """Append new interactions. `limited_to` has the deployments of a limited sender, as JSON."""
    columns = {**interaction_columns(rows), "limited_to": [limited_to] * len(rows)}
    settled_days.unsettle(tx, columns["deployment"], columns["started_at"])
    recent = _recent_ids(tx, max(columns["received_at"])) if rows else None
    return append_columns(
        tx, "insert_new_interactions", "interaction", columns, at="started_at", margin=RESEND_MARGIN, recent=recent
    )


def _recent_ids(tx: Tx, now: datetime) -> RecentIds | None:
    """Return the ids that this cursor appended. Of older rows it knows only the range of times."""
    if tx.kept is None:
        return None
    if tx.kept.recent is None:
        [known] = tx.query("nearest_start_times", now=now)
        tx.kept.recent = RecentIds(
            complete_after=known["newest_before"] or BEGINNING, complete_before=known["oldest_after"] or END
        )
    return tx.kept.recent


def page(tx: Tx, q: PageQuery) -> Page[Interaction]:
    return fetch_page(tx, "page_interactions", q, to_interaction, at="started_at")


def page_of_traces(
    tx: Tx,
    q: PageQuery,
    *,
    traces: Sequence[str] = (),
    spans: Sequence[str] = (),
    parents: Sequence[str] = (),
    statuses: Sequence[str] = (),
) -> Page[Interaction]:
    """Return production calls with a span id, without duplicates. An empty list matches all; the parent "null" matches
    roots.
    """
    named: dict[str, Any] = {
        "traces": list(traces),
        "spans": list(spans),
        "parents": list(parents),
        "statuses": list(statuses),
    }
    return fetch_page(tx, "page_calls_of_traces", q, to_interaction, at="started_at", **named)


def get(tx: Tx, interaction_id: str) -> Interaction | None:
    row = tx.one("interaction_by_id", id=interaction_id)
    return to_interaction(row) if row else None


def count(tx: Tx, deployment: str | None = None) -> int:
    """Return the number of production interactions."""
    return int(tx.query("count_interactions", deployment=deployment)[0]["interactions"])


def unmonitored(tx: Tx, monitored: Sequence[str], since: datetime) -> dict[str, int]:
    """Return the number of production interactions since then by unmonitored deployment, the largest number first."""
    rows = tx.query("unmonitored_interactions", monitored=list(monitored), since=since, limit=MAX_UNMONITORED)
    return {row["deployment"]: int(row["interactions"]) for row in rows}


def identity_windows(tx: Tx, deployment: str, since: datetime) -> list[IdentityCount]:
    """Return the identities that served successful production interactions since then, the first seen first."""
    return [IdentityCount(**row) for row in tx.query("identity_windows", deployment=deployment, since=since)]


def latest_identities(tx: Tx, deployment: str, limit: int, until: datetime) -> list[ObservedIdentity]:
    """Return the identities of the newest production interactions before `until`, the newest first."""
    rows = tx.query("latest_identities", deployment=deployment, limit=limit, until=until)
    return [ObservedIdentity(**row) for row in rows]


def find_for_link(tx: Tx, feedback: Sequence[Feedback], since: datetime = EPOCH) -> list[LinkCandidate]:
    """Return the production interactions that match a key of each feedback record, preferably of its own deployment.

    A match with a duplicate returns the kept report. A trace or a conversation returns one match only. Interactions
    that started before `since` are not searched, which makes the search of recent ones fast.
    """
    if not feedback:
        return []
    keys = table_of(KEYS_OF_FEEDBACK, [row_of(item) | {"feedback_id": item.id} for item in feedback])
    rows = tx.query("interactions_for_feedback", batch=keys, since=since)
    return [LinkCandidate(**row | {"method": LinkMethod(row["method"])}) for row in rows]

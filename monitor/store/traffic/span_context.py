"""Attributes that calls inherit from other spans of their trace, whether these arrive before or after the call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from monitor.domain.interaction import Document, InheritedAttributes, Interaction
from monitor.store.aggregates import settled_days
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import documents_from_json, documents_to_json
from monitor.store.engine.schema import FILLED_AROUND, IDS, TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.traffic.call_revisions import revise
from monitor.store.traffic.interaction_row import to_interaction

Identify = Callable[[Interaction], str | None]
MOST_SPANS = 1_000  # spans of a trace that a call is compared with, in addition to its parent
MOST_RETRIEVALS = 50  # retrievals whose documents a call gets, the last ones before it


def insert_span_contexts(tx: Tx, rows: Sequence[InheritedAttributes], limited_to: str | None = None) -> None:
    """Store them for the calls of their trace, which may arrive later. `limited_to` has the deployments of a limited
    sender, as JSON.
    """
    if rows:
        plain = [_context_row(row) | {"limited_to": limited_to} for row in rows]
        tx.insert("span_context", table_of(TABLES["span_context"], plain))


def _context_row(item: InheritedAttributes) -> Row:
    return row_of(item) | {"documents": documents_to_json(item.documents) if item.documents else None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """The number of rows that arrived since a time. `waiting` counts all texts whose call may still arrive."""

    calls: int
    texts: int
    spans: int
    links: int
    waiting: int


def arrived(tx: Tx, *, since: datetime, waiting_since: datetime) -> Arrived:
    return Arrived(**tx.query("arrived_since", since=since, waiting_since=waiting_since)[0])


def find(tx: Tx, *, since: datetime, calls_since: datetime) -> list[Row]:
    """Return the missing attributes of calls that other spans have, where either arrived since then.

    Calls received before `calls_since` are not searched.
    """
    limits = {"most_spans": MOST_SPANS, "most_retrievals": MOST_RETRIEVALS}
    return tx.query("calls_missing_context", since=since, calls_since=calls_since, **limits)


def fill(tx: Tx, found: Sequence[Row], *, identify: Identify | None = None) -> int:
    """Set the session, user, prompt and documents of calls. Return the number of calls that still exist.

    For a call with a new prompt, `identify` recomputes the identity of the version.
    """
    if not found:
        return 0
    kept = {row["id"]: row for row in tx.query("interactions_by_ids", batch=table_of(IDS, found))}
    calls = {id_: to_interaction(row) for id_, row in kept.items()}
    versions = [
        calls[row["id"]] for row in found if row["id"] in calls and (row["fills_prompt"] or row["fills_conversation"])
    ]
    settled_days.unsettle(tx, [call.deployment for call in versions], [call.started_at for call in versions])
    filled = [_filled(row, calls[row["id"]], identify) for row in found if row["id"] in calls]
    if not filled:
        return 0
    since = min(call.received_at for call in calls.values())
    return revise(tx, "set_span_context", table_of(FILLED_AROUND, filled), since=since)


def _filled(row: Row, item: Interaction, identify: Identify | None) -> Row:
    documents = row["documents"]
    if row["fills_documents"]:
        documents = documents_to_json(_each_once(row["found"]))
    identity = item.identity
    if row["fills_prompt"] and identify:
        identity = identify(replace(item, prompt_id=row["prompt_id"], prompt_version=row["prompt_version"]))
    return row | {"documents": documents, "identity": identity}


def _each_once(found: Sequence[str]) -> list[Document]:
    """Return the documents without repetitions, because a span may be sent twice."""
    return list(dict.fromkeys(document for texts in dict.fromkeys(found) for document in documents_from_json(texts)))

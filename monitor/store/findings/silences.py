"""Silences. They are never deleted: a silence that ends early expires."""

from dataclasses import asdict
from datetime import datetime

from monitor.domain.silence import Matcher, Silence
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx


def insert(tx: Tx, silence: Silence) -> None:
    row = row_of(silence) | {"matchers": to_json([asdict(matcher) for matcher in silence.matchers])}
    tx.insert("silence", table_of(TABLES["silence"], [row]))


def get(tx: Tx, silence_id: str) -> Silence | None:
    row = tx.one("silence_by_id", id=silence_id)
    return to_silence(row) if row else None


def current(tx: Tx, now: datetime) -> list[Silence]:
    """Return the silences that are active or begin later."""
    return [to_silence(row) for row in tx.query("current_silences", now=now)]


def page(tx: Tx, q: PageQuery) -> Page[Silence]:
    """Return silences, the newest first. The deployment of the query is part of a matcher."""
    return fetch_page(tx, "page_silences", q, to_silence, at="created_at")


def expire(tx: Tx, silence_id: str, *, at: datetime, by: str) -> None:
    """End a silence now. A silence that is expired already does not change."""
    tx.execute("expire_silence", id=silence_id, at=at, by=by)


def to_silence(row: Row) -> Silence:
    return Silence(**row | {"matchers": tuple(Matcher(**each) for each in from_json(row["matchers"]))})

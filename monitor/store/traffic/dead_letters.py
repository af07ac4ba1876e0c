"""Records that cannot be decoded. They are stored with the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from monitor.store.engine.append import append_new, row_of
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.transaction import Row, Tx

MAX_RAW_BYTES: Final = 64 * 1024
RESEND_MARGIN: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A record as received. The stored `raw` is truncated to 64 KiB; `raw_bytes` is its full length."""

    id: str
    received_at: datetime
    source: str
    code: str
    reason: str
    raw: bytes
    raw_bytes: int | None = None


def insert(tx: Tx, rows: Sequence[DeadLetter]) -> None:
    """Store new dead letters. A sender without an answer sends its malformed records again."""
    plain = [_row(row) for row in rows]
    append_new(tx, "insert_new_dead_letters", "dead_letter", plain, at="received_at", margin=RESEND_MARGIN)


def page(tx: Tx, q: PageQuery) -> Page[DeadLetter]:
    return fetch_page(tx, "page_dead_letters", q, lambda row: DeadLetter(**row), at="received_at")


def get(tx: Tx, id_: str) -> DeadLetter | None:
    rows = tx.query("get_dead_letter", id=id_)
    return DeadLetter(**rows[0]) if rows else None


def remove(tx: Tx, id_: str) -> None:
    """End a dead letter. A record that is sent again is a new one."""
    tx.execute("end_dead_letter", id=id_)


def count(tx: Tx) -> int:
    return int(tx.query("count_dead_letters")[0]["dead_letters"])


def _row(letter: DeadLetter) -> Row:
    whole = len(letter.raw) if letter.raw_bytes is None else letter.raw_bytes
    return row_of(letter) | {"raw": letter.raw[:MAX_RAW_BYTES], "raw_bytes": whole}

"""Requests and notes of streams that are roots of their own traces. See monitor/domain/stream_notes.py."""

from datetime import datetime
from typing import Final

from monitor.domain.stream_notes import Half
from monitor.store.engine.transaction import Tx

MOST_HALVES: Final = 20_000  # of one step


def halves(tx: Tx, *, calls_since: datetime) -> list[Half]:
    """Asked only where a note is: it reads texts."""
    if tx.one("root_notes", calls_since=calls_since) is None:
        return []
    rows = tx.query("halves_of_streams", calls_since=calls_since, limit=MOST_HALVES)
    return [Half(**row) for row in rows]

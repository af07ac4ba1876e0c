"""Requests and notes of streams that are roots of their own traces. See monitor/domain/stream_notes.py."""

from datetime import datetime
from typing import Final

from monitor.domain.stream_notes import StreamReport
from monitor.store.engine.transaction import Tx

MAX_STREAM_REPORTS: Final = 20_000  # of one step


def stream_reports(tx: Tx, *, calls_since: datetime) -> list[StreamReport]:
    """Return requests and notes. It reads texts, so it runs only when there is a note."""
    if tx.one("root_stream_notes", calls_since=calls_since) is None:
        return []
    rows = tx.query("stream_reports", calls_since=calls_since, limit=MAX_STREAM_REPORTS)
    return [StreamReport(**row) for row in rows]

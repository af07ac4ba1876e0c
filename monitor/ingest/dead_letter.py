"""Build the dead letter of a record that cannot be read: the reason, and its first bytes."""

import hashlib
import json
from datetime import datetime
from typing import Any

from monitor.ingest.json_text import storable_text
from monitor.store.traffic.dead_letters import MAX_RAW_BYTES, DeadLetter


def dead_letter(*, source: str, code: str, reason: str, raw: bytes, now: datetime) -> DeadLetter:
    """Return a dead letter. Its id is a hash of its content, so the same record sent twice has the same id."""
    digest = hashlib.sha256(b"\0".join([source.encode(), code.encode(), reason.encode(), raw]))
    return DeadLetter(
        id=f"dead-{digest.hexdigest()[:24]}",
        received_at=now,
        source=source,
        code=code,
        reason=reason,
        raw=raw[:MAX_RAW_BYTES],  # truncated here, so that queued dead letters stay small
        raw_bytes=len(raw),
    )


def as_bytes(value: Any) -> bytes:
    """Return a JSON value as readable text."""
    try:
        return storable_text(json.dumps(value, ensure_ascii=False, default=str)).encode()
    except (RecursionError, TypeError, ValueError):
        return b'"a value that cannot be written as JSON"'

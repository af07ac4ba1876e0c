"""A record that could not be read, as it is kept: why, and its bytes up to a bound."""

import hashlib
import json
from datetime import datetime
from typing import Any

from monitor.ingest.json_text import storable_text
from monitor.store.traffic.dead_letters import MAX_RAW_BYTES, DeadLetter


def dead_letter(*, source: str, code: str, reason: str, raw: bytes, now: datetime) -> DeadLetter:
    """The id comes from the content, so that the same record sent again has the same id."""
    digest = hashlib.sha256(b"\0".join([source.encode(), code.encode(), reason.encode(), raw]))
    return DeadLetter(
        id=f"dead-{digest.hexdigest()[:24]}",
        received_at=now,
        source=source,
        code=code,
        reason=reason,
        raw=raw[:MAX_RAW_BYTES],  # here already: a queue of large records would be a queue of large memory
        raw_bytes=len(raw),
    )


def as_bytes(value: Any) -> bytes:
    """A JSON value as the text a person can read."""
    try:
        return storable_text(json.dumps(value, ensure_ascii=False, default=str)).encode()
    except (RecursionError, TypeError, ValueError):
        return b'"a value that cannot be written as JSON"'

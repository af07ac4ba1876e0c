"""Searches the texts of production page by page, so that memory use is bounded."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from monitor.store.engine.transaction import Tx

PAGE_ROWS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTexts:
    """The texts of one call: input, output and system prompt."""

    id: str
    deployment: str
    started_at: datetime
    input_text: str
    output_text: str
    system_prompt: str | None

    @property
    def parts(self) -> dict[str, str]:
        """Return the texts that exist, by kind."""
        texts = {"asked": self.input_text, "answered": self.output_text, "prompt": self.system_prompt or ""}
        return {part: text for part, text in texts.items() if text}


def since(tx: Tx, start: datetime, most: int) -> Iterator[CallTexts]:
    """Return the newest `most` production calls that started at or after `start`, the newest first."""
    before_at: datetime | None = None
    before_id: str | None = None
    left = most
    while left > 0:
        rows = tx.query(
            "production_texts", since=start, before_at=before_at, before_id=before_id, limit=min(PAGE_ROWS, left)
        )
        yield from (CallTexts(**row) for row in rows)
        if len(rows) < PAGE_ROWS:
            return
        before_at, before_id, left = rows[-1]["started_at"], rows[-1]["id"], left - len(rows)


def sealed_matches(tx: Tx, start: datetime) -> int:
    """Return the number of calls that contained a sealed question exactly. Their texts were never stored."""
    row = tx.one("count_sealed_matches", since=start)
    return row["calls"] if row else 0

"""Records and cases as a product sends them."""

from collections.abc import Mapping
from typing import Any


def interaction(**changes: Any) -> dict[str, Any]:
    """Return a native record."""
    return {
        "id": "call-1",
        "deployment": "bot",
        "started_at": "2026-11-21T01:00:00Z",
        "duration_ms": 12.5,
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": "Is 9 a prime?"}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "No."}]},
        **changes,
    }


def thumb(**changes: Any) -> dict[str, Any]:
    return {"id": "thumb-1", "deployment": "bot", "interaction_id": "call-1", "kind": "thumb", "value": -1, **changes}


CASES: tuple[Mapping[str, Any], ...] = (
    {"id": "p-7", "input": "Is 7 a prime?", "reference": "yes", "category": "prime", "severity": "high"},
    {"id": "c-9", "input": "Is 9 a prime?", "reference": "no", "category": "composite"},
    {"id": "p-11", "input": "Is 11 a prime?", "reference": "yes", "category": "prime"},
)

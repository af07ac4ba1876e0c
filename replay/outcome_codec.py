"""A scored outcome as a JSON object and back, nothing lost on the way."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from replay.types import Outcome, Reply, Score, ScoredOutcome, ToolCall


def scored_outcome_to_json(row: ScoredOutcome) -> dict[str, Any]:
    document = asdict(row.outcome)
    document["started_at"] = row.outcome.started_at.isoformat()
    reply = row.outcome.reply
    if reply is not None and reply.reported_at is not None:
        document["reply"]["reported_at"] = reply.reported_at.isoformat()
    return {"outcome": document, "scores": [asdict(score) for score in row.scores]}


def scored_outcome_from_json(document: Mapping[str, Any]) -> ScoredOutcome:
    """Raises KeyError, TypeError or ValueError on a document that is none; the caller knows where it stood."""
    outcome = dict(document["outcome"])
    outcome["started_at"] = datetime.fromisoformat(outcome["started_at"])
    outcome["reply"] = None if outcome["reply"] is None else _reply(outcome["reply"])
    scores = tuple(Score(**score) for score in document["scores"])
    return ScoredOutcome(outcome=Outcome(**outcome), scores=scores)


def _reply(document: Mapping[str, Any]) -> Reply:
    at = document["reported_at"]
    calls = tuple(ToolCall(**call) for call in document.get("tool_calls", ()))
    reported_at = None if at is None else datetime.fromisoformat(at)
    return Reply(**{**document, "reported_at": reported_at, "tool_calls": calls})

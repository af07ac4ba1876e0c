"""Decodes a row of the table as an interaction. `interaction_columns` encodes it."""

from monitor.domain.interaction import (
    ContentState,
    CostSource,
    FinishReason,
    Interaction,
    Origin,
    Status,
    UsageSource,
)
from monitor.store.engine.json_columns import documents_from_json, from_json, messages_from_json
from monitor.store.engine.transaction import Row


def to_interaction(row: Row) -> Interaction:
    derived = {"input_text", "output_text", "refusal", "own_values", "limited_to"}
    plain = {name: value for name, value in row.items() if name not in derived}
    return Interaction(
        **plain
        | {
            "origin": Origin(row["origin"]),
            "status": Status(row["status"]),
            "content_state": ContentState(row["content_state"]),
            "input_messages": messages_from_json(row["input_messages"], row["input_text"]),
            "output_messages": messages_from_json(row["output_messages"], row["output_text"]),
            "documents": documents_from_json(row["documents"]) if row["documents"] else (),
            "finish_reason": row["finish_reason"] and FinishReason(row["finish_reason"]),
            "usage_source": UsageSource(row["usage_source"]),
            "cost_source": row["cost_source"] and CostSource(row["cost_source"]),
            "attributes": from_json(row["attributes"]),
        }
    )

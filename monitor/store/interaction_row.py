"""An interaction as a row of its table, and back."""

from monitor.domain.interaction import (
    ContentState,
    CostSource,
    FinishReason,
    Interaction,
    Origin,
    Status,
    UsageSource,
)
from monitor.store.append import row_of
from monitor.store.json_text import (
    documents_from_json,
    documents_to_json,
    from_json,
    messages_from_json,
    messages_to_json,
    to_json,
)
from monitor.store.transaction import Row


def interaction_row(item: Interaction) -> Row:
    return row_of(item) | {
        "input_messages": messages_to_json(item.input_messages),
        "output_messages": messages_to_json(item.output_messages),
        "input_text": item.input_text,
        "output_text": item.output_text,
        "documents": documents_to_json(item.documents) if item.documents else None,
        "attributes": to_json(item.attributes),
    }


def to_interaction(row: Row) -> Interaction:
    derived = {"input_text", "output_text"}
    plain = {name: value for name, value in row.items() if name not in derived}
    return Interaction(
        **plain
        | {
            "origin": Origin(row["origin"]),
            "status": Status(row["status"]),
            "content_state": ContentState(row["content_state"]),
            "input_messages": messages_from_json(row["input_messages"]),
            "output_messages": messages_from_json(row["output_messages"]),
            "documents": documents_from_json(row["documents"]) if row["documents"] else (),
            "finish_reason": row["finish_reason"] and FinishReason(row["finish_reason"]),
            "usage_source": UsageSource(row["usage_source"]),
            "cost_source": row["cost_source"] and CostSource(row["cost_source"]),
            "attributes": from_json(row["attributes"]),
        }
    )

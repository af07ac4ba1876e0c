"""An interaction as a row of its table, and back."""

from monitor.domain.interaction import ContentState, Interaction, Origin, Status
from monitor.store.append import row_of
from monitor.store.json_text import from_json, messages_from_json, messages_to_json, to_json
from monitor.store.transaction import Row


def interaction_row(item: Interaction) -> Row:
    return row_of(item) | {
        "input_messages": messages_to_json(item.input_messages),
        "output_messages": messages_to_json(item.output_messages),
        "input_text": item.input_text,
        "output_text": item.output_text,
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
            "attributes": from_json(row["attributes"]),
        }
    )

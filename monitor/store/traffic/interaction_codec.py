"""Interactions as columns of their table, built column by column: building rows needs fifty times as many objects."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

from monitor.domain.interaction import Interaction
from monitor.domain.refusal import refusals_of
from monitor.store.engine.json_columns import attributes_to_json, documents_to_json
from monitor.store.engine.schema import TABLES, Columns
from monitor.store.traffic.call_texts import inputs_to_json, outputs_to_json

DERIVED: Final[Mapping[str, Callable[[Interaction], Any]]] = {
    "input_messages": inputs_to_json,
    "output_messages": outputs_to_json,
    "input_text": lambda item: item.input_text,
    "output_text": lambda item: item.output_text,
    "own_values": lambda _item: None,  # see filled_calls.py
    "limited_to": lambda _item: None,  # of the sender, not of the call
    "refusal": lambda _item: None,  # decided for many calls together
    "documents": lambda item: documents_to_json(item.documents) if item.documents else None,
    "attributes": lambda item: attributes_to_json(item.attributes),
}


def interaction_columns(items: Sequence[Interaction]) -> Columns:
    """Return one list for each column, each as long as `items`."""
    columns: dict[str, list[Any]] = {name: list(map(made, items)) for name, made in _MADE.items()}
    columns["refusal"] = refusals_of(columns["output_text"], columns["status"], columns["content_state"])
    return columns


_MADE: Final = {name: DERIVED.get(name) or attrgetter(name) for name in TABLES["interaction"].names}

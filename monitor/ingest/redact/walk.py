"""Visit every text in a record of any type. A new field is visited unless it is named here."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from dataclasses import replace as replace_dataclass
from functools import cache
from typing import Any, Final

from msgspec import Struct, structs

# Fields with driftd's own values, digests and W3C ids, which have no user data.
STRUCTURE: Final = frozenset(
    ("deployment", "source", "convention", "origin", "run_id", "trace_id", "span_id", "parent_span_id", "prompt_hash",
     "identity", "status", "content_state", "kind", "link_method", "duplicate_of", "usage_source", "cost_source",
     "price_table", "received_at", "started_at", "at", "finish_reason", "role", "conversation_source", "user_source",
     "user_id")
)  # fmt: skip
IDENTIFIERS: Final = frozenset(
    ("id", "conversation_id", "response_id", "interaction_id", "linked_interaction_id", "prompt_id", "prompt_version",
     "system_fingerprint", "tool_call_id", "request_model", "response_model", "provider")
)  # fmt: skip
LONG_NUMBER: Final = 10**8  # the smallest whole number outside a text that may be a private number
Replace = Callable[[str, str], str]  # field, text -> text


def rewritten(record: Any, change: Replace) -> Any:
    """Return the record with `change` applied to every text of its structs and dataclasses.

    The result is the same object when nothing changes.

    Mappings are not visited, because their values have other types: see `rewritten_value`.
    """
    new = {
        name: made
        for name in names_of(record.__class__)
        if (old := getattr(record, name)) and (made := _changed(name, old, change)) is not old
    }
    return changed(record, new) if new else record


def rewritten_value(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with `change` applied to every text and long whole number, and to the keys of mappings.

    The result is the same object when nothing changes.
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= LONG_NUMBER:
        written = str(value)
        new = change(written)
        return value if new is written else new
    if isinstance(value, list | tuple):
        items = [rewritten_value(item, change) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return _rewritten_mapping(value, change) if isinstance(value, dict) else value


def _rewritten_mapping(value: dict[Any, Any], change: Callable[[str], str]) -> dict[Any, Any]:
    new = {(change(key) if isinstance(key, str) else key): rewritten_value(item, change) for key, item in value.items()}
    same = all(k is nk and v is nv for (k, v), (nk, nv) in zip(value.items(), new.items(), strict=False))
    return value if same and len(new) == len(value) else new


def changed(record: Any, new: Mapping[str, Any]) -> Any:
    """Return a copy with other values."""
    return structs.replace(record, **new) if isinstance(record, Struct) else replace_dataclass(record, **new)


def _changed(name: str, old: Any, change: Replace) -> Any:
    if old.__class__ is str:
        return change(name, old)
    if isinstance(old, tuple):
        items = tuple(_changed(name, item, change) for item in old)
        return old if all(n is o for n, o in zip(items, old, strict=True)) else items
    return rewritten(old, change) if is_record(old.__class__) else old


@cache
def is_record(cls: Hashable) -> bool:
    """Return whether the class is a struct or a dataclass."""
    return is_dataclass(cls) or (isinstance(cls, type) and issubclass(cls, Struct))


@cache
def names_of(cls: type[Any]) -> tuple[str, ...]:
    """Return the names of the fields that are not STRUCTURE."""
    names = cls.__struct_fields__ if issubclass(cls, Struct) else tuple(field.name for field in fields(cls))
    return tuple(name for name in names if name not in STRUCTURE)

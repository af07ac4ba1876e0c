"""The limits of a native record, in what its fields mean: depth and length of its values, number of its attributes."""

from typing import Any, Final

from monitor.errors import MalformedRecord
from monitor.ingest.limits import Limits, check_attribute_count, truncated, value_fits

TEXTS: Final = frozenset(["attributes", "documents", "error", "request.messages", "response.messages"])


def hold(raw: dict[str, Any], limits: Limits) -> tuple[dict[str, Any], bool]:
    """The record, and whether texts in it had to be cut; MalformedRecord beyond another limit.

    What is no text is never cut: of two long ids one would be left, and a feedback cannot say that it ends early.
    """
    if isinstance(attributes := raw.get("attributes"), dict):
        check_attribute_count(len(attributes), limits)
    if _fits(raw, limits):
        return raw, False
    return {key: _held(key, value, limits) for key, value in raw.items()}, True


def _fits(raw: dict[str, Any], limits: Limits) -> bool:
    """An object that is a field of the record is none of its values: those are inside it."""
    fits = True
    for value in raw.values():
        for inner in value.values() if type(value) is dict else (value,):
            if not value_fits(inner, limits):
                fits = False
    return fits


def _held(name: str, value: Any, limits: Limits) -> Any:
    if name in TEXTS:
        return truncated(value, limits.value_chars)
    if isinstance(value, dict) and "." not in name:
        return {key: _held(f"{name}.{key}", inner, limits) for key, inner in value.items()}
    if isinstance(value, str) and len(value) > limits.value_chars:
        raise MalformedRecord(
            f"field {name[:80]!r} has {len(value)} characters, more than {limits.value_chars} (ingest.limits.value_kb)"
        )
    return value

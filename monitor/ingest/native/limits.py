"""The limits of a native record: depth and length of its values, and number of its attributes."""

from typing import Any, Final

from monitor.errors import MalformedRecord
from monitor.ingest.limits import Limits, check_attribute_count, truncated, value_fits

TEXTS: Final = frozenset(["attributes", "documents", "error", "request.messages", "response.messages"])


def hold(raw: dict[str, Any], limits: Limits) -> tuple[dict[str, Any], bool]:
    """Return the record, and whether texts were truncated. Raise MalformedRecord beyond another limit.

    Only texts are truncated. Two long ids could become equal, and feedback has no mark for truncation.
    """
    if isinstance(attributes := raw.get("attributes"), dict):
        check_attribute_count(len(attributes), limits)
    if _fits(raw, limits):
        return raw, False
    return {key: _held(key, value, limits) for key, value in raw.items()}, True


def _fits(raw: dict[str, Any], limits: Limits) -> bool:
    """Return whether all values fit. An object field of the record is not a value: its fields are."""
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

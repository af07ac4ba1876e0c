"""Encodes a comparison as JSON text and decodes it."""

from typing import Final

from pydantic import TypeAdapter

from monitor.domain.finding import Comparison
from monitor.store.engine.json_columns import to_json

_COMPARISON: Final = TypeAdapter(Comparison)


def comparison_to_json(comparison: Comparison) -> str:
    return to_json(_COMPARISON.dump_python(comparison))


def comparison_from_json(text: str) -> Comparison:
    return _COMPARISON.validate_json(text)

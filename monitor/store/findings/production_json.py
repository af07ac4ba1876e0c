"""Encodes the evidence of a production finding as JSON text and decodes it."""

from typing import Final

from pydantic import TypeAdapter

from monitor.domain.production import ProductionEvidence
from monitor.store.engine.json_columns import to_json

_EVIDENCE: Final = TypeAdapter(ProductionEvidence)


def production_to_json(evidence: ProductionEvidence) -> str:
    return to_json(_EVIDENCE.dump_python(evidence))


def production_from_json(text: str) -> ProductionEvidence:
    return _EVIDENCE.validate_json(text)

"""What a finding on a production series rests on as JSON text, and back."""

from dataclasses import asdict
from datetime import date
from typing import Any

from monitor.domain.production import ProductionEvidence
from monitor.store.engine.json_columns import from_json, to_json


def production_to_json(evidence: ProductionEvidence) -> str:
    onset = evidence.onset
    return to_json(asdict(evidence) | {"onset": None if onset is None else onset.isoformat()})


def production_from_json(text: str) -> ProductionEvidence:
    plain: dict[str, Any] = from_json(text)
    onset, interval = plain["onset"], plain["interval"]
    return ProductionEvidence(
        **plain
        | {
            "onset": None if onset is None else date.fromisoformat(onset),
            "interval": None if interval is None else (interval[0], interval[1]),
        }
    )

"""The evidence of a finding as JSON text, and back."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from monitor.domain.evidence import Bridge, ChannelEvidence, Evidence, NoiseEvidence
from monitor.store.json_text import from_json, to_json

_RANGES = ("interval", "interval_new_cases")


def evidence_to_json(evidence: Evidence) -> str:
    onset = evidence.onset_at
    return to_json(asdict(evidence) | {"onset_at": None if onset is None else onset.isoformat()})


def evidence_from_json(text: str) -> Evidence:
    plain: dict[str, Any] = from_json(text)
    onset, noise = plain["onset_at"], plain["noise"]
    return Evidence(
        **plain
        | {name: _range(plain[name]) for name in _RANGES}
        | {
            "onset_at": None if onset is None else datetime.fromisoformat(onset),
            "bridge": Bridge(**plain["bridge"]),
            "channels": tuple(ChannelEvidence(**item) for item in plain["channels"]),
            "noise": None if noise is None else _noise(noise),
            "not_tested": tuple(plain["not_tested"]),
        }
    )


def _noise(item: dict[str, Any]) -> NoiseEvidence:
    return NoiseEvidence(**item | {"night_interval": _range(item["night_interval"])})


def _range(found: list[float] | None) -> tuple[float, float] | None:
    return None if found is None else (found[0], found[1])

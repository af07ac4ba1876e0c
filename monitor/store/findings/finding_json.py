"""The evidence of a finding as JSON text, and back."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from monitor.domain.evidence import (
    Bridge,
    Cause,
    ChannelEvidence,
    ConsistencyEvidence,
    Evidence,
    GoldenEvidence,
    NoiseEvidence,
    RankedCause,
    TriedStep,
    UntriedStep,
)
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.findings.detectable_json import detectable_from

_RANGES = ("interval", "interval_new_cases")
_RANGES_OF_NOISE = ("night_interval", "within_interval", "flip_interval")


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
            "channels": tuple(_channel(item) for item in plain["channels"]),
            "open_drop": None if plain.get("open_drop") is None else _channel(plain["open_drop"]),
            "noise": None if noise is None else _noise(noise),
            "not_tested": tuple(plain["not_tested"]),
            "golden": _golden(plain.get("golden")),
            "cause": _cause(plain.get("cause")),  # absent in rows of before there was one
            "consistency": _consistency(plain.get("consistency")),
        }
    )


def _cause(item: dict[str, Any] | None) -> Cause | None:
    if item is None:
        return None
    known = item if "confirmed" in item else _unconfirmed(item)
    named = known["named"]
    return Cause(
        **known
        | {
            "named": None if named is None else tuple(named),
            "differs": tuple(known["differs"]),
            "causes": tuple(RankedCause(**row) for row in known["causes"]),
            "tried": tuple(TriedStep(**row) for row in known["tried"]),
            "not_tried": tuple(UntriedStep(**row) for row in known["not_tried"]),
        }
    )


def _unconfirmed(item: dict[str, Any]) -> dict[str, Any]:
    """A cause of an earlier release, which did not store whether it was tested: its percentages are not shown."""
    named = item["named"]
    likeliest = "not identifiable" if named is None else " and ".join(named) or "nothing: the alarm was false"
    causes = [row | {"probability": None} for row in item["causes"]]
    return item | {"probability": None, "causes": causes, "says": likeliest}


def _channel(item: dict[str, Any]) -> ChannelEvidence:
    detectable = detectable_from(item, "silent" if item.get("p_needed") is None else "announced")
    return ChannelEvidence(**item | {"interval": _range(item.get("interval")), "detectable": detectable})


def _noise(item: dict[str, Any]) -> NoiseEvidence:
    detectable = detectable_from(item, "announced")
    ranges = {name: _range(item.get(name)) for name in _RANGES_OF_NOISE}
    return NoiseEvidence(**item | ranges | {"detectable": detectable})


def _consistency(item: dict[str, Any] | None) -> ConsistencyEvidence | None:
    return None if item is None else ConsistencyEvidence(**item | {"interval": tuple(item["interval"])})


def _golden(item: dict[str, Any] | None) -> GoldenEvidence | None:
    return None if item is None else GoldenEvidence(**item | {name: _range(item[name]) for name in _RANGES})


def _range(found: list[float] | None) -> tuple[float, float] | None:
    return None if found is None else (found[0], found[1])

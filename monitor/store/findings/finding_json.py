"""Encodes the evidence of a finding as JSON text and decodes it."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from monitor.domain.evidence import (
    CaseOverlap,
    Cause,
    ChannelEvidence,
    ConsistencyEvidence,
    Evidence,
    NoiseEvidence,
    PinnedRunEvidence,
    RankedCause,
    TriedStep,
    UntriedStep,
)
from monitor.domain.renamed_keys import with_current_keys
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.findings.detectable_json import detectable_from

_RANGES = ("interval", "interval_new_cases")
_RANGES_OF_NOISE = ("night_interval", "within_interval", "flip_interval")


def evidence_to_json(evidence: Evidence) -> str:
    onset = evidence.onset_at
    return to_json(asdict(evidence) | {"onset_at": None if onset is None else onset.isoformat()})


def evidence_from_json(text: str) -> Evidence:
    plain: dict[str, Any] = with_current_keys(from_json(text), "evidence")
    onset, noise = plain["onset_at"], plain["noise"]
    return Evidence(
        **plain
        | {name: _range(plain[name]) for name in _RANGES}
        | {
            "onset_at": None if onset is None else datetime.fromisoformat(onset),
            "case_overlap": CaseOverlap(**plain["case_overlap"]),
            "channels": tuple(_channel(item) for item in plain["channels"]),
            "open_alert_change": _open_alert_change(plain.get("open_alert_change")),
            "noise": None if noise is None else _noise(noise),
            "not_tested": tuple(plain["not_tested"]),
            "pinned_run": _pinned_run(plain.get("pinned_run")),
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
            "differences": tuple(known["differences"]),
            "causes": tuple(RankedCause(**row) for row in known["causes"]),
            "tried": tuple(TriedStep(**row) for row in known["tried"]),
            "not_tried": tuple(UntriedStep(**row) for row in known["not_tried"]),
        }
    )


def _unconfirmed(item: dict[str, Any]) -> dict[str, Any]:
    """Decode a cause of an earlier release. It did not store whether it was tested, so its percentages are dropped."""
    named = item["named"]
    likeliest = "not identifiable" if named is None else " and ".join(named) or "false alarm"
    causes = [row | {"probability": None} for row in item["causes"]]
    return item | {"probability": None, "causes": causes, "statement": likeliest}


def _open_alert_change(item: dict[str, Any] | None) -> ChannelEvidence | None:
    return None if item is None else _channel(item)


def _channel(item: dict[str, Any]) -> ChannelEvidence:
    detectable = detectable_from(item, "silent" if item.get("p_needed") is None else "announced")
    return ChannelEvidence(**item | {"interval": _range(item.get("interval")), "detectable": detectable})


def _noise(item: dict[str, Any]) -> NoiseEvidence:
    detectable = detectable_from(item, "announced")
    ranges = {name: _range(item.get(name)) for name in _RANGES_OF_NOISE}
    return NoiseEvidence(**item | ranges | {"detectable": detectable})


def _consistency(item: dict[str, Any] | None) -> ConsistencyEvidence | None:
    return None if item is None else ConsistencyEvidence(**item | {"interval": tuple(item["interval"])})


def _pinned_run(item: dict[str, Any] | None) -> PinnedRunEvidence | None:
    return None if item is None else PinnedRunEvidence(**item | {name: _range(item[name]) for name in _RANGES})


def _range(found: list[float] | None) -> tuple[float, float] | None:
    return None if found is None else (found[0], found[1])

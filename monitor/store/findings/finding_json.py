"""Encodes the evidence of a finding as JSON text and decodes it, also that of earlier releases."""

from typing import Any, Final

from pydantic import TypeAdapter

from monitor.domain.evidence import Evidence
from monitor.domain.renamed_keys import with_current_keys
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.findings.detectable_json import with_detectable

_EVIDENCE: Final = TypeAdapter(Evidence)


def evidence_to_json(evidence: Evidence) -> str:
    onset = evidence.onset_at
    return to_json(_EVIDENCE.dump_python(evidence) | {"onset_at": None if onset is None else onset.isoformat()})


def evidence_from_json(text: str) -> Evidence:
    plain: dict[str, Any] = with_current_keys(from_json(text), "evidence")
    change, noise, cause = plain.get("open_alert_change"), plain["noise"], plain.get("cause")
    return _EVIDENCE.validate_python(
        plain
        | {
            "channels": [_channel(item) for item in plain["channels"]],
            "open_alert_change": None if change is None else _channel(change),
            "noise": None if noise is None else with_detectable(noise, "announced"),
            "cause": _unconfirmed(cause) if cause is not None and "confirmed" not in cause else cause,
        }
    )


def _channel(item: dict[str, Any]) -> dict[str, Any]:
    return with_detectable(item, "silent" if item.get("p_needed") is None else "announced")


def _unconfirmed(item: dict[str, Any]) -> dict[str, Any]:
    """Return a cause of an earlier release. It did not store whether it was tested, so its percentages are dropped."""
    named = item["named"]
    likeliest = "not identifiable" if named is None else " and ".join(named) or "false alarm"
    causes = [row | {"probability": None} for row in item["causes"]]
    return item | {"probability": None, "causes": causes, "statement": likeliest}

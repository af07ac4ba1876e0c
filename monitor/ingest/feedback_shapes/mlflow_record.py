"""The stored record of an assessment, which MLflow's clients read back, and changes of it."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from monitor.domain.feedback import Feedback
from monitor.errors import MalformedRecord
from monitor.ingest.native.fields import Fields

SOURCES: Final = ("HUMAN", "LLM_JUDGE", "AI_JUDGE", "CODE")
MASKED: Final[Mapping[str, str]] = {  # a protobuf field mask in JSON has its paths in camel case
    "assessmentName": "assessment_name",
    "assessment_name": "assessment_name",
    "feedback": "feedback",
    "expectation": "expectation",
    "rationale": "rationale",
    "metadata": "metadata",
}
KINDS: Final = ("feedback", "expectation")


def kept(record: Fields, content: Mapping[str, Any], created: datetime) -> str:
    """Return JSON with the content and the source type. Names of persons and stack traces are left out."""
    fields = {
        "assessment_name": record.text("assessment_name"),
        "source": _source(record.mapping("source")),
        "create_time": _written(created),
        "span_id": record.text("span_id"),
        "rationale": record.text("rationale"),
        "metadata": {key: _as_text(value) for key, value in record.mapping("metadata").items()},
        "overrides": record.text("overrides"),
        **{kind: _without_stack(value) for kind, value in content.items()},
    }
    return json.dumps({key: value for key, value in fields.items() if value}, ensure_ascii=False)


def given_out(item: Feedback, trace: str, *, overridden: bool) -> dict[str, Any]:
    """Return the assessment in MLflow's JSON."""
    record = json.loads(item.record or "{}")
    return {
        **record,
        **({"expectation": _serialized(record["expectation"])} if "expectation" in record else {}),
        "assessment_id": item.id,
        "trace_id": trace,
        "last_update_time": _written(item.at),
        "valid": not overridden,
    }


def mask_of(raw: Any) -> list[str]:
    """Return the fields that a request changes."""
    if not isinstance(raw, str) or not raw:
        raise MalformedRecord("field 'update_mask' does not name a field to change, as in 'assessmentName,rationale'")
    paths = [path.strip() for path in raw.split(",")]
    if unknown_paths := [path for path in paths if path not in MASKED]:
        raise MalformedRecord(f"field 'update_mask' names {unknown_paths[0][:80]!r}; known: {', '.join(MASKED)}")
    return [MASKED[path] for path in paths]


def changed(item: Feedback, patch: Any, mask: list[str], now: datetime) -> dict[str, Any]:
    """Return the stored assessment with the masked fields of `patch`. Metadata keys that it does not name stay."""
    record: dict[str, Any] = json.loads(item.record or "{}")
    new = Fields(patch, "assessment", known=patch if isinstance(patch, Mapping) else ())
    for field in mask:
        if field in KINDS and field not in record:
            raise MalformedRecord(f"this assessment has no {field}: its kind cannot be changed; log another one")
        record[field] = {**record.get(field, {}), **new.mapping(field)} if field == "metadata" else new.raw(field)
    return {**record, "last_update_time": _written(max(now, item.at))}


def _source(raw: Mapping[str, Any]) -> dict[str, str]:
    found, who = raw.get("source_type") or "HUMAN", raw.get("source_id")
    kind = found if found in SOURCES else "SOURCE_TYPE_UNSPECIFIED"
    return {"source_type": kind, **({"source_id": who} if isinstance(who, str) and kind != "HUMAN" else {})}


def _without_stack(content: Mapping[str, Any]) -> dict[str, Any]:
    error = content.get("error")
    if not isinstance(error, Mapping):
        return {"value": content.get("value")}
    error_fields = {key: str(error[key]) for key in ("error_code", "error_message") if error.get(key)}
    return {"value": content.get("value"), "error": error_fields}


def _serialized(expectation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value; values other than text, numbers and booleans are JSON text."""
    value = expectation["value"]
    if isinstance(value, str | int | float):
        return {"value": value}
    return {"serialized_value": {"serialization_format": "JSON_FORMAT", "value": json.dumps(value)}}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")

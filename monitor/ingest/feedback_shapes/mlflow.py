"""Read assessments of a trace from MLflow clients: feedback, or an expectation.

Verified with requests of mlflow-tracing 3.17.2.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from monitor.domain.feedback import Source
from monitor.errors import MalformedRecord
from monitor.ingest.feedback_shapes.annotation import Annotation, AnnotationTarget, category_in, digest, hex_or_none
from monitor.ingest.feedback_shapes.mlflow_record import kept
from monitor.ingest.feedback_shapes.timestamp import at_text
from monitor.ingest.json_text import read_json
from monitor.ingest.native.fields import Fields

FIELDS: Final = (
    "assessment_id", "assessment_name", "trace_id", "span_id", "source", "create_time", "last_update_time", "feedback",
    "expectation", "rationale", "metadata", "overrides",
)  # fmt: skip
BY_SOURCE: Final[Mapping[str, Source]] = {
    "HUMAN": "user", "LLM_JUDGE": "system", "AI_JUDGE": "system", "CODE": "system",
}  # fmt: skip
OURS: Final = "a"  # prefix of assessment ids
PREFIX: Final = "tr-"
SESSION: Final = "mlflow.trace.session"


def of_assessment(raw: Any, trace: str, now: datetime) -> Annotation:
    """Return the annotation. `trace` is the id in the path. A text expectation is the expected answer."""
    record = Fields(_known(raw), known=FIELDS)
    name, metadata = record.needed_text("assessment_name"), record.mapping("metadata")
    source = BY_SOURCE.get(str(record.mapping("source").get("source_type") or "HUMAN"), "system")
    at = at_text(record.raw("last_update_time") or record.raw("create_time"), "last_update_time", now)
    common: dict[str, Any] = {
        "id": digest(OURS, trace, _without_times(raw), record.raw("create_time")),
        "about": AnnotationTarget(
            trace_id=trace_of(trace),
            span_id=hex_or_none(record.text("span_id"), 16),
            conversation_id=metadata.get(SESSION) if isinstance(metadata.get(SESSION), str) else None,
        ),
        "name": name,
        "at": at,
        "failure_category": category_in(metadata),
        "overrides": record.text("overrides"),
        "revisable": True,
    }
    created = at_text(record.raw("create_time"), "create_time", at)
    if (expectation := record.raw("expectation")) is not None:
        value = _expected(expectation)
        common["record"] = kept(record, {"expectation": {"value": value}}, created)
        return _expectation(value, record.text("rationale"), source, common)
    if (feedback := record.raw("feedback")) is not None:
        if not isinstance(feedback, Mapping):
            raise MalformedRecord("field 'feedback' is not an object")
        common["record"] = kept(record, {"feedback": feedback}, created)
        return _feedback(feedback, record.text("rationale"), source, common)
    raise MalformedRecord("the assessment has neither 'feedback' nor 'expectation'")


def is_assessment(id_: str) -> bool:
    return id_.startswith(f"{OURS}-")


def trace_of(trace: str) -> str:
    """Return the OpenTelemetry trace id in MLflow's trace id."""
    return hex_or_none(trace.removeprefix(PREFIX), 32) or trace


def _expected(raw: Any) -> Any:
    value = raw.get("value", _serialized(raw)) if isinstance(raw, Mapping) else None
    if value is None:
        raise MalformedRecord("field 'expectation' has no value")
    return value


def _expectation(value: Any, rationale: str | None, source: Source, common: dict[str, Any]) -> Annotation:
    by = "reviewer" if source == "user" else source
    if isinstance(value, str):
        return Annotation(**common, source=by, comment=rationale, expected=value)
    return Annotation(**common, source=by, comment=": ".join(filter(None, (_words(value), rationale))))


def _feedback(raw: Mapping[str, Any], rationale: str | None, source: Source, common: dict[str, Any]) -> Annotation:
    value, error = raw.get("value"), raw.get("error")
    if isinstance(error, Mapping):
        failed = f"the assessment failed: {error.get('error_code') or 'unknown'}"
        return Annotation(**common, source=source, comment=": ".join(filter(None, (failed, rationale))))
    if isinstance(value, bool):
        return Annotation(**common, source=source, comment=rationale, flag=value)
    if isinstance(value, int | float):
        number = Fields(raw, "feedback", known=raw).number("value")
        return Annotation(**common, source=source, comment=rationale, number=number)
    if isinstance(value, str):
        return Annotation(**common, source=source, comment=rationale, label=value)
    return Annotation(**common, source=source, comment=": ".join(filter(None, (_words(value), rationale))))


def _serialized(raw: Mapping[str, Any]) -> Any:
    """Return the value; values other than text and numbers are JSON text."""
    found = raw.get("serialized_value")
    text = found.get("value") if isinstance(found, Mapping) else None
    return read_json(text, "field 'expectation.serialized_value'") if isinstance(text, str) else None


def _words(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _without_times(raw: Any) -> dict[str, Any]:
    return {key: value for key, value in dict(raw).items() if key != "last_update_time"}


def _known(raw: Any) -> Any:
    return {key: raw[key] for key in FIELDS if key in raw} if isinstance(raw, Mapping) else raw

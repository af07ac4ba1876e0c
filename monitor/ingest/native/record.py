"""driftd's own JSON: one object is an interaction or a feedback, the same in files, over HTTP and in Kafka."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import Interaction
from monitor.errors import MalformedRecord
from monitor.ingest.json_text import storable
from monitor.ingest.limits import Limits, mark_truncated
from monitor.ingest.native import limits as native_limits
from monitor.ingest.native.feedback import read_feedback
from monitor.ingest.native.interaction import read_interaction

DEFAULTS = Limits()


def decode_record(
    obj: Any, now: datetime, default_deployment: str, source: str = "http", limits: Limits = DEFAULTS
) -> Interaction | Feedback:
    """The record, or MalformedRecord with a sentence that names the field.

    A record without an id gets one from its content, so that sending it twice makes a duplicate and no second row.
    """
    if not isinstance(obj, Mapping):
        raise MalformedRecord("the record is no JSON object")
    try:
        raw = storable(dict(obj))
    except (RecursionError, TypeError, ValueError) as error:
        raise _not_json(error) from error
    return read_record(raw, now, default_deployment, source, limits)


def read_record(
    raw: Any, now: datetime, default_deployment: str, source: str = "http", limits: Limits = DEFAULTS
) -> Interaction | Feedback:
    """The same of a value that is storable already, as `read_json` gives it: that is a third of the work."""
    if not isinstance(raw, dict):
        raise MalformedRecord("the record is no JSON object")
    if (kind := raw.get("type")) not in ("interaction", "feedback"):
        raise MalformedRecord("field 'type' is not one of interaction, feedback")
    held, cut = native_limits.hold(raw, limits)
    id_ = derived_id(raw)  # of all of it: records that differ behind a cut are two
    if kind == "feedback":
        return read_feedback(held, derived_id=id_, now=now, default_deployment=default_deployment)
    found = read_interaction(held, derived_id=id_, now=now, default_deployment=default_deployment, source=source)
    return mark_truncated(found) if cut else found


def derived_id(raw: Mapping[str, Any]) -> str:
    """The id that the content gives to a record which brings none; empty for one that does."""
    if raw.get("id"):
        return ""
    try:
        canonical = json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except (RecursionError, TypeError, ValueError) as error:
        raise _not_json(error) from error
    return f"native-{hashlib.sha256(canonical.encode()).hexdigest()[:32]}"


def _not_json(error: Exception) -> MalformedRecord:
    return MalformedRecord(f"the record holds what JSON cannot carry: {type(error).__name__}")

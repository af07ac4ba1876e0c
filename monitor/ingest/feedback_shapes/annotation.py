"""The common form of scores, annotations and assessments, and their conversion to feedback."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from monitor.domain.feedback import Feedback, FeedbackKind, ScoreRule, Source
from monitor.feedback.correction import is_correction
from monitor.ingest.feedback_shapes.scale import ScaledValue, read_value, rule_of
from monitor.ingest.json_text import storable

BY_ANNOTATOR: Final[Mapping[str, Source]] = {"HUMAN": "user", "LLM": "system", "CODE": "system"}
FAILURE_CATEGORY: Final = "failure_category"
HEX: Final = re.compile(r"[0-9a-f]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationTarget:
    """The subject of an annotation, by the keys of the sender. The span id may be that of any span that contains the
    call.
    """

    interaction_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One record of another product. `source` is None when the record does not name its kind of author."""

    id: str
    about: AnnotationTarget
    name: str
    at: datetime
    number: float | None = None
    flag: bool | None = None
    label: str | None = None
    comment: str | None = None
    expected: str | None = None
    source: Source | None = None
    failure_category: str | None = None
    overrides: str | None = None  # the id of the annotation that this one replaces
    record: str | None = None  # JSON for a client that reads it again
    revisable: bool = False
    only_revises: bool = False
    judges: bool = True  # False: the subject is not the answer, for example a retrieved document
    attributes: Mapping[str, Any] = field(default_factory=dict)  # searched for the rule's expected_attribute


def to_feedback(
    annotation: Annotation, rules: Mapping[str, ScoreRule], *, deployment: str, received_at: datetime
) -> Feedback:
    """Return the feedback: an edit when the record has an expected answer, else the value on the scale of its rule.

    Without a rule for the value it is a comment: number and label are stored and not interpreted.
    """
    rule = rule_of(annotation.name, rules)
    expected = annotation.expected or _text(annotation.attributes.get(rule.expected_attribute or ""))
    read = (
        read_value(rule, number=annotation.number, flag=annotation.flag, label=annotation.label)
        if annotation.judges
        else ScaledValue()
    )
    found = Feedback(
        id=annotation.id,
        deployment=deployment,
        at=annotation.at,
        received_at=received_at,
        kind=FeedbackKind.EDIT if expected else read.kind,
        source=rule.source or annotation.source or ("reviewer" if expected else "system"),
        value=None if expected else read.value,
        text=expected,
        comment=annotation.comment,
        expected=expected,
        failure_category=annotation.failure_category,
        interaction_id=annotation.about.interaction_id,
        trace_id=annotation.about.trace_id,
        span_id=annotation.about.span_id,
        response_id=annotation.about.response_id,
        conversation_id=annotation.about.conversation_id,
        name=annotation.name,
        label=annotation.label,
        score=float(annotation.flag) if annotation.flag is not None else annotation.number,
        overrides=annotation.overrides,
        record=annotation.record,
        revisable=annotation.revisable,
        only_revises=annotation.only_revises,
    )
    return replace(found, is_correction=is_correction(found))


def digest(prefix: str, *parts: Any) -> str:
    """Return an id from the identifying values of a record. The same record sent again has the same id."""
    canonical = json.dumps(storable(parts), sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return f"{prefix}-{hashlib.sha256(canonical.encode('utf-8', 'replace')).hexdigest()[:32]}"


def hex_or_none(found: str | None, digits: int) -> str | None:
    """Return an id in lower case; None unless it has this number of hexadecimal digits and is not all zero."""
    plain = (found or "").lower()
    return plain if len(plain) == digits and HEX.fullmatch(plain) and plain.strip("0") else None


def category_in(metadata: Any) -> str | None:
    """Return the failure category in the sender's metadata, or None."""
    return _text(metadata.get(FAILURE_CATEGORY)) if isinstance(metadata, Mapping) else None


def _text(found: Any) -> str | None:
    return found if isinstance(found, str) and found.strip() else None

"""What a score, annotation or assessment said, in one form for every shape, and the feedback it is."""

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
    """What is spoken of, by whatever key the sender kept. A span id may be that of any span around the call."""

    interaction_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One record of another product. `source` is None when nothing in it says who spoke."""

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
    overrides: str | None = None  # the id of what it takes the place of
    record: str | None = None  # as the product's client may ask for it again, in JSON
    revisable: bool = False
    only_revises: bool = False
    judges: bool = True  # False: it speaks of something beside the answer, like a retrieved document
    attributes: Mapping[str, Any] = field(default_factory=dict)  # where a rule's expected_attribute is looked up


def to_feedback(
    said: Annotation, rules: Mapping[str, ScoreRule], *, deployment: str, received_at: datetime
) -> Feedback:
    """The feedback it is: an edit when it says what was expected, else what its value means under its name's rule.

    Without a rule that holds for the value it is a comment: number and label are kept and judge nothing.
    """
    rule = rule_of(said.name, rules)
    expected = said.expected or _text(said.attributes.get(rule.expected_attribute or ""))
    read = read_value(rule, number=said.number, flag=said.flag, label=said.label) if said.judges else ScaledValue()
    found = Feedback(
        id=said.id,
        deployment=deployment,
        at=said.at,
        received_at=received_at,
        kind=FeedbackKind.EDIT if expected else read.kind,
        source=rule.source or said.source or ("reviewer" if expected else "system"),
        value=None if expected else read.value,
        text=expected,
        comment=said.comment,
        expected=expected,
        failure_category=said.failure_category,
        interaction_id=said.about.interaction_id,
        trace_id=said.about.trace_id,
        span_id=said.about.span_id,
        response_id=said.about.response_id,
        conversation_id=said.about.conversation_id,
        name=said.name,
        label=said.label,
        score=float(said.flag) if said.flag is not None else said.number,
        overrides=said.overrides,
        record=said.record,
        revisable=said.revisable,
        only_revises=said.only_revises,
    )
    return replace(found, is_correction=is_correction(found))


def digest(prefix: str, *parts: Any) -> str:
    """An id made of what tells one record from another: the same record sent again has the same id."""
    canonical = json.dumps(storable(parts), sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return f"{prefix}-{hashlib.sha256(canonical.encode('utf-8', 'replace')).hexdigest()[:32]}"


def hex_or_none(found: str | None, digits: int) -> str | None:
    """An id in lower case, None unless it is of so many hexadecimal digits other than all zero."""
    plain = (found or "").lower()
    return plain if len(plain) == digits and HEX.fullmatch(plain) and plain.strip("0") else None


def category_in(metadata: Any) -> str | None:
    """A failure category that the sender put into the record's own metadata."""
    return _text(metadata.get(FAILURE_CATEGORY)) if isinstance(metadata, Mapping) else None


def _text(found: Any) -> str | None:
    return found if isinstance(found, str) and found.strip() else None

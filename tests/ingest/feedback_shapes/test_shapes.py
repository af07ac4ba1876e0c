"""The formats of feedback, and that no content raises an unexpected error."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.errors import MalformedRecord
from monitor.ingest.feedback_shapes import evaluation_events, langfuse, mlflow, openinference_annotations, phoenix
from monitor.ingest.feedback_shapes.annotation import Annotation, to_feedback
from monitor.ingest.feedback_shapes.table import feedback_in
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.spans import OtlpLog, OtlpSpan, SpanEvent

NOW = datetime(2026, 11, 21, tzinfo=UTC)
TRACE, SPAN = "a" * 32, "b" * 16


def a_span(attributes: dict[str, Any], *events: SpanEvent, parent: str | None = None) -> OtlpSpan:
    return OtlpSpan(
        trace_id=TRACE, span_id=SPAN, parent_span_id=parent, name="s", start_ns=1, end_ns=2 * 10**9,
        attributes=attributes, events=events, failed=False, resource={},
    )  # fmt: skip


def a_log(attributes: dict[str, Any], body: Any = None, trace_id: str = "", span_id: str = "") -> OtlpLog:
    return OtlpLog(
        trace_id=trace_id, span_id=span_id, event_name=evaluation_events.EVENT, time_ns=10**18,
        attributes=attributes, body=body, resource={},
    )  # fmt: skip


def test_an_evaluation_as_an_event_of_its_own_span_is_not_about_that_span() -> None:
    event = SpanEvent(name=evaluation_events.EVENT, time_ns=5, attributes={"gen_ai.evaluation.name": "g"})
    [of_call] = evaluation_events.of_span(a_span({}, event), NOW)
    [of_step] = evaluation_events.of_span(a_span({"gen_ai.operation.name": "evaluate"}, event, parent="c" * 16), NOW)
    [alone] = evaluation_events.of_span(a_span({"gen_ai.operation.name": "evaluate"}, event), NOW)
    assert (of_call.about.trace_id, of_call.about.span_id) == (TRACE, SPAN)
    assert (of_step.about.trace_id, of_step.about.span_id) == (TRACE, None)
    assert (alone.about.trace_id, alone.about.span_id) == (None, None)


def test_an_old_evaluation_event_has_its_fields_in_the_body() -> None:
    [said] = evaluation_events.of_log(a_log({}, {"gen_ai.evaluation.name": "g", "gen_ai.response.id": "r"}), NOW)
    assert (said.name, said.about.response_id) == ("g", "r")


def test_an_evaluation_with_a_user_is_from_a_person() -> None:
    [said] = evaluation_events.of_log(a_log({"gen_ai.evaluation.name": "g", "user.id": "u"}), NOW)
    assert said.source == "user"


def test_annotations_of_a_span_its_trace_and_its_session_are_distinguished() -> None:
    attributes = {
        "session.id": "s-42",
        "annotations.0.annotation.name": "a",
        "annotations.1.annotation.name": "b",
        "annotations.1.annotation.annotator_kind": "LLM",
        "annotations.1.annotation.metadata": '{"failure_category": "tone"}',
        "trace.evaluations.0.evaluation.name": "c",
        "session.annotations.0.annotation.name": "d",
    }
    said = {one.name: one for one in openinference_annotations.of_span(a_span(attributes), NOW)}
    assert sorted(said) == ["a", "b", "c", "d"]
    assert said["a"].about.span_id == SPAN
    assert (said["b"].source, said["b"].failure_category) == ("system", "tone")
    assert (said["c"].about.trace_id, said["c"].about.span_id) == (TRACE, None)
    assert said["d"].about.conversation_id == "s-42"


def test_a_value_of_the_wrong_type_is_reported_and_the_others_are_stored() -> None:
    good, bad = a_log({"gen_ai.evaluation.name": "g"}), a_log({"gen_ai.evaluation.score.value": "high"})
    found = feedback_in([], [good, bad], rules=DeploymentRules(), now=NOW)
    assert [item.name for item in found.feedback] == ["g"]
    [bad_record] = found.bad
    assert "gen_ai.evaluation.score.value is not a finite number" in bad_record.reason
    assert found.alone == 2


def test_a_trace_id_written_as_a_uuid_is_the_same_trace() -> None:
    score = {"traceId": "AAAAAAAA-aaaa-aaaa-aaaa-aaaaaaaaaaaa", "name": "n", "value": 1}
    assert langfuse.of_score(score, NOW).about.trace_id == TRACE


def test_fields_of_newer_clients_do_not_make_the_rest_unreadable() -> None:
    score = {"traceId": TRACE, "name": "n", "value": 1, "somethingNew": {}}
    annotation = {"span_id": SPAN, "name": "n", "result": {"score": 1.0, "new": 1}, "new": 1}
    assert langfuse.of_score(score, NOW).number == 1.0
    assert phoenix.of_annotation(annotation, "span_id", NOW).number == 1.0


def test_a_failed_judge_is_reported_and_gives_no_verdict() -> None:
    raw = {"assessment_name": "g", "source": {"source_type": "LLM_JUDGE"}, "feedback": {"error": {"error_code": "E1"}}}
    said = mlflow.of_assessment(raw, f"tr-{TRACE}", NOW)
    assert (said.comment, said.number, said.flag, said.source) == ("the assessment failed: E1", None, None, "system")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from([*langfuse.FIELDS, *phoenix.FIELDS, *mlflow.FIELDS, "note", "value", "label", "score"])
SHAPES: dict[str, Callable[[Any, datetime], Annotation]] = {
    "langfuse": langfuse.of_score,
    "phoenix": lambda raw, now: phoenix.of_annotation(raw, "span_id", now),
    "note": lambda raw, now: phoenix.of_note(raw, "trace_id", now),
    "mlflow": lambda raw, now: mlflow.of_assessment(raw, TRACE, now),
}


@pytest.mark.parametrize("shape", SHAPES)
@given(st.dictionaries(KEYS, json_values, max_size=8) | json_values)
def test_any_json_is_read_or_rejected_with_a_reason(shape: str, raw: Any) -> None:
    said: Annotation | None = None
    with suppress(MalformedRecord):
        said = SHAPES[shape](raw, NOW)
    if said is not None:
        assert to_feedback(said, {}, deployment="d", received_at=NOW).id


@given(st.dictionaries(st.sampled_from(["gen_ai.evaluation.name", "gen_ai.evaluation.score.value", "error.type",
    "gen_ai.evaluation.score.label", "gen_ai.response.id", "annotations.0.annotation.name",
    "annotations.0.annotation.score", "annotations.0.annotation.metadata", "gen_ai.operation.name"]),
    json_values))  # fmt: skip
def test_any_attributes_are_read_or_reported_as_malformed(attributes: dict[str, Any]) -> None:
    event = SpanEvent(name=evaluation_events.EVENT, time_ns=5, attributes=attributes)
    found = feedback_in([a_span(attributes, event)], [a_log(attributes)], rules=DeploymentRules(), now=NOW)
    assert len(found.feedback) + len(found.bad) >= 2

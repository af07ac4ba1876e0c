from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.feedback import Feedback, FeedbackKind
from monitor.domain.interaction import (
    ChatMessage,
    ContentState,
    CostSource,
    Document,
    FinishReason,
    Interaction,
    Status,
    ToolCall,
    UsageSource,
)
from monitor.errors import MalformedRecord
from monitor.ingest.native.record import decode_record
from tests.ingest.build import NOW, native, native_feedback, user
from tests.properties import examples


def interaction(**fields: Any) -> Interaction:
    found = decode_record(native(**fields), NOW, "default")
    assert isinstance(found, Interaction)
    return found


def feedback(**fields: Any) -> Feedback:
    found = decode_record(native_feedback(**fields), NOW, "default")
    assert isinstance(found, Feedback)
    return found


FULL = native(
    id="call-1",
    deployment="support",
    duration_ms=12,
    conversation_id="c-1",
    user_id="u-1",
    trace_id="0AF7651916CD43DD8448EB211C80319C",
    span_id="b7ad6b7169203331",
    provider="openai",
    request={
        "model": "gpt-4",
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "refund?"}],
        "temperature": 0,
        "top_p": 0.9,
        "max_tokens": 256,
        "seed": -1,
    },
    response={
        "model": "gpt-4-0314",
        "id": "r-1",
        "system_fingerprint": "fp_1",
        "messages": [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "t", "function": {"name": "f", "arguments": "{}"}}],
            }
        ],
        "finish_reason": "tool_use",
        "time_to_first_token_ms": 90,
    },
    usage={"input_tokens": 3, "output_tokens": 0, "cached_input_tokens": 2, "reasoning_tokens": 0},
    cost_usd=0.0004,
    documents=[{"id": "kb-1", "content": "30 days.", "score": 0.9}],
    prompt={"id": "support", "version": "7"},
    error=None,
    attributes={"driftd.category": "billing"},
)


def test_every_field_of_an_interaction_arrives() -> None:
    assert decode_record(FULL, NOW, "default", "file") == Interaction(
        id="call-1",
        deployment="support",
        started_at=NOW,
        received_at=NOW,
        source="file",
        convention="native",
        duration_ms=12.0,
        conversation_id="c-1",
        conversation_source="conversation_id",
        user_id="u-1",
        user_source="user_id",
        trace_id="0af7651916cd43dd8448eb211c80319c",
        span_id="b7ad6b7169203331",
        response_id="r-1",
        provider="openai",
        request_model="gpt-4",
        response_model="gpt-4-0314",
        system_fingerprint="fp_1",
        prompt_id="support",
        prompt_version="7",
        system_prompt="Be kind.",
        input_messages=(user("refund?"),),
        output_messages=(
            ChatMessage(role="assistant", content="", tool_calls=(ToolCall(id="t", name="f", arguments="{}"),)),
        ),
        documents=(Document(id="kb-1", content="30 days.", score=0.9),),
        finish_reason=FinishReason.TOOL_CALLS,
        finish_reason_raw="tool_use",
        status=Status.OK,
        input_tokens=3,
        output_tokens=0,
        cached_input_tokens=2,
        reasoning_tokens=0,
        usage_source=UsageSource.EMITTED,
        cost_usd=0.0004,
        cost_source=CostSource.EMITTED,
        ttft_ms=90.0,
        temperature=0.0,
        top_p=0.9,
        max_tokens=256,
        seed=-1,
        content_state=ContentState.FULL,
        attributes={"driftd.category": "billing"},
    )


def test_an_interaction_needs_only_its_start_time() -> None:
    found = decode_record({"type": "interaction", "started_at": "2026-11-21T02:00:00Z"}, NOW, "default")
    assert isinstance(found, Interaction)
    assert (found.deployment, found.content_state, found.duration_ms) == ("default", ContentState.ABSENT, None)


def test_a_record_without_an_id_has_one_of_its_content() -> None:
    first, again = interaction(), interaction()
    reordered = decode_record(dict(reversed(native().items())), NOW, "default")
    assert first.id == again.id == reordered.id
    assert first.id != interaction(user_id="u-2").id
    assert feedback().id == feedback().id != feedback(comment="late").id


@pytest.mark.parametrize(
    ("error", "error_type", "error_class"),
    [("timeout", "timeout", "timeout"), ({"type": "429", "message": "slow"}, "429", "rate_limit")],
)
def test_an_error_is_a_class_or_an_object_with_one(error: Any, error_type: str, error_class: str) -> None:
    found = interaction(error=error, response=None)
    assert (found.status, found.error_type, found.error_class) == (Status.ERROR, error_type, error_class)
    assert found.content_state is ContentState.FULL


def test_a_call_without_token_counts_has_no_usage() -> None:
    assert interaction(usage=None).usage_source is UsageSource.ABSENT


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-21T02:00:00Z", NOW),
        ("2026-11-21 03:00:00+01:00", NOW),
        ("2026-11-21t02:00:00.000000999z", NOW),
        ("2026-11-21T02:00:00.5Z", NOW.replace(microsecond=500_000)),
    ],
)
def test_times_are_rfc_3339_with_an_offset_and_kept_in_utc(text: str, instant: datetime) -> None:
    found = interaction(started_at=text).started_at
    assert (found, found.tzinfo) == (instant, UTC)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ([], "the record is not a JSON object"),
        ({}, "field 'type' is not one of interaction, feedback"),
        (native(started_at=None), "field 'started_at' is missing"),
        (native(started_at="2026-11-21T02:00:00"), "field 'started_at' is not a time in RFC 3339 with an offset"),
        (native(started_at="2026-02-30T02:00:00Z"), "field 'started_at' is not a time that exists"),
        (native(started_at="0001-01-01T00:00:00+23:59"), "field 'started_at' is not a time that exists"),
        (native(started_at="1969-12-31T23:59:59Z"), "field 'started_at' is not a time from 1970 on"),
        (native(started_at="9999-12-31T23:59:59Z"), "field 'started_at' is not a time before the year 9000"),
        (native(started_at=1), "field 'started_at' is not a string"),
        (native(id=7), "field 'id' is not a string"),
        (native(promt={}), "field 'promt' is unknown; known: attributes, "),
        (native(request={"modle": "x"}), "field 'request.modle' is unknown"),
        (native(trace_id="abc"), "field 'trace_id' is not a W3C id in hexadecimal digits"),
        (native_feedback(interaction_id=None), "by one of the fields interaction_id, trace_id, response_id"),
        (native_feedback(at="yesterday"), "field 'at' is not a time in RFC 3339"),
        (native_feedback(kind=None), "field 'kind' is missing"),
        (native_feedback(kind="like"), "field 'kind' is not one of thumb, rating, edit"),
        (native_feedback(value=0), "field 'value' of a thumb is not -1 or 1"),
        (native_feedback(value=None), "field 'value' of a thumb is not -1 or 1"),
        (native_feedback(kind="rating", value=2), "field 'value' of a rating is not a number from 0 to 1"),
        (native_feedback(kind="rating", value=None), "field 'value' of a rating is not a number from 0 to 1"),
        (native_feedback(kind="edit", value=None), "field 'value' is missing"),
        (native_feedback(kind="edit", value=1), "field 'value' is not a string"),
        (native_feedback(kind="ticket", value=1), "a ticket has no field 'value'"),
        (native_feedback(source="bot"), "field 'source' is not one of user, reviewer, system"),
        (native_feedback(messages=[]), "field 'messages' is unknown"),
    ],
)
def test_a_malformed_record_names_its_field(record: Any, reason: str) -> None:
    with pytest.raises(MalformedRecord, match=reason):
        decode_record(record, NOW, "default")


def test_feedback_of_every_kind_is_read() -> None:
    thumb = feedback()
    assert (thumb.value, thumb.source, thumb.deployment) == (-1.0, "user", "default")
    assert thumb.at == datetime(2026, 11, 21, 1, 5, tzinfo=UTC)
    assert feedback(kind="rating", value=0.25).value == 0.25
    edit = feedback(kind="edit", value="60 days.", expected="60 days.", failure_category="facts", source="reviewer")
    assert (edit.kind, edit.text, edit.value, edit.expected) == (FeedbackKind.EDIT, "60 days.", None, "60 days.")
    assert (edit.failure_category, edit.source, edit.is_correction) == ("facts", "reviewer", True)
    for kind in ("retry", "report", "discard", "ticket", "comment"):
        assert feedback(kind=kind, value=None, comment="wrong").comment == "wrong"
    assert not feedback(value=1).is_correction


@pytest.mark.parametrize("key", ["interaction_id", "response_id", "conversation_id"])
def test_any_one_key_is_enough(key: str) -> None:
    assert getattr(feedback(**{"interaction_id": None, key: "k"}), key) == "k"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


@given(
    change=st.dictionaries(st.sampled_from(sorted({*FULL, *native_feedback(), "expected"})), JSON, max_size=4),
    kind=st.booleans(),
)
@settings(max_examples=examples(400))
def test_no_record_raises_anything_but_malformed(change: dict[str, Any], kind: bool) -> None:
    record = (FULL if kind else native_feedback()) | change
    with suppress(MalformedRecord):
        decode_record(record, NOW, "default")

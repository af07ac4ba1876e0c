import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from monitor.domain.interaction import ChatMessage, ContentState, Interaction, Status, ToolCall
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.genai.convention import GenAI
from monitor.ingest.conventions.kept_attributes import attributes_for_calls_below
from monitor.ingest.conventions.roles import Role
from monitor.ingest.spans import OtlpSpan
from tests.ingest import build
from tests.ingest.build import START_NS, context, event, log_record, span, user
from tests.properties import examples

QUESTION = [{"role": "user", "parts": [{"type": "text", "content": "refund?"}]}]
ANSWER = [{"role": "assistant", "parts": [{"type": "text", "content": "30 days."}], "finish_reason": "stop"}]
UNNAMED: dict[str, Any] = {"gen_ai.response.finish_reasons": None}  # no finish reason
STREAMED: dict[str, Any] = UNNAMED | {"gen_ai.request.stream": True}
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
ASKED = {"gen_ai.input.messages": json.dumps(QUESTION), "gen_ai.output.messages": json.dumps(ANSWER)}


def read(attributes: dict[str, Any] | None = None, **fields: Any) -> Interaction:
    return GenAI().read_call(span(attributes, **fields), context())


def test_messages_are_the_same_from_json_text_and_structured_values() -> None:
    of_text = read(ASKED)
    of_values = read({"gen_ai.input.messages": QUESTION, "gen_ai.output.messages": ANSWER})
    assert of_text.input_messages == of_values.input_messages == (user("refund?"),)
    assert of_text.output_text == of_values.output_text == "30 days."
    assert of_text.content_state is ContentState.FULL


def test_old_names_give_the_same_as_current_ones() -> None:
    old = read(
        {"gen_ai.provider.name": None, "gen_ai.system": "openai", "gen_ai.openai.response.system_fingerprint": "fp_1"}
    )
    assert (old.provider, old.system_fingerprint, old.convention) == ("openai", "fp_1", "otel-genai")


def test_span_events_of_the_old_generation_carry_the_texts() -> None:
    choice = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "f"}}]}
    found = read(
        {"gen_ai.response.finish_reasons": None},
        events=(
            event("gen_ai.system.message", content="Be kind."),
            event("gen_ai.user.message", content="refund?"),
            event("gen_ai.choice", index=0, finish_reason="tool_calls", message=json.dumps(choice)),
        ),
    )
    assert (found.system_prompt, found.input_text) == ("Be kind.", "refund?")
    assert found.output_messages == (
        ChatMessage(role="assistant", content="", tool_calls=(ToolCall(id="c1", name="f", arguments=""),)),
    )
    assert (found.finish_reason, found.status) == ("tool_calls", Status.OK)


def test_span_events_are_put_in_the_order_of_their_time() -> None:
    later, earlier = event("gen_ai.user.message", content="two"), event("gen_ai.user.message", content="one")
    later = replace(later, time_ns=START_NS + 5)
    assert [m.content for m in read(events=(later, earlier)).input_messages] == ["one", "two"]


def test_attributes_win_over_events_with_the_same_texts() -> None:
    found = read(ASKED, events=(event("gen_ai.user.message", content="refund?"),))
    assert len(found.input_messages) == 1


def test_the_details_event_on_a_span_is_read_too() -> None:
    found = read(events=(event("gen_ai.client.inference.operation.details", **ASKED),))
    assert found.output_text == "30 days."


def test_system_and_developer_messages_are_the_system_prompt() -> None:
    requested = [{"role": "developer", "content": "Be kind."}, *QUESTION]
    found = read({"gen_ai.input.messages": requested})
    assert (found.system_prompt, found.input_messages) == ("Be kind.", (user("refund?"),))


@pytest.mark.parametrize("value", ['[{"type":"text","content":"Be kind."}]', "Be kind.", [{"content": "Be kind."}]])
def test_system_instructions_are_parts_or_plain_text(value: Any) -> None:
    assert read({"gen_ai.system_instructions": value}).system_prompt == "Be kind."


@pytest.mark.parametrize(
    ("value", "reason"), [(["length"], "length"), ("length", "length"), ('["length","stop"]', "length"), (None, None)]
)
def test_finish_reasons_are_a_list_a_string_or_a_list_in_a_string(value: Any, reason: str | None) -> None:
    assert read({"gen_ai.response.finish_reasons": value}).finish_reason_raw == reason


@pytest.mark.parametrize("written", [json.dumps, lambda value: value])
def test_messages_with_an_empty_finish_reason_are_chunks_of_one(written: Any) -> None:
    result = [("30 ", ""), ("days", ""), (".", "stop"), ("Bye.", "stop")]
    chunks = [
        {"role": "assistant", "parts": [{"type": "text", "content": text}], "finish_reason": reason}
        for text, reason in result
    ]
    call = GenAI().read_call(span({"gen_ai.output.messages": written(chunks)}), context())
    assert [message.content for message in call.output_messages] == ["30 days.", "Bye."]


def test_the_finish_reason_of_the_output_message_replaces_a_missing_attribute() -> None:
    assert read(ASKED | {"gen_ai.response.finish_reasons": None}).finish_reason == "stop"


@pytest.mark.parametrize(
    ("attributes", "status"),
    [
        (ASKED, Status.OK),
        ({"gen_ai.response.finish_reasons": ["error"]}, Status.INCOMPLETE),
        ({"gen_ai.response.finish_reasons": None, "gen_ai.request.stream": True}, Status.INCOMPLETE),
        (UNNAMED | {"gen_ai.output.messages": '[{"content":"30 days."}]'}, Status.OK),
        (UNNAMED | {"gen_ai.output.messages": '[{"content":"30 days."},{"con'}, Status.INCOMPLETE),
        (STREAMED | {"gen_ai.output.messages": '[{"content":"30 days."}]'}, Status.INCOMPLETE),
        (STREAMED | {"gen_ai.output.messages": '[{"content":"30 da"}]', OUTPUT_TOKENS: 1}, Status.INCOMPLETE),
        (STREAMED | {"gen_ai.output.messages": '[{"content":"30 days."}]', OUTPUT_TOKENS: 4}, Status.OK),
        (UNNAMED | {"gen_ai.response.time_to_first_chunk": 0.2}, Status.INCOMPLETE),
        ({"gen_ai.response.finish_reasons": ["in_progress"]}, Status.INCOMPLETE),
        ({"gen_ai.response.finish_reasons": ["failed"]}, Status.INCOMPLETE),
        ({"gen_ai.response.finish_reasons": None}, Status.OK),
        ({"error.type": "timeout"}, Status.ERROR),
    ],
)
def test_a_call_with_a_truncated_answer_is_incomplete(attributes: dict[str, Any], status: Status) -> None:
    assert read(attributes).status is status


def test_the_class_of_an_error_comes_from_its_type_or_its_exception() -> None:
    exception = event("exception", **{"exception.type": "ReadTimeout"})
    assert read({"error.type": "429"}, failed=True).error_type == "429"
    assert read(failed=True, events=(exception,)).error_type == "ReadTimeout"
    assert read(failed=True).error_type == "_OTHER"


def test_a_printed_python_class_is_the_error_type() -> None:
    call = GenAI().read_call(span({"error.type": "<class 'openai.BadRequestError'>"}), context())
    assert (call.error_type, call.error_class) == ("openai.BadRequestError", "bad_request")


def test_a_first_token_after_the_end_is_in_milliseconds() -> None:
    def ttft_ms(result: float) -> float | None:
        return GenAI().read_call(span({"gen_ai.server.time_to_first_token": result}), context()).ttft_ms

    assert (ttft_ms(0.25), ttft_ms(1.5)) == (250.0, 1500.0), "the call took 1.5 s"
    assert ttft_ms(320) == 320.0
    assert ttft_ms(2_000) == 2_000_000.0, "neither fits"


def test_a_failed_call_with_its_input_is_complete_content() -> None:
    found = read({"gen_ai.input.messages": QUESTION, "error.type": "timeout"}, failed=True)
    assert found.content_state is ContentState.FULL


@pytest.mark.parametrize(
    ("attributes", "state"),
    [
        ({}, ContentState.ABSENT),
        ({"gen_ai.input.messages": QUESTION}, ContentState.PARTIAL),
        ({"gen_ai.output.messages": ANSWER}, ContentState.PARTIAL),
        (ASKED | {"gen_ai.output.messages": "<hidden>"}, ContentState.REDACTED),
        (ASKED | {"gen_ai.output.messages": "[REDACTED]"}, ContentState.REDACTED),
        (ASKED | {"gen_ai.output.messages": "{30 days}"}, ContentState.PARTIAL),
        (ASKED | {"gen_ai.output.messages": "30 days."}, ContentState.FULL),
        (ASKED | {"gen_ai.output.messages": json.dumps(ANSWER)[:-20]}, ContentState.TRUNCATED),
    ],
)
def test_the_content_state_describes_the_texts(attributes: dict[str, Any], state: ContentState) -> None:
    assert read(attributes).content_state is state


@given(cut=st.integers(min_value=1, max_value=400))
@settings(max_examples=examples(100))
def test_messages_cut_at_any_character_keep_the_row_and_the_messages_before_the_cut(cut: int) -> None:
    messages = [{"role": "user", "parts": [{"type": "text", "content": f"turn {i} 🚲"}]} for i in range(5)]
    whole = json.dumps(messages, ensure_ascii=False)
    found = read(ASKED | {"gen_ai.input.messages": whole[:cut]})
    complete = [f"turn {i} 🚲" for i in range(5)]
    contents = [m.content for m in found.input_messages]
    assert contents == complete[: len(contents)]
    assert found.content_state is (ContentState.FULL if cut >= len(whole) else ContentState.TRUNCATED)


def test_times_are_utc_to_the_microsecond_and_an_end_before_the_start_is_no_duration() -> None:
    found = read(start_ns=START_NS + 123_456_789, end_ns=START_NS)
    assert found.started_at.isoformat() == "2026-11-20T23:05:11.123456+00:00"
    assert found.duration_ms is None
    assert read().duration_ms == 1500.0


def test_usage_and_parameters_are_numbers_from_any_type() -> None:
    found = read(
        {
            "gen_ai.usage.prompt_tokens": "12",
            "gen_ai.usage.output_tokens": 3.0,
            "gen_ai.request.temperature": 0,
            "gen_ai.request.max_tokens": 256,
            "gen_ai.openai.request.seed": -7,
        }
    )
    assert (found.input_tokens, found.output_tokens, found.temperature) == (12, 3, 0.0)
    assert (found.max_tokens, found.seed) == (256, -7)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"trace_id": "0" * 32}, "trace id is not 32 hexadecimal digits"),
        ({"span_id": "xyz"}, "span id is not 16 hexadecimal digits"),
        ({"start_ns": 0}, "no start time"),
        ({"start_ns": 2**80}, "start time is out of range"),
    ],
)
def test_a_span_without_an_id_or_a_start_is_malformed(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(MalformedRecord, match=reason):
        GenAI().read_call(span(**fields), context())


@pytest.mark.parametrize(
    ("attributes", "claimed"),
    [
        ({}, True),
        ({"gen_ai.operation.name": "generate_content"}, True),
        ({"gen_ai.operation.name": "text_completion"}, True),
        ({"gen_ai.operation.name": "execute_tool"}, False),
        ({"gen_ai.operation.name": "invoke_agent"}, False),
        ({"gen_ai.operation.name": "embeddings"}, False),
        ({"gen_ai.operation.name": None}, True),
        ({"gen_ai.operation.name": None, "gen_ai.agent.name": "nora"}, False),
        ({"gen_ai.operation.name": None, "gen_ai.request.model": None}, False),
    ],
)
def test_only_model_calls_are_recognized(attributes: dict[str, Any], claimed: bool) -> None:
    assert (GenAI().role_of(span(attributes)) is Role.CALL) is claimed


def test_attributes_above_the_call_are_inherited() -> None:
    reported = {
        "session.id": "s-1",
        "enduser.id": "u-1",
        "driftd.prompt.id": "support",
        "driftd.prompt.version": "3",
    } | {
        "driftd.category": "billing",
        "app.topic": "refund",
        "http.route": "/chat",
    }
    parent = context(reported, kept=attributes_for_calls_below(reported, frozenset({"app.topic"})))
    found = GenAI().read_call(span({"gen_ai.prompt.version": "9"}), parent)
    assert (found.conversation_id, found.user_id) == ("s-1", "u-1")
    assert (found.prompt_id, found.prompt_version) == ("support", "3")
    assert (found.attributes["driftd.category"], found.attributes["app.topic"]) == ("billing", "refund")
    assert "http.route" not in found.attributes


def test_kept_attributes_are_bounded_and_have_no_texts() -> None:
    found = read(
        ASKED
        | {
            "gen_ai.tool.definitions": "[" + "x" * 5000,
            "gen_ai.prompt.0.content": "secret",
            "llm.latency": float("inf"),
        }
        | {"tags": ["a", "b"], "half": "\ud83d"}
    )
    assert len(str(found.attributes["gen_ai.tool.definitions"])) == 2001
    assert (found.attributes["tags"], found.attributes["half"]) == (["a", "b"], "�")
    assert found.attributes["llm.latency"] == "inf"
    assert found.attributes["service.name"] == "support-bot"
    assert "secret" not in str(found.attributes)
    assert "refund?" not in str(found.attributes)


def test_a_log_event_without_a_span_is_rejected_with_a_reason() -> None:
    with pytest.raises(MalformedRecord, match=r"span id of the event gen_ai.user.message"):
        GenAI().read_texts(log_record("gen_ai.user.message", {"content": "hi"}, span_id=""))


def test_a_tool_event_names_the_call_it_answers() -> None:
    texts = GenAI().read_texts(log_record("gen_ai.tool.message", {"id": "c1", "content": "7 C"}))
    assert texts.inputs == (ChatMessage(role="tool", content="7 C", tool_call_id="c1"),)


def test_an_event_stripped_of_its_content_carries_no_text() -> None:
    assert not GenAI().read_texts(log_record("gen_ai.user.message", {})).found
    choice = GenAI().read_texts(
        log_record("gen_ai.choice", {"finish_reason": "stop", "message": {"role": "assistant"}})
    )
    assert (choice.found, choice.finish_reason) == (False, "stop")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["[", '[{"', "stop"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["role", "parts", "content", "type", "tool_calls", "function", "name", "finish_reason", "id"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
NAMES = st.sampled_from(
    [
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.response.finish_reasons",
        "gen_ai.usage.input_tokens",
        "gen_ai.request.temperature",
        "gen_ai.request.max_tokens",
        "gen_ai.request.seed",
        "gen_ai.response.id",
        "gen_ai.operation.name",
        "error.type",
        "driftd.run",
    ]
)


EVENTS = st.sampled_from(["user.message", "choice", "client.inference.operation.details"])


@given(attributes=st.dictionaries(NAMES, VALUES, max_size=6), body=VALUES, name=EVENTS)
@settings(max_examples=examples(400))
def test_no_value_of_an_attribute_raises_anything_but_malformed(attributes: Any, body: Any, name: str) -> None:
    genai = GenAI()
    built: OtlpSpan = span(attributes, events=(event(f"gen_ai.{name}", content=body, message=body),))
    genai.role_of(built)
    for read_it in (
        lambda: genai.read_call(built, context(attributes)),
        lambda: genai.read_texts(log_record(f"gen_ai.{name}", body, attributes=attributes)),
    ):
        with suppress(MalformedRecord):
            read_it()


def test_ids_are_trace_and_span() -> None:
    assert read().id == f"{build.TRACE}:{build.SPAN}"

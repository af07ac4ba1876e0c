"""OpenInference spans that are not in the captured requests."""

import json
from typing import Any

import pytest

from monitor.domain.interaction import ContentState, Interaction, Status
from monitor.ingest.conventions.openinference import OpenInference
from monitor.ingest.conventions.roles import Role
from tests.ingest.build import context, span, user


def test_the_prompts_of_a_completion_are_its_input() -> None:
    """`input.value` has the arguments of the traced function."""
    result = {
        "openinference.span.kind": "LLM",
        "llm.prompts": ["refund?"],
        "input.value": '{"args": ["refund?"]}',
        "output.value": "30 days",
    }
    call = OpenInference().read_call(span(result), context())
    assert call.input_messages == (user("refund?"),)
    assert (call.output_text, call.content_state) == ("30 days", ContentState.FULL)
    assert "llm.prompts" not in call.attributes


def test_the_requested_model_is_not_the_response_model() -> None:
    """A stream may have only the requested model. If it counted as the response model, each stream would be a model
    change.
    """
    result = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "gpt-4",
        "llm.invocation_parameters": '{"model": "gpt-4"}',
        "output.value": "30 days",
    }
    call = OpenInference().read_call(span(result), context())
    assert (call.request_model, call.response_model) == ("gpt-4", None)
    answered = OpenInference().read_call(span(result | {"llm.model_name": "gpt-4-0314"}), context())
    assert (answered.request_model, answered.response_model) == ("gpt-4", "gpt-4-0314")


RESPONSE = {
    "id": "__fake_id__",
    "object": "response",
    "model": "gpt-4o-mini",
    "output": [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "30 days."}],
            "provider_data": {"response_id": "chatcmpl-1", "model": "gpt-4o-mini-2026"},
        }
    ],
    "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 3}, "output_tokens": 4},
}
ASKED = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "refund?"}
CALL = {"openinference.span.kind": "LLM", "llm.model_name": "gpt-4o-mini"}


@pytest.mark.parametrize("answer", [RESPONSE, [RESPONSE]])
def test_an_answer_that_is_only_in_the_raw_output_is_read(answer: Any) -> None:
    call = OpenInference().read_call(span(CALL | ASKED | {"output.value": json.dumps(answer)}), context())
    assert (call.output_text, call.response_id) == ("30 days.", "chatcmpl-1")
    assert call.cached_input_tokens == 3


def test_messages_only_in_the_raw_output_are_the_answer() -> None:
    tool = {"id": "t1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    answer = json.dumps([{"text": None, "tool_calls": [tool]}])
    call = OpenInference().read_call(span(CALL | ASKED | {"output.value": answer}), context())
    assert [c.name for m in call.output_messages for c in m.tool_calls] == ["search"]
    assert call.status is Status.OK


def test_a_call_without_a_known_answer_is_incomplete() -> None:
    def status(**more: Any) -> Status:
        return OpenInference().read_call(span(CALL | ASKED | more), context()).status

    assert status() is Status.INCOMPLETE
    assert status(**{"llm.token_count.completion": 4}) is Status.OK
    assert status(**{"output.value": "30 days."}) is Status.OK
    assert status(**{"output.value": "__REDACTED__"}) is Status.INCOMPLETE


def test_a_prepared_request_is_not_a_call() -> None:
    """The prepared call has its own span."""
    request = json.dumps({"messages": ["system: Be kind.", "user: refund?"], "tools": [{"type": "function"}]})
    prepared = span(CALL | {"input.value": "{}", "output.value": request})
    assert OpenInference().role_of(prepared) is Role.STEP
    called = span(CALL | ASKED | {"output.value": request})
    assert OpenInference().role_of(called) is Role.CALL
    for answer in ('{"messages": []}', '{"tools": []}', "[]", "30 days.", '{"choices": []}'):
        assert OpenInference().role_of(span(CALL | {"output.value": answer})) is Role.CALL


def test_messages_parts_and_tool_calls_are_in_the_order_of_their_numbers() -> None:
    answer = "llm.output_messages.0.message"
    read = call_of(
        {
            "llm.input_messages.10.message.content": "last",
            "llm.input_messages.2.message.content": "first",
            f"{answer}.contents.10.message_content.text": "b",
            f"{answer}.contents.9.message_content.text": "a",
            f"{answer}.contents.1.message_content.text": "not an answer",
            f"{answer}.contents.1.message_content.type": "reasoning",
            f"{answer}.tool_calls.10.tool_call.function.name": "second",
            f"{answer}.tool_calls.3.tool_call.function.name": "first",
            f"{answer}.tool_calls.3.tool_call.function.arguments": "{}",
            f"{answer}.tool_calls.3.tool_call.id": "t3",
        }
    )
    assert [m.content for m in read.input_messages] == ["first", "last"]
    [output] = read.output_messages
    assert output.content == "a\nb"
    assert [(c.id, c.name, c.arguments) for c in output.tool_calls] == [("t3", "first", "{}"), (None, "second", "")]


def test_the_last_of_two_attributes_with_the_same_number_counts() -> None:
    read = call_of({"llm.input_messages.0.message.content": "one", "llm.input_messages.00.message.content": "two"})
    assert [m.content for m in read.input_messages] == ["two"]


def test_spans_with_the_same_names_have_their_own_values() -> None:
    """The messages are planned once for each set of names; roles, types and hidden texts are values."""
    names = ("llm.input_messages.0.message.role", "llm.input_messages.0.message.content")
    part = "llm.input_messages.0.message.contents.0.message_content"

    def read(role: Any, content: Any, kind: Any) -> list[tuple[str, str]]:
        attributes = dict(zip(names, (role, content), strict=True)) | {f"{part}.text": "part", f"{part}.type": kind}
        found = call_of(attributes)
        return [
            *((m.role, m.content) for m in found.input_messages),
            *(("system", s) for s in [found.system_prompt] if s),
        ]

    assert read("user", "hi", "text") == [("user", "hi")]
    assert read("model", None, "text") == [("assistant", "part")]
    assert read("system", "__REDACTED__", "text") == [("system", "part")]
    assert read(7, None, "image") == []
    assert read(None, 3, None) == [("user", "3")]


def call_of(attributes: dict[str, Any]) -> Interaction:
    return OpenInference().read_call(span(CALL | attributes), context())

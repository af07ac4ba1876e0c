"""OpenInference spans that are not in the captured requests."""

import json
from typing import Any

import pytest

from monitor.domain.interaction import ContentState, Status
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

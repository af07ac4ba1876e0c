"""Shapes that the newest versions of live clients send; the clients themselves run in tests/clients/matrix."""

import json

import pytest

from monitor.domain.interaction import FinishReason, Status
from monitor.ingest.conventions.genai.convention import GenAI
from monitor.ingest.conventions.langfuse import Langfuse
from monitor.ingest.conventions.langsmith import LangSmith
from monitor.ingest.conventions.litellm import LiteLLM
from monitor.ingest.conventions.openinference import OpenInference
from monitor.ingest.conventions.response_metadata import metadata_of_answer
from tests.ingest.build import context, event, span

LLM = {"openinference.span.kind": "LLM"}
GENERATION = {"langfuse.observation.type": "generation"}
CALL = {"id": "call_1", "name": "get_weather", "args": {"city": "Paris"}, "type": "tool_call"}


def test_instructions_that_messages_repeat_are_read_once() -> None:
    text = {"type": "text", "content": "Be kind."}
    attributes = {
        "gen_ai.system_instructions": json.dumps([text]),
        "gen_ai.input.messages": json.dumps([{"role": "system", "parts": [text]}]),
    }
    assert GenAI().read_call(span(attributes), context()).system_prompt == "Be kind."


def test_a_tool_call_in_two_places_of_one_message_is_one_call() -> None:
    message = "llm.output_messages.0.message."
    call = {"id": "call_1", "function.name": "get_weather", "function.arguments": '{"city": "Paris"}'}
    places = ("tool_calls.0.tool_call.", "contents.0.tool_call.")
    attributes = {f"{message}{place}{name}": value for place in places for name, value in call.items()}
    [reported] = OpenInference().read_call(span(LLM | attributes), context()).output_messages
    assert [(one.id, one.name) for one in reported.tool_calls] == [("call_1", "get_weather")]


def test_a_result_of_a_tool_in_parts_of_text_is_their_text() -> None:
    part = {"type": "text", "text": "19 degrees"}
    result = {"type": "tool_call_response", "id": "call_1", "response": [part, {"type": "text", "text": "dry"}]}
    attributes = {"gen_ai.input.messages": json.dumps([{"role": "tool", "parts": [result]}])}
    [message] = GenAI().read_call(span(attributes), context()).input_messages
    assert (message.content, message.tool_call_id) == ("19 degrees\ndry", "call_1")
    attributes = {"gen_ai.input.messages": json.dumps([{"role": "tool", "parts": [result | {"response": [1, 2]}]}])}
    [message] = GenAI().read_call(span(attributes), context()).input_messages
    assert message.content == "[1, 2]"


def test_openinference_has_requested_and_response_model() -> None:
    attributes = {
        "llm.request.model_name": "claude-sonnet-4-5",
        "llm.model_name": "claude-sonnet-4-5-2026-03-01",
        "llm.response.model_name": "claude-sonnet-4-5-2026-03-01",
    }
    call = OpenInference().read_call(span(LLM | attributes), context())
    assert (call.request_model, call.response_model) == ("claude-sonnet-4-5", "claude-sonnet-4-5-2026-03-01")


def test_an_answer_of_gemini_without_a_reason_is_incomplete() -> None:
    candidate = {"content": {"parts": [{"text": "Yes"}], "role": "model"}}
    output = {"llm.output_messages.0.message.role": "model", "llm.output_messages.0.message.content": "Yes"}
    attributes = {**LLM, **output, "output.value": json.dumps({"candidates": [candidate]})}
    call = OpenInference().read_call(span(attributes), context())
    assert (call.status, call.output_messages[0].role) == (Status.INCOMPLETE, "assistant")


@pytest.mark.parametrize("raised", ["GeneratorExit", "asyncio.exceptions.CancelledError"])
def test_a_stream_that_the_application_abandoned_is_incomplete(raised: str) -> None:
    remaining = event("exception", **{"exception.type": raised})
    call = OpenInference().read_call(span(LLM, events=(remaining,), failed=True), context())
    assert (call.status, call.error_class, call.error_type) == (Status.INCOMPLETE, None, None)


def test_a_langchain_run_id_is_not_a_response_id() -> None:
    assert metadata_of_answer({"id": "lc_run--01a20450", "model": "m", "choices": []}).id is None
    assert metadata_of_answer({"id": "chatcmpl-1", "model": "m", "choices": []}).id == "chatcmpl-1"


def test_langfuse_token_parts_are_added_when_the_total_requires_it() -> None:
    parts = {"input": 82, "output": 34, "total": 190, "input_audio": 0, "input_cache_read": 65, "output_reasoning": 9}
    attributes = GENERATION | {"langfuse.observation.usage_details": json.dumps(parts)}
    call = Langfuse().read_call(span(attributes), context())
    assert (call.input_tokens, call.output_tokens) == (147, 43)
    assert (call.cached_input_tokens, call.reasoning_tokens) == (65, 9)


def test_langfuse_token_parts_are_not_added_when_the_rest_includes_them() -> None:
    parts = {"input": 147, "output": 43, "total": 190, "input_cached_tokens": 65}
    attributes = GENERATION | {"langfuse.observation.usage_details": json.dumps(parts)}
    call = Langfuse().read_call(span(attributes), context())
    assert (call.input_tokens, call.output_tokens, call.cached_input_tokens) == (147, 43, 65)


def test_a_streamed_langfuse_response_has_its_id_and_status() -> None:
    inner = "langfuse.observation.metadata."
    attributes = {f"{inner}id": '"resp_1"', f"{inner}status": '"completed"'}
    call = Langfuse().read_call(span(GENERATION | attributes | {f"{inner}object": '"response"'}), context())
    assert (call.response_id, call.finish_reason) == ("resp_1", FinishReason.STOP)
    attributes = {f"{inner}id": '"ticket-1"', f"{inner}status": '"open"'}
    of_the_application = Langfuse().read_call(span(GENERATION | attributes), context())
    assert (of_the_application.response_id, of_the_application.finish_reason_raw) == (None, None)


def test_langfuse_reads_langchain_metadata() -> None:
    inner = "langfuse.observation.metadata."
    attributes = {f"{inner}ls_model_name": '"gpt-4"', f"{inner}langfuse_session_id": '"s-1"'}
    attributes |= {f"{inner}langfuse_user_id": '"u-1"', "langfuse.observation.model.name": "gpt-4-0314"}
    call = Langfuse().read_call(span(GENERATION | attributes), context())
    assert (call.request_model, call.response_model) == ("gpt-4", "gpt-4-0314")
    assert (call.conversation_id, call.conversation_source) == ("s-1", f"{inner}langfuse_session_id")
    assert call.user_id == "u-1"


def test_a_tool_definition_among_langfuse_messages_is_not_a_result() -> None:
    tool = {"role": "tool", "content": {"type": "function", "function": {"name": "get_weather"}}}
    requested = [{"role": "user", "content": "Weather?"}, tool]
    reported = {"role": "assistant", "content": "", "tool_calls": [CALL], "additional_kwargs": {}}
    attributes = {
        "langfuse.observation.input": json.dumps(requested),
        "langfuse.observation.output": json.dumps(reported),
    }
    call = Langfuse().read_call(span(GENERATION | attributes), context())
    assert [message.role for message in call.input_messages] == ["user"]
    [built] = call.output_messages[0].tool_calls
    assert (built.name, json.loads(built.arguments)) == ("get_weather", {"city": "Paris"})


@pytest.mark.parametrize("text", ["", "I look it up."])
def test_litellm_numbered_tool_calls_complete_the_list(text: str) -> None:
    parts = [{"type": "text", "content": text}] if text else []
    attributes = {
        "litellm.call_id": "c-1",
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": parts, "finish_reason": "tool_calls"}]),
        "gen_ai.completion.0.function_call.name": "get_weather",
        "gen_ai.completion.0.function_call.arguments": '{"city": "Paris"}',
    }
    [answer] = LiteLLM().read_call(span(attributes), context()).output_messages
    assert answer.content == text
    assert [(one.name, json.loads(one.arguments)) for one in answer.tool_calls] == [("get_weather", {"city": "Paris"})]


def test_langsmith_names_more_parameters_and_no_output_of_a_failed_call() -> None:
    attributes = {
        "langsmith.span.kind": "llm",
        "langsmith.metadata.ls_invocation_params": '{"seed": 7, "top_p": 0.9}',
        "gen_ai.completion": '{"output": null}',
        "gen_ai.response.finish_reasons": None,
    }
    call = LangSmith().read_call(span(attributes, failed=True), context())
    assert (call.seed, call.top_p, call.output_messages) == (7, 0.9, ())
    assert call.finish_reason is not FinishReason.STOP

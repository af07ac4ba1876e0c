from typing import Any

import pytest

from monitor.domain.interaction import (
    ChatMessage,
    ContentState,
    CostSource,
    Interaction,
    Status,
    ToolCall,
    UsageSource,
)
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.litellm import LiteLLM
from monitor.ingest.conventions.texts.call_texts import Texts
from tests.ingest.build import context, log_record, span, user
from tests.ingest.recognize import is_call

USAGE = "{'completion_tokens_details': {'reasoning_tokens': 64}, 'prompt_tokens_details': {'cached_tokens': 128}}"
CALL = {
    "gen_ai.operation.name": None,
    "gen_ai.provider.name": None,
    "gen_ai.response.finish_reasons": None,
    "gen_ai.system": "openai",
    "llm.request.type": "completion",
    "llm.is_streaming": "False",
    "litellm.call_id": "8934926c",
    "gen_ai.response.id": "chatcmpl-1",
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.usage.output_tokens": 45,
    "gen_ai.cost.total_cost": 2.8e-05,
    "metadata.usage_object": USAGE,
    "metadata.user_api_key_hash": "",
    "metadata.user_api_key_user_email": "ann@example.org",
    "hidden_params": '{"api_base": "http://127.0.0.1"}',
}


def read(attributes: dict[str, Any] | None = None, **fields: Any) -> Interaction:
    return LiteLLM().read_call(span(CALL | (attributes or {}), **fields), context())


def event_of(name: str, body: Any, **attributes: Any) -> Texts:
    record = log_record("", body, attributes={"event_name": name, **attributes})
    assert LiteLLM().claims_log(record)
    return LiteLLM().read_texts(record)


def test_cost_and_tokens_are_the_values_of_the_callback() -> None:
    found = read()
    assert (found.cost_usd, found.cost_source) == (2.8e-05, CostSource.EMITTED)
    assert (found.input_tokens, found.output_tokens, found.usage_source) == (9, 45, UsageSource.EMITTED)
    assert (found.cached_input_tokens, found.reasoning_tokens) == (128, 64)


def test_zero_counts_of_a_stream_without_usage_are_ignored() -> None:
    found = read({"gen_ai.usage.input_tokens": 0, "gen_ai.usage.output_tokens": 0, "gen_ai.cost.total_cost": 0.0})
    assert (found.input_tokens, found.output_tokens, found.usage_source) == (None, None, UsageSource.ABSENT)
    assert (found.cost_usd, found.cost_source) == (None, None)


def test_keys_users_and_empty_texts_are_not_kept() -> None:
    found = read({"llm.user": "user-831", "metadata.team_alias": "shop"})
    assert found.user_id == "user-831"
    assert found.attributes == {
        "service.name": "support-bot",
        "litellm.call_id": "8934926c",
        "llm.is_streaming": "False",
        "metadata.team_alias": "shop",
    }


def test_a_failed_call_has_no_response_id_though_it_repeats_its_own() -> None:
    found = read({"gen_ai.response.id": "8934926c", "error.type": "RateLimitError"}, failed=True)
    assert (found.response_id, found.error_class, found.status) == (None, "rate_limit", Status.ERROR)
    assert found.content_state is ContentState.ABSENT


def test_texts_of_its_events_are_read_from_the_body() -> None:
    assert event_of("gen_ai.content.prompt", {"role": "system", "content": "Be kind."}).system == ("Be kind.",)
    assert event_of("gen_ai.content.prompt", {"role": "user", "content": "refund?"}).inputs == (user("refund?"),)
    called = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    assert event_of("gen_ai.content.prompt", {"role": "assistant", "content": None, "tool_calls": [called]}).inputs == (
        ChatMessage(role="assistant", content="", tool_calls=(ToolCall(id="c1", name="look", arguments="{}"),)),
    )
    result = {"role": "tool", "tool_call_id": "c1", "content": "late"}
    assert event_of("gen_ai.content.prompt", result).inputs == (
        ChatMessage(role="tool", content="late", tool_call_id="c1"),
    )
    answer = event_of(
        "gen_ai.content.completion",
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "30 days."}},
    )
    assert (answer.outputs, answer.finish_reason) == ((ChatMessage(role="assistant", content="30 days."),), "stop")


def test_an_event_without_a_body_has_its_text_in_attributes() -> None:
    assert event_of("gen_ai.content.prompt", None, **{"gen_ai.prompt": "refund?"}).inputs == (user("refund?"),)
    answer = event_of("gen_ai.content.completion", None, **{"message.content": "30 days.", "finish_reason": "stop"})
    assert (answer.outputs[0].content, answer.finish_reason) == ("30 days.", "stop")


def test_a_choice_that_only_called_tools_has_no_text_and_its_reason() -> None:
    answer = event_of("gen_ai.content.completion", {"finish_reason": "tool_calls", "message": {"role": "assistant"}})
    assert (answer.outputs, answer.finish_reason) == ((), "tool_calls")


def test_an_event_without_a_span_is_malformed() -> None:
    record = log_record(
        "", {"role": "user", "content": "x"}, attributes={"event_name": "gen_ai.content.prompt"}, span_id=""
    )
    with pytest.raises(MalformedRecord, match="span id of LiteLLM's event"):
        LiteLLM().read_texts(record)


def test_message_lists_on_the_span_are_read() -> None:
    found = read(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"refund?"}]}]',
            "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"30 days."}]}]',
            "gen_ai.response.finish_reasons": '["stop"]',
        }
    )
    assert (found.input_messages, found.output_text, found.finish_reason_raw) == (
        (user("refund?"),),
        "30 days.",
        "stop",
    )


@pytest.mark.parametrize("kind", ["embedding", "aembedding", "image_generation", "rerank"])
def test_embeddings_and_images_are_not_calls_in_any_convention(kind: str) -> None:
    assert not is_call(span(CALL | {"llm.request.type": kind}))


def test_the_raw_request_of_a_call_is_not_another_call() -> None:
    raw = dict.fromkeys(CALL) | {"gen_ai.request.model": None, "llm.openai.messages": "[]"}
    assert not is_call(span(raw))


def test_a_placeholder_for_a_text_is_redacted() -> None:
    hidden = '[{"role":"user","content":"redacted-by-litellm"}]'
    found = read({"gen_ai.input.messages": hidden, "gen_ai.output.messages": hidden})
    assert found.content_state is ContentState.REDACTED

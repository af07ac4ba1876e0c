import json
from typing import Any

import pytest

from monitor.domain.interaction import ChatMessage, ContentState, CostSource, Interaction, Status, ToolCall
from monitor.ingest.conventions.pydantic_ai import PydanticAI
from monitor.ingest.conventions.roles import Role
from tests.ingest.build import context, span, user

CALL = {"model_request_parameters": "{}", "logfire.json_schema": "{}", "gen_ai.agent.name": "support_agent"}


def read(attributes: dict[str, Any], parent: dict[str, Any] | None = None) -> Interaction:
    built = span(CALL | attributes)
    assert PydanticAI().role_of(built) is Role.CALL
    return PydanticAI().read_call(built, context(parent))


def test_current_lists_cost_and_usage_details_are_read() -> None:
    found = read(
        {
            "gen_ai.system_instructions": '[{"type":"text","content":"Be kind."}]',
            "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"refund?"}]}]',
            "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"30 days."}]}]',
            "gen_ai.usage.input_tokens": 39,
            "gen_ai.usage.output_tokens": 109,
            "gen_ai.usage.details.reasoning_tokens": 64,
            "gen_ai.usage.details.cache_read_input_tokens": 12,
            "operation.cost": 0.0005225,
            "gen_ai.client.operation.time_to_first_chunk": 0.0615,
        },
        {"session.id": "sess-42", "user.id": "user-831"},
    )
    assert (found.system_prompt, found.input_messages) == ("Be kind.", (user("refund?"),))
    assert (found.output_text, found.content_state) == ("30 days.", ContentState.FULL)
    assert (found.reasoning_tokens, found.cached_input_tokens) == (64, 12)
    assert (found.cost_usd, found.cost_source, found.ttft_ms) == (0.0005225, CostSource.EMITTED, 61.5)
    assert (found.conversation_id, found.user_id) == ("sess-42", "user-831")
    assert found.attributes == {"service.name": "support-bot", "gen_ai.agent.name": "support_agent"}


def test_events_in_one_attribute_are_those_of_version_1() -> None:
    called = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    events = [
        {"event.name": "gen_ai.system.message", "content": "Be kind.", "role": "system"},
        {"event.name": "gen_ai.user.message", "content": "refund?", "role": "user", "gen_ai.message.index": 0},
        {"event.name": "gen_ai.assistant.message", "role": "assistant", "tool_calls": [called]},
        {"event.name": "gen_ai.tool.message", "content": "late", "role": "tool", "id": "c1"},
        {"event.name": "gen_ai.choice", "index": 0, "message": {"role": "assistant", "content": "30 days."}},
        {"event.name": "app.other", "content": "no message"},
    ]
    found = read({"events": json.dumps(events)})
    assert (found.system_prompt, found.output_text) == ("Be kind.", "30 days.")
    assert found.input_messages == (
        user("refund?"),
        ChatMessage(role="assistant", content="", tool_calls=(ToolCall(id="c1", name="look", arguments="{}"),)),
        ChatMessage(role="tool", content="late", tool_call_id="c1"),
    )
    assert found.status is Status.OK


def test_events_cut_at_an_attribute_limit_leave_those_before_the_cut() -> None:
    events = [{"event.name": "gen_ai.user.message", "content": text, "role": "user"} for text in ("one", "two")]
    found = read({"events": json.dumps(events)[:-9]})
    assert (found.input_messages, found.content_state) == ((user("one"),), ContentState.TRUNCATED)


def test_request_and_answer_of_logfire_are_read() -> None:
    requested = {"model": "gpt-4o", "messages": [{"role": "user", "content": "refund?"}]}
    given = {"message": {"role": "assistant", "content": "30 days."}, "usage": {"prompt_tokens": 9}}
    found = read({"request_data": json.dumps(requested), "response_data": json.dumps(given)})
    assert (found.input_messages, found.output_text) == ((user("refund?"),), "30 days.")
    assert "refund?" not in str(found.attributes)


def test_a_call_that_failed_before_its_texts_were_set_has_none() -> None:
    found = read({"gen_ai.response.finish_reasons": None, "error.type": "ModelRateLimitError"})
    assert (found.content_state, found.status) == (ContentState.ABSENT, Status.ERROR)
    assert found.error_class == "rate_limit"


def test_an_event_that_is_not_an_object_does_not_affect_other_events() -> None:
    found = read({"events": ["hi", {"event.name": "gen_ai.user.message", "content": "refund?"}]})
    assert (found.input_text, found.content_state) == ("refund?", ContentState.PARTIAL)


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.request.model": None},
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"},
        {"gen_ai.operation.name": "embeddings"},
    ],
)
def test_agents_tools_and_embeddings_are_not_calls(attributes: dict[str, Any]) -> None:
    assert PydanticAI().role_of(span(CALL | attributes)) is not Role.CALL

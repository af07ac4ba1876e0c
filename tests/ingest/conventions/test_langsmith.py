"""Spans in the format of LangSmith's exporter, which the module of the convention names. No capture exists."""

import json
from typing import Any

import pytest

from monitor.domain.interaction import ChatMessage, ContentState, CostSource, Interaction, Status, ToolCall
from monitor.ingest.conventions.langsmith import LangSmith
from tests.ingest.build import context, event, span, user
from tests.ingest.recognize import convention_of, is_call

RUN = {
    "gen_ai.provider.name": None,
    "gen_ai.response.finish_reasons": None,
    "gen_ai.response.model": None,
    "langsmith.span.id": "0197",
    "langsmith.span.kind": "llm",
    "langsmith.trace.name": "ChatOpenAI",
    "langsmith.trace.session_name": "default",
    "gen_ai.operation.name": "chat",
    "gen_ai.system": "openai",
    "gen_ai.request.model": "gpt-4o",
    "langsmith.metadata.ls_provider": "openai",
    "langsmith.metadata.ls_model_name": "gpt-4o",
}


def read(requested: Any, given: Any, **more: Any) -> Interaction:
    fields = {name: more.pop(name) for name in ("events", "failed") if name in more}
    texts = {"gen_ai.prompt": json.dumps(requested), "gen_ai.completion": json.dumps(given)}
    built = span(RUN | texts | more.pop("attributes", {}), **fields)
    assert convention_of(built) == "langsmith"
    return LangSmith().read_call(built, context())


def lc(kind: str, **kwargs: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind], "kwargs": kwargs}


def test_a_wrapped_client_of_openai_is_read() -> None:
    requested = {
        "model": "gpt-4o",
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "?"}],
    }
    given = {
        "id": "chatcmpl-1",
        "model": "gpt-4o-2024-11-20",
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "30 days."}}],
        "usage_metadata": {
            "input_tokens": 9,
            "output_tokens": 4,
            "input_token_details": {"cache_read": 3},
            "output_token_details": {"reasoning": 2},
        },
    }
    found = read(requested, given, attributes={"gen_ai.response.finish_reasons": "stop, stop"})
    assert (found.system_prompt, found.input_messages, found.output_text) == ("Be kind.", (user("?"),), "30 days.")
    assert (found.response_model, found.finish_reason_raw) == ("gpt-4o-2024-11-20", "stop")
    assert (found.input_tokens, found.output_tokens) == (9, 4)
    assert (found.cached_input_tokens, found.reasoning_tokens) == (3, 2)
    assert (found.content_state, found.status) == (ContentState.FULL, Status.OK)


def test_messages_of_langchain_are_read() -> None:
    call = {"name": "look", "args": {"id": "NW-1"}, "id": "c1", "type": "tool_call"}
    requested = {
        "messages": [
            [
                lc("SystemMessage", content="Be kind.", type="system"),
                lc("HumanMessage", content="late?", type="human"),
                lc("AIMessage", content="", type="ai", tool_calls=[call]),
                lc("ToolMessage", content="in transit", type="tool", tool_call_id="c1"),
            ]
        ]
    }
    answer = lc("AIMessage", content="On its way.", response_metadata={"finish_reason": "stop"})
    found = read(requested, {"generations": [[{"text": "On its way.", "message": answer}]], "llm_output": None})
    searched = ToolCall(id="c1", name="look", arguments='{"id": "NW-1"}')
    assert found.system_prompt == "Be kind."
    assert found.input_messages == (
        user("late?"),
        ChatMessage(role="assistant", content="", tool_calls=(searched,)),
        ChatMessage(role="tool", content="in transit", tool_call_id="c1"),
    )
    assert (found.output_text, found.finish_reason_raw) == ("On its way.", "stop")


def test_an_answer_whose_format_has_no_reason_is_ok() -> None:
    reported = {"role": "assistant", "content": [{"type": "text", "text": "30 days."}]}
    found = read({"messages": [{"role": "user", "content": "refund?"}]}, reported)
    assert (found.output_text, found.finish_reason, found.status) == ("30 days.", None, Status.OK)


def test_an_answer_that_lacks_the_reason_that_its_shape_has_is_incomplete() -> None:
    cut = {"choices": [{"finish_reason": None, "message": {"role": "assistant", "content": "30"}}]}
    assert read({"messages": [{"role": "user", "content": "refund?"}]}, cut).status is Status.INCOMPLETE


def test_inputs_cut_at_an_attribute_limit_leave_the_messages_before_the_cut() -> None:
    requested = json.dumps({"messages": [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]})
    found = read({}, {}, attributes={"gen_ai.prompt": requested[:-8], "gen_ai.completion": None})
    assert (found.input_messages, found.content_state) == ((user("one"),), ContentState.TRUNCATED)


def test_usage_set_by_the_application_has_a_cost() -> None:
    usage = {"input_tokens": 100, "output_tokens": 10, "total_cost": 0.123, "input_token_details": {"cache_read": 40}}
    found = read({"messages": []}, {"content": "x"}, attributes={"langsmith.usage_metadata": json.dumps(usage)})
    assert (found.input_tokens, found.cached_input_tokens) == (100, 40)
    assert (found.cost_usd, found.cost_source) == (0.123, CostSource.EMITTED)


def test_details_of_the_usage_are_also_written_as_a_python_dict() -> None:
    details = {
        "gen_ai.usage.input_token_details": "{'cache_read': 7}",
        "gen_ai.usage.output_token_details": "{'reasoning': 64}",
    }
    found = read({"messages": []}, {"content": "x"}, attributes=details)
    assert (found.cached_input_tokens, found.reasoning_tokens) == (7, 64)


def test_metadata_is_session_user_and_prompt_of_the_hub() -> None:
    reported = {"thread_id": "t-1", "user_id": "user-831", "lc_hub_repo": "answer", "lc_hub_commit_hash": "9f1c2ab"}
    metadata = {f"langsmith.metadata.{name}": value for name, value in reported.items()}
    found = read({"messages": []}, {"content": "x"}, attributes=metadata)
    assert (found.conversation_id, found.conversation_source) == ("t-1", "langsmith.metadata.thread_id")
    assert (found.user_id, found.prompt_id, found.prompt_version) == ("user-831", "answer", "9f1c2ab")
    assert "user-831" not in str(found.attributes)


def test_the_error_class_of_a_failed_run_is_in_its_message() -> None:
    raised = {"exception.type": "Exception", "exception.message": "RateLimitError('Error code: 429 - slow down')"}
    found = read({"messages": []}, {}, failed=True, events=(event("exception", **raised),))
    assert (found.status, found.error_class) == (Status.ERROR, "rate_limit")


def test_spans_that_only_name_their_kind_have_lists_or_numbered_messages() -> None:
    texts = {"gen_ai.prompt": None, "gen_ai.completion": None}
    numbered = {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "refund?"}
    assert read({}, {}, attributes=texts | numbered).input_text == "refund?"
    lists = {"gen_ai.input.messages": '[{"role":"user","content":"refund?"}]'}
    assert read({}, {}, attributes=texts | lists).input_text == "refund?"


@pytest.mark.parametrize(
    ("kind", "operation"), [("chain", "chain"), ("tool", "execute_tool"), ("retriever", "embeddings")]
)
def test_chains_tools_and_retrievers_are_not_calls(kind: str, operation: str) -> None:
    built = span(RUN | {"langsmith.span.kind": kind, "gen_ai.operation.name": operation, "gen_ai.request.model": None})
    assert not is_call(built)

import json
from typing import Any

import pytest

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.ingest.conventions.provider.json_text import read_provider_json
from monitor.ingest.conventions.provider.texts import has_finish_reason_field, texts_of_answer, texts_of_request
from monitor.ingest.conventions.provider.usage import usage_of_answer
from monitor.ingest.conventions.unread import UnreadNotes
from tests.ingest.build import user

LOOK = ToolCall(id="c1", name="look", arguments='{"id":1}')


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": [{"role": "developer", "content": "Be kind."}, {"role": "user", "content": "refund?"}]},
        {"instructions": "Be kind.", "input": "refund?"},
        {
            "instructions": "Be kind.",
            "input": [{"role": "user", "content": [{"type": "input_text", "text": "refund?"}]}],
        },
        {"system": [{"type": "text", "text": "Be kind."}], "messages": [{"role": "user", "content": "refund?"}]},
        {"system": "Be kind.", "contents": [{"role": "user", "parts": [{"text": "refund?"}]}]},
        {"system": "Be kind.", "prompt": "refund?"},
    ],
)
def test_every_provider_asks_with_a_system_prompt_and_a_question(request_: dict[str, Any]) -> None:
    found = texts_of_request(request_)
    assert (found.system, found.inputs) == (("Be kind.",), (user("refund?"),))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "30 days."}}]}, "stop"),
        ({"choices": [{"finish_reason": "stop", "text": "30 days."}]}, "stop"),
        (
            {
                "status": "completed",
                "output": [
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "thinking"}]},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "30 days."}]},
                ],
            },
            "completed",
        ),
        (
            {"role": "assistant", "content": [{"type": "text", "text": "30 days."}], "stop_reason": "end_turn"},
            "end_turn",
        ),
        (
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "30 days."}]}, "finishReason": "STOP"}]},
            "STOP",
        ),
        ({"message": {"role": "assistant", "content": "30 days."}, "done_reason": "stop"}, "stop"),
        ({"generations": [[{"text": "30 days.", "generation_info": {"finish_reason": "stop"}}]]}, "stop"),
        ("30 days.", None),
    ],
)
def test_every_provider_answers_with_a_text_and_a_reason(answer: Any, reason: str | None) -> None:
    found = texts_of_answer(answer)
    assert (found.outputs, found.finish_reason) == ((ChatMessage(role="assistant", content="30 days."),), reason)


def test_tool_calls_of_the_responses_api_are_one_message_with_a_reason() -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": '{"id":1}'}
    reported = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let me look."}]}
    found = texts_of_answer({"status": "completed", "output": [reported, call]})
    assert found.outputs == (ChatMessage(role="assistant", content="Let me look.", tool_calls=(LOOK,)),)
    assert found.finish_reason == "tool_calls"
    result = {"type": "function_call_output", "call_id": "c1", "output": "late"}
    requested = texts_of_request({"input": [{"role": "user", "content": "late?"}, call, result]})
    assert requested.inputs == (
        user("late?"),
        ChatMessage(role="assistant", content="", tool_calls=(LOOK,)),
        ChatMessage(role="tool", content="late", tool_call_id="c1"),
    )


def test_an_incomplete_answer_has_its_reason() -> None:
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}
    assert texts_of_answer(cut).finish_reason == "max_output_tokens"


def test_every_choice_is_an_output_and_a_reason() -> None:
    choices = [{"finish_reason": r, "message": {"role": "assistant", "content": r}} for r in ("stop", "length")]
    found = texts_of_answer({"choices": choices})
    assert [m.content for m in found.outputs] == ["stop", "length"]
    assert found.finish_reasons == ("stop", "length")


def test_a_call_without_a_tool_name_keeps_the_other_messages() -> None:
    requested = [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [{}]}]
    unnamed = ToolCall(id=None, name="", arguments="")
    assert texts_of_request({"messages": requested}).inputs == (
        user("x"),
        ChatMessage(role="assistant", content="", tool_calls=(unnamed,)),
    )


def test_nested_lists_without_messages_become_text() -> None:
    assert texts_of_request([[[["x"]]]]).inputs == (user('["x"]'),)


@pytest.mark.parametrize("nothing", [None, {}, [], ""])
def test_an_empty_request_and_answer_have_no_texts(nothing: Any) -> None:
    assert not texts_of_request(nothing).found
    assert not texts_of_answer(nothing).found


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"choices": []}, True),
        ({"content": [], "stop_reason": None}, True),
        ({"content": [], "role": "assistant"}, False),
        ({"text": "30 days."}, False),
    ],
)
def test_a_reason_is_expected_where_the_shape_has_one(answer: Any, expected: bool) -> None:
    assert has_finish_reason_field(answer) is expected


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 9,
                "prompt_tokens_details": {"cached_tokens": 60},
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
            (100, 9, 60, 5),
        ),
        (
            {
                "input_tokens": 100,
                "output_tokens": 9,
                "input_tokens_details": {"cached_tokens": 60},
                "output_tokens_details": {"reasoning_tokens": 5},
            },
            (100, 9, 60, 5),
        ),
        (
            {"input_tokens": 30, "output_tokens": 9, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 10},
            (100, 9, 60, None),
        ),
        ({"input_tokens": 30, "output_tokens": 9}, (30, 9, None, None)),
    ],
)
def test_input_tokens_include_cached_tokens_of_every_provider(
    usage: dict[str, Any], counts: tuple[int | None, ...]
) -> None:
    found = usage_of_answer({"usage": usage})
    names = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens")
    assert tuple(found.get(name) for name in names) == counts


def test_an_answer_without_usage_counts_nothing() -> None:
    assert usage_of_answer({"choices": [], "usage": None}) == {}


def test_unreadable_usage_details_do_not_affect_other_counts() -> None:
    with UnreadNotes() as noted:
        found = usage_of_answer({"usage": {"prompt_tokens": 1, "completion_tokens": "x", "prompt_tokens_details": 3}})
    assert (found["input_tokens"], found["output_tokens"], found["cached_input_tokens"]) == (1, None, None)
    assert noted == {"completion_tokens": "x", "prompt_tokens_details": 3}


@pytest.mark.parametrize("lost", range(1, 60))
def test_a_truncated_request_loses_no_complete_message(lost: int) -> None:
    """A truncation at any position leaves a prefix of the messages, and the result is marked as truncated."""
    messages = [{"role": "user", "content": text} for text in ("one", "two", "three")]
    text = json.dumps({"model": "m", "messages": messages})
    read = read_provider_json(text[:-lost], "r")
    found = (read.value or {}).get("messages", [])
    whole = sum(text[:-lost].count(json.dumps(m)) for m in messages)
    assert read.cut
    assert not read.unread
    assert found == messages[:whole]


def test_text_that_is_not_json_is_unread() -> None:
    assert read_provider_json("<hidden>", "r").unread
    assert read_provider_json("", "r").value is None

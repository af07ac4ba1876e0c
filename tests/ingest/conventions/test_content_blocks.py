"""Content blocks of Bedrock's Converse API, as JSON in span events."""

import json
from typing import Any

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.ingest.conventions.genai.texts import texts_of_event
from monitor.ingest.conventions.texts.call_texts import Texts
from tests.ingest.build import user

CALL = {"toolUse": {"toolUseId": "t1", "name": "get_weather", "input": {"city": "Paris"}}}
RESULT = {"toolResult": {"toolUseId": "t1", "status": "success", "content": [{"text": "19"}, {"text": "dry"}]}}
TOOL = ChatMessage(
    role="assistant", content="", tool_calls=(ToolCall(id="t1", name="get_weather", arguments='{"city": "Paris"}'),)
)


def event(name: str, **attributes: Any) -> Texts:
    result = {key: value if isinstance(value, str) else json.dumps(value) for key, value in attributes.items()}
    return texts_of_event(f"gen_ai.{name}", result, None)


def test_texts_calls_and_results_are_read() -> None:
    assert event("system.message", content=[{"text": "Be kind."}]).system == ("Be kind.",)
    assert event("user.message", content=[{"text": "one"}, {"text": "two"}]).inputs == (user("one\ntwo"),)
    assert event("assistant.message", content=[CALL]).inputs == (TOOL,)
    result = ChatMessage(role="tool", content="19\ndry", tool_call_id="t1")
    assert event("tool.message", content=[RESULT]).inputs == (result,)
    odd = {"toolResult": {"toolUseId": "t1", "content": [{"json": {"degrees": 19}}]}}
    assert event("tool.message", content=[odd]).inputs[0].content == '[{"json": {"degrees": 19}}]'


def test_a_choice_whose_message_is_a_list_is_an_answer() -> None:
    found = event("choice", message=[{"text": "30 days."}], finish_reason="end_turn")
    assert (found.outputs, found.finish_reasons) == (
        (ChatMessage(role="assistant", content="30 days."),),
        ("end_turn",),
    )
    assert event("choice", message=[CALL], finish_reason="tool_use").outputs == (TOOL,)


def test_text_that_is_not_a_list_of_blocks_stays_text() -> None:
    for text in ('[{"text": "a", "lang": "en"}]', '[{"name": "a"}]', "[1]", "[]", '[{"text": ', '{"text": "a"}'):
        assert event("user.message", content=text).inputs == (user(text),)
    body = {"content": '[{"text": "a"}]'}
    assert texts_of_event("gen_ai.user.message", {}, body).inputs == (user('[{"text": "a"}]'),)


def test_a_logger_that_writes_only_text_has_json_in_the_body() -> None:
    body = json.dumps({"role": "user", "content": "refund?"})
    assert texts_of_event("gen_ai.user.message", {"event.name": "gen_ai.user.message"}, body).inputs == (
        user("refund?"),
    )
    answer = json.dumps({"message": {"role": "assistant", "content": "30 days."}, "finish_reason": "stop", "index": 0})
    found = texts_of_event("gen_ai.choice", {}, answer)
    assert (found.outputs[0].content, found.finish_reasons) == ("30 days.", ("stop",))
    assert texts_of_event("gen_ai.user.message", {"content": "plain"}, "{no json").inputs == (user("plain"),)

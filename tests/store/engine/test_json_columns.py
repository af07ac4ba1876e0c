import json
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.store.engine.json_columns import from_json, messages_from_json, messages_to_json, to_json

TEXT = st.text(max_size=20)
CALLS = st.builds(ToolCall, id=st.none() | TEXT, name=TEXT, arguments=TEXT)
MESSAGES = st.builds(
    ChatMessage,
    role=TEXT,
    content=TEXT,
    tool_calls=st.lists(CALLS, max_size=2).map(tuple),
    tool_call_id=st.none() | TEXT,
)


@given(messages=st.lists(MESSAGES, max_size=4).map(tuple))
def test_messages_come_back_as_they_were(messages: tuple[ChatMessage, ...]) -> None:
    assert messages_from_json(messages_to_json(messages)) == messages


def test_messages_without_calls_take_no_room_for_them() -> None:
    assert json.loads(messages_to_json([ChatMessage(role="user", content="hi")])) == [{"role": "user", "content": "hi"}]


def test_what_json_does_not_know_becomes_its_text() -> None:
    assert from_json(to_json({"at": datetime(2026, 11, 21), "n": 1})) == {"at": "2026-11-21 00:00:00", "n": 1}

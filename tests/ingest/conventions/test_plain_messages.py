import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.ingest.conventions.texts.messages import read_message
from monitor.ingest.conventions.texts.plain_messages import plain_messages

TEXTS = st.sampled_from(["", "Refund?", "é\n", "system", "user"])
PARTS = st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "image"]), "content": TEXTS}), max_size=2)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "role": st.none() | TEXTS,
            "content": st.none() | TEXTS | PARTS,
            "parts": st.none() | PARTS | TEXTS,
            "finish_reason": st.none() | TEXTS | st.integers(),
            "tool_call_id": TEXTS,
        },
    ),
    max_size=3,
)


@given(MESSAGES)
def test_the_fast_reader_gives_the_result_of_the_general_reader(messages: list[dict[str, Any]]) -> None:
    plain = plain_messages(json.dumps(messages))
    if plain is not None:
        assert list(plain[0]) == [m for raw in messages for m in read_message(raw, "user")]
        assert list(plain[1]) == [raw["finish_reason"] for raw in messages if raw.get("finish_reason")]


def test_both_spellings_of_a_message_are_plain() -> None:
    parts = '[{"role":"user","parts":[{"type":"text","content":"Refund?"}]}]'
    content = '[{"content":"Refund?","role":"user","finish_reason":"stop"}]'
    [[of_parts], none], [[of_content], reasons] = plain_messages(parts) or ((), ()), plain_messages(content) or ((), ())
    assert of_parts == of_content
    assert (of_parts.role, of_parts.content) == ("user", "Refund?")
    assert (none, reasons) == ((), ("stop",))


@pytest.mark.parametrize(
    "value",
    [
        None,
        [{"role": "user", "content": "structured"}],
        '{"role":"user","content":"one object"}',
        '[{"role":"user","content":"cut',
        '[{"role":"user","content":"half a pair \\ud83d"}]',
        '[{"role":"user","content":"x","tool_calls":[]}]',
        '[{"role":"user","parts":[{"type":"text","content":"two"},{"type":"text","content":"parts"}]}]',
        '[{"role":"","content":"x"}]',
        '[{"content":"no role"}]',
        "[" * 10_000,
    ],
)
def test_the_fast_reader_rejects_any_other_shape(value: Any) -> None:
    assert plain_messages(value) is None

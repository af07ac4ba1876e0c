import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.errors import CallError
from replay.targets.answer_fields import document_of, listed_models
from replay.targets.chat import Chat
from replay.types import Reply


def read_reply(body: bytes, headers: Mapping[str, str], latency_ms: float) -> Reply:
    return Chat().read(document_of(body), headers, latency_ms).reply


def document(message: Any, **changes: Any) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": changes.pop("finish_reason", "stop")}
    return json.dumps({"choices": [choice]} | changes).encode()


def said(content: Any, **changes: Any) -> bytes:
    return document({"role": "assistant", "content": content}, **changes)


def error_class(body: bytes) -> str:
    with pytest.raises(CallError) as raised:
        read_reply(body, {}, 1.0)
    return raised.value.error_class


def test_everything_the_answer_says_is_kept() -> None:
    body = said(
        "yes",
        id="chatcmpl-1",
        model="gpt-4-0314",
        created=1678838400,
        system_fingerprint="fp_1",
        usage={"prompt_tokens": 0, "completion_tokens": 2},
    )
    reply = read_reply(body, {"x-recorded-resample": "0.3", "x-request-id": "r"}, 12.5)
    assert (reply.text, reply.latency_ms, reply.finish_reason) == ("yes", 12.5, "stop")
    assert (reply.model, reply.system_fingerprint, reply.response_id) == ("gpt-4-0314", "fp_1", "chatcmpl-1")
    assert reply.reported_at == datetime(2023, 3, 15, tzinfo=UTC)
    assert (reply.input_tokens, reply.output_tokens) == (0, 2)
    assert reply.reported == {"recorded-resample": "0.3"}


def test_what_the_answer_does_not_say_is_absent() -> None:
    reply = read_reply(said("yes", finish_reason=None), {}, 1.0)
    assert (reply.finish_reason, reply.model, reply.reported_at, reply.system_fingerprint) == (None, None, None, None)
    assert (reply.response_id, reply.input_tokens, reply.output_tokens, reply.cost_usd) == (None, None, None, None)


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]
    assert read_reply(said(parts), {}, 1.0).text == "one\ntwo"


def test_a_refusal_is_an_answer() -> None:
    reply = read_reply(document({"content": None, "refusal": "I cannot help with that."}), {}, 1.0)
    assert (reply.text, reply.reported) == ("I cannot help with that.", {"refusal": "true"})


@pytest.mark.parametrize("created", ["yesterday", True, 1e30, -1e30, None, [], float("nan")])
def test_a_strange_creation_time_is_absent(created: object) -> None:
    assert read_reply(said("yes", created=created), {}, 1.0).reported_at is None


@pytest.mark.parametrize("count", ["7", True, -1, 1.5, None])
def test_a_strange_token_count_is_absent(count: object) -> None:
    assert read_reply(said("yes", usage={"prompt_tokens": count}), {}, 1.0).input_tokens is None


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"{}", b'{"choices": []}', b'{"choices": [1]}', b"<html>", b"[" * 100_000]
)
def test_what_is_no_completion_is_malformed(body: bytes) -> None:
    assert error_class(body) == "malformed_reply"


def test_an_error_in_a_200_is_quoted() -> None:
    with pytest.raises(CallError, match="upstream is down"):
        read_reply(b'{"error": {"message": "upstream is down"}}', {}, 1.0)


@pytest.mark.parametrize("content", ["", "  \n", None, [], 7])
def test_an_answer_without_text_is_empty_not_wrong(content: object) -> None:
    assert error_class(said(content)) == "empty_reply"


def test_a_filtered_answer_is_no_answer_even_with_some_text() -> None:
    assert error_class(said("I thi", finish_reason="content_filter")) == "content_filter"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "usage", "created", "text", "error", "refusal"]), inner
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_no_answer_breaks_it(value: object) -> None:
    try:
        assert read_reply(json.dumps(value).encode(), {}, 1.0).text.strip()
    except CallError as error:
        no_answer = error.error_class
        assert no_answer in {"malformed_reply", "empty_reply", "content_filter"}


@pytest.mark.parametrize(
    ("body", "models"),
    [
        (b'{"object": "list", "data": [{"id": "gpt-4"}, {"id": "gpt-4-0613"}]}', {"gpt-4", "gpt-4-0613"}),
        (b'{"data": []}', set()),
        (b'{"models": ["gpt-4"]}', None),
        (b'{"data": ["gpt-4"]}', None),
        (b"[]", None),
        (b"<html>", None),
    ],
)
def test_a_list_of_models_is_read_and_anything_else_is_none(body: bytes, models: set[str] | None) -> None:
    assert listed_models(body) == models

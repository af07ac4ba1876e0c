import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.recorded.book import Served, Serving
from replay.recorded.wire import (
    BadRequest,
    ChatRequest,
    chunks,
    completion,
    headers_of,
    read_chat_request,
    read_sample,
    read_serving,
    synthetic_fingerprint,
)
from tests.replay.recorded.builders import JUNE, MARCH, answer, body


def served(text: str = "[Yes]", **fields: Any) -> Served:
    return Served(
        key="0123456789abcdef" * 4,
        number=2,
        snapshot=MARCH,
        resample=0.3,
        resampled=False,
        answer=answer(text, **fields),
    )


def read(document: Any) -> ChatRequest:
    return read_chat_request(json.dumps(document).encode())


def test_the_last_user_message_is_the_question() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "one?"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "two?"},
        {"role": "assistant", "content": None},
    ]
    assert read({"model": "gpt-4", "messages": messages, "temperature": 2}).question == "two?"


def test_text_parts_are_joined_into_the_question() -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two?"}]
    assert read({"model": "gpt-4", "messages": [{"role": "user", "content": parts}]}).question == "one\ntwo?"


def test_usage_of_a_stream_is_sent_only_when_asked_for() -> None:
    assert read(body("1?", stream=True)) == ChatRequest(model="gpt-4", question="1?", stream=True, include_usage=False)
    assert read(body("1?", stream=True, stream_options={"include_usage": True})).include_usage


@pytest.mark.parametrize(
    ("document", "param", "message"),
    [
        ([1], None, "the body must be one JSON object"),
        ({}, "model", "field 'model' must name the model"),
        (body("1?", model=4), "model", "field 'model' must name the model"),
        (body("1?", n=2), "n", "field 'n' must be 1"),
        (body("1?", n=[]), "n", "field 'n' must be 1"),
        (body("1?", stream="yes"), "stream", "field 'stream' must be true or false"),
        (body("1?", stream_options=[1]), "stream", "'stream_options' an object"),
        ({"model": "gpt-4"}, "messages", "field 'messages' must be a list of objects"),
        (body("1?", messages=["1?"]), "messages", "field 'messages' must be a list of objects"),
        (body("1?", messages=[]), "messages", "field 'messages' has no user message"),
        (body("1?", messages=[{"role": "user"}]), "messages", "must be text, or parts of type text"),
        (body("1?", messages=[{"role": "user", "content": 3}]), "messages", "must be text"),
        (
            body("1?", messages=[{"role": "user", "content": [{"type": "image_url"}]}]),
            "messages",
            "must be text, or parts of type text",
        ),
    ],
)
def test_a_malformed_request_names_its_field(document: Any, param: str | None, message: str) -> None:
    with pytest.raises(BadRequest, match=message) as caught:
        read(document)
    assert caught.value.param == param


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b"[" * 200_000, b'{"n": ' + b"9" * 5000 + b"}"])
def test_a_body_that_is_no_json_is_a_bad_request(raw: bytes) -> None:
    with pytest.raises(BadRequest, match="the body is not JSON"):
        read_chat_request(raw)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_no_value_of_any_field_breaks_the_reader(value: Any) -> None:
    for field in ("model", "messages", "n", "stream", "stream_options"):
        with suppress(BadRequest):
            assert read(body("1?") | {field: value}).question == "1?"


@pytest.mark.parametrize(("header", "sample"), [(None, None), ("0", 0), ("12", 12)])
def test_the_sample_header_is_an_index(header: str | None, sample: int | None) -> None:
    assert read_sample(header) == sample


@pytest.mark.parametrize("header", ["", "-1", "one", "1.5", "²", "9" * 5000])
def test_a_sample_header_that_is_no_index_is_a_bad_request(header: str) -> None:
    with pytest.raises(BadRequest, match="header 'x-driftd-sample' must be a sample index"):
        read_sample(header)


def test_any_part_of_what_is_served_can_be_changed_alone() -> None:
    now = Serving(snapshot=MARCH, resample=0.3, seed=7)
    assert read_serving(b"{}", now) == now
    assert read_serving(json.dumps({"snapshot": JUNE}).encode(), now) == Serving(snapshot=JUNE, resample=0.3, seed=7)
    assert read_serving(b'{"resample": 0, "seed": 8}', now) == Serving(snapshot=MARCH, resample=0, seed=8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"snapshots": MARCH}, "field 'snapshots' is unknown; known: snapshot, resample, seed"),
        ({"snapshot": 3}, "field 'snapshot' cannot be 3"),
        ({"resample": "0.3"}, "field 'resample' cannot be \"0.3\""),
        ({"resample": True}, "field 'resample' cannot be true"),
        ({"seed": 1.5}, "field 'seed' cannot be 1.5"),
        ({"seed": None}, "field 'seed' cannot be null"),
    ],
)
def test_a_malformed_change_names_its_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        read_serving(json.dumps(change).encode(), Serving(snapshot=MARCH))


def test_an_answer_looks_as_openai_sends_it() -> None:
    assert completion(served()) == {
        "id": "chatcmpl-0123456789abcdef-2",
        "object": "chat.completion",
        "created": 1688256000,  # 2023-07-02T00:00:00Z
        "model": MARCH,
        "system_fingerprint": synthetic_fingerprint(MARCH),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "[Yes]", "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 30, "completion_tokens": 3, "total_tokens": 33},
    }


def test_usage_that_was_not_recorded_is_left_out() -> None:
    assert "usage" not in completion(served(input_tokens=None))


def test_the_fingerprint_says_that_it_is_synthetic_and_belongs_to_its_snapshot() -> None:
    assert synthetic_fingerprint(MARCH).startswith("fp_recorded_")
    assert len(synthetic_fingerprint(MARCH)) == len("fp_recorded_") + 8
    assert synthetic_fingerprint(MARCH) != synthetic_fingerprint(JUNE)
    assert headers_of(served()) == {
        "x-recorded-resample": "0.3",
        "x-recorded-resampled": "false",
        "x-recorded-synthetic-fingerprint": "true",
    }


@given(st.text(max_size=300), st.booleans())
def test_the_pieces_of_a_stream_make_the_whole_answer(text: str, include_usage: bool) -> None:
    sent = list(chunks(served(text, finish_reason="length"), include_usage=include_usage))
    parts = [chunk["choices"][0] for chunk in sent if chunk["choices"]]
    assert "".join(part["delta"].get("content", "") for part in parts) == text
    assert [part["finish_reason"] for part in parts] == [None] * (len(parts) - 1) + ["length"]
    assert (sent[-1].get("usage") is not None) == include_usage
    assert len({chunk["id"] for chunk in sent}) == 1

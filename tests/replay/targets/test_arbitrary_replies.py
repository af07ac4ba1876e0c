"""Whatever a target answers is a reply or a CallError; no reader of a protocol raises anything else."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.errors import CallError
from replay.storable import storable_message, storable_reply
from replay.targets.answer_fields import listed_models
from replay.targets.answer_paths import AnswerPaths
from replay.targets.chat import Chat
from replay.targets.command_reply import read_reply
from replay.targets.dialect import Dialect
from replay.targets.failure import failure_in_stream, failure_of_status
from replay.targets.messages import Messages
from replay.targets.responses import Responses
from replay.targets.sse import Event
from replay.types import Reply
from tests.properties import examples
from tests.replay.targets.replies import hostile, mutated, replies
from tests.replay.targets.shapes import chat_stream, message_stream, response_stream
from tests.store.build import START

DIALECTS: dict[str, Dialect] = {"chat": Chat(), "responses": Responses(), "messages": Messages()}
STREAMS = {"chat": chat_stream("yes it is"), "responses": response_stream("yes"), "messages": message_stream("yes")}
PATHS = AnswerPaths(
    "$.answer",
    {
        "model": "$.model",
        "system_fingerprint": "$.usage",
        "reported_at": "$.at",
        "response_id": "$.id",
        "finish_reason": "$.model",
        "input_tokens": "$.usage.in",
        "output_tokens": "$.usage.out",
        "cost_usd": "$.usage.usd",
    },
)


def check_storable(reply: Reply) -> None:
    """Every text fits UTF-8, every number fits a column, and nothing of it breaks strict JSON."""
    kept = storable_reply(reply)
    assert storable_reply(kept) == kept
    for tokens in (kept.input_tokens, kept.output_tokens):
        assert tokens is None or 0 <= tokens < 2**31
    texts = [kept.text, kept.model, kept.finish_reason, kept.response_id, kept.system_fingerprint]
    texts += [*kept.reported, *kept.reported.values()]
    texts += [text for call in kept.tool_calls for text in (call.id, call.name, call.arguments, call.result)]
    for text in texts:
        assert text is None or text.encode().decode() == text
    json.dumps([kept.cost_usd, kept.ttft_ms, kept.latency_ms], allow_nan=False)
    assert kept.reported_at is None or 1970 <= kept.reported_at.year < 2200


def read(what: Callable[[], Reply]) -> None:
    try:
        check_storable(what())
    except CallError as error:
        storable_message(str(error)).encode()


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=examples(200))
@given(data=st.data())
def test_a_reply_of_a_model_is_a_reply_or_an_error(name: str, data: st.DataObject) -> None:
    document = data.draw(replies(name))
    if isinstance(document, dict):
        read(lambda: DIALECTS[name].read(document, {"date": "x", "x-recorded-share": "\udce9"}, 1.0).reply)


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=examples(200))
@given(data=st.data())
def test_a_streamed_reply_is_a_reply_or_an_error(name: str, data: st.DataObject) -> None:
    whole = [json.loads(each.split(b"data: ")[1]) for each in STREAMS[name] if b"[DONE]" not in each]
    events = data.draw(mutated(whole))
    if data.draw(st.booleans()):
        events = data.draw(st.permutations(events))

    def answered() -> Reply:
        fold = DIALECTS[name].fold()
        for each in events:
            fold.add(Event(name="message", data=json.dumps(each)))
        return DIALECTS[name].read(fold.document(), {}, 1.0).reply

    read(answered)


@settings(max_examples=examples(200))
@given(document=replies("application"), headers=st.dictionaries(st.sampled_from(["date"]), st.text()))
def test_an_answer_of_an_application_is_a_reply_or_an_error(document: Any, headers: dict[str, str]) -> None:
    if isinstance(document, dict):
        read(lambda: PATHS.read(document, headers, 1.0))


@settings(max_examples=examples(200))
@given(document=replies("program"))
def test_an_answer_of_a_program_is_a_reply_or_an_error(document: Any) -> None:
    if isinstance(document, dict):
        read(lambda: read_reply(document, 1.0))


@settings(max_examples=examples(200))
@given(
    document=hostile,
    status=st.integers(200, 599),
    headers=st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "date"]), st.text() | st.just("1e400")),
)
def test_a_refusal_is_an_error_whatever_it_says(document: Any, status: int, headers: dict[str, str]) -> None:
    body = json.dumps(document).encode()
    for error in (
        failure_of_status(status, headers, body, START),
        failure_of_status(status, headers, json.dumps({"error": document}).encode(), START),
        failure_in_stream(document),
    ):
        storable_message(str(error)).encode()
    listed_models(body)

"""The recorded answers in every shape, asked by the targets themselves."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from replay.errors import CallError
from replay.recorded.endpoint import RecordedEndpoint
from replay.targets.http import Poll, SessionCall
from replay.targets.http_request import RequestSettings
from replay.targets.table import build_target
from replay.types import Case, Image, Message, Reply, Text
from tests.replay.recorded.builders import JUNE, MARCH, answer, question, recorded
from tests.replay.recorded.conftest import Open
from tests.replay.targets.test_contract import CONTEXT

DATA = recorded(question(1, answers=2), question(2), question(3, "composite"))
KEY = "sk-recorded"
PATHS = {
    "model": "$.served_by.model", "system_fingerprint": "$.served_by.build", "reported_at": "$.at",
    "input_tokens": "$.usage.input_tokens", "output_tokens": "$.usage.output_tokens",
}  # fmt: skip


def model(kind: str, **options: Any) -> Any:
    return lambda base: (kind, {"base_url": f"{base}/v1", "model": "gpt-4", "api_key": KEY, **options})


def application(base: str, body: str = '{"question": {{ question | tojson }}}', **options: Any) -> Any:
    request = RequestSettings(url=f"{base}/ask", body=body)
    return "http", {"request": request, "paths": PATHS, "api_key": KEY, **options}


def in_a_session(base: str) -> Any:
    opening = SessionCall(request=RequestSettings(url=f"{base}/sessions"), extract={"id": "$.session"})
    body = '{"question": {{ question | tojson }}, "session": {{ session.id | tojson }}}'
    return application(base, body, session=(opening,))


def later(base: str) -> Any:
    poll = Poll(request=RequestSettings(url=base + "/answers/{{ reply.id }}", method="GET"), every_s=0.01)
    return application(base, '{"question": {{ question | tojson }}, "later": true}', poll=poll)


SHAPES = {
    "chat": model("openai"),
    "chat streamed": model("openai", stream=True),
    "responses": model("openai", api="responses"),
    "responses streamed": model("openai", api="responses", stream=True),
    "messages": model("anthropic"),
    "messages streamed": model("anthropic", stream=True),
    "application": application,
    "application in a session": in_a_session,
    "application, later": later,
}
every_shape = pytest.mark.parametrize("make", SHAPES.values(), ids=list(SHAPES))


@pytest.fixture
def endpoint() -> Iterator[RecordedEndpoint]:
    running = RecordedEndpoint(DATA, api_key=KEY, resample=0.0)
    running.start()
    yield running
    running.stop()


def case(text: str) -> Case:
    return Case(id="c", input=(Message(role="user", content=text),))


def ask(endpoint: RecordedEndpoint, make: Any, what: Case, sample: int = 0, **changes: Any) -> Reply:
    async def asked() -> Reply:
        kind, options = make(endpoint.address)
        target = build_target(kind, {**options, **changes})
        try:
            return await target.call(what, sample, CONTEXT)
        finally:
            await target.aclose()

    return asyncio.run(asked())


@every_shape
def test_the_answer_is_the_same_in_every_shape(endpoint: RecordedEndpoint, make: Any) -> None:
    reply = ask(endpoint, make, case("1?"), sample=1)
    assert (reply.text, reply.model) == (f"{MARCH}/1/1", MARCH)
    assert (reply.input_tokens, reply.output_tokens) == (30, 3)
    assert reply.reported_at == datetime(2023, 7, 2, tzinfo=UTC)
    assert reply.reported["recorded-resample"] == "0"


@every_shape
def test_a_switch_of_the_snapshot_shows_in_every_shape(endpoint: RecordedEndpoint, make: Any) -> None:
    headers = {"Authorization": f"Bearer {KEY}"}
    httpx.post(f"{endpoint.address}/_snapshot", json={"snapshot": JUNE}, headers=headers).raise_for_status()
    reply = ask(endpoint, make, case("2?"))
    assert (reply.text, reply.model) == (f"{JUNE}/2/0", JUNE)


@every_shape
def test_a_question_nobody_recorded_is_an_unknown_case(endpoint: RecordedEndpoint, make: Any) -> None:
    with pytest.raises(CallError) as raised:
        ask(endpoint, make, case("4?"))
    assert raised.value.error_class == "unknown_case"


@every_shape
def test_the_key_is_asked_for_in_every_shape(endpoint: RecordedEndpoint, make: Any) -> None:
    with pytest.raises(CallError) as raised:
        ask(endpoint, make, case("1?"), api_key="wrong")
    assert raised.value.error_class == "auth"


@every_shape
def test_a_prompt_an_earlier_turn_and_an_image_do_not_change_the_answer(endpoint: RecordedEndpoint, make: Any) -> None:
    parts = (Image(url="https://example.com/a.png"), Text(text="2?"))
    turns = (
        Message(role="user", content="1?"),
        Message(role="assistant", content="yes"),
        Message(role="user", content="2?", parts=parts),
    )
    reply = ask(endpoint, make, Case(id="c", input=turns), system_prompt="Be brief.")
    assert reply.text == f"{MARCH}/2/0"


@pytest.mark.parametrize("name", [name for name in SHAPES if "streamed" in name])
def test_a_streamed_answer_has_a_first_token(endpoint: RecordedEndpoint, name: str) -> None:
    reply = ask(endpoint, SHAPES[name], case("3?"))
    assert reply.ttft_ms is not None
    assert 0 < reply.ttft_ms <= reply.latency_ms


@pytest.mark.parametrize(("name", "cut"), [("chat", "length"), ("responses", "length"), ("messages", "max_tokens")])
def test_an_answer_that_was_cut_off_says_so_in_its_protocol(name: str, cut: str) -> None:
    whole = question(1)
    short = {snapshot: (answer("[Ye", finish_reason="length"),) for snapshot in (MARCH, JUNE)}
    running = RecordedEndpoint(recorded(replace(whole, answers=short)), api_key=KEY)
    running.start()
    try:
        assert ask(running, SHAPES[name], case("1?")).finish_reason == cut
    finally:
        running.stop()


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/responses", {"model": "gpt-4"}, 400),
        ("/v1/responses", {"model": "gpt-4", "input": [{"type": "function_call_output"}]}, 400),
        ("/v1/responses", {"model": "gpt-5", "input": "1?"}, 404),
        ("/v1/messages", {"model": "gpt-4", "messages": [{"role": "user", "content": "1?"}]}, 400),
        ("/ask", {"q": "1?"}, 400),
        ("/ask", {"question": "1?", "session": "s-9"}, 404),
        ("/ask", {"question": "1?", "session": ["s"]}, 404),
        ("/ask", [], 400),
    ],
)
def test_what_is_no_request_is_refused_with_a_reason(serve: Open, path: str, body: Any, status: int) -> None:
    refused = serve(DATA).post(path, json=body)
    assert refused.status_code == status
    assert refused.json()["error"]["message"]


def test_the_messages_protocol_has_an_envelope_for_errors(serve: Open) -> None:
    refused = serve(DATA).post("/v1/messages", json={}).json()
    assert (refused["type"], refused["error"]["type"]) == ("error", "invalid_request_error")


def test_an_answer_is_ready_at_the_second_look(serve: Open) -> None:
    client = serve(DATA)
    name = client.post("/ask", json={"question": "1?", "later": True}).json()["id"]
    assert [client.get(f"/answers/{name}").json()["status"] for _ in range(3)] == ["working", "done", "done"]
    assert client.get("/answers/a-9").status_code == 404

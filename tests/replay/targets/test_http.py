"""An application over HTTP: session calls, answers that come later, templates and paths."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from replay.errors import CallError, TargetError
from replay.targets.http import HttpSettings, HttpTarget, Poll, SessionCall
from replay.targets.http_request import RequestSettings
from replay.types import Case, Image, Message, Reply, Text
from tests.replay.targets.faulty import FaultyServer
from tests.replay.targets.test_contract import CONTEXT, QUESTION

BODY = '{"q": {{ question | tojson }}, "session": {{ session.id | tojson }}}'


class Application:
    """Opens sessions, takes questions, and has the answers ready at the third look."""

    def __init__(self, *, looks: int = 0, answer: Any = "[Yes] it is.") -> None:
        self.looks, self.answer, self.sessions = looks, answer, 0

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        if request.path == "/sessions":
            self.sessions += 1
            return web.json_response({"id": f"s-{self.sessions}"}, status=201)
        if request.method == "POST" and self.looks:
            return web.json_response({"id": 7, "answer": None}, status=202)
        if request.method == "GET":
            self.looks -= 1
        return web.json_response({"answer": self.answer if self.looks <= 0 else None, "id": 7})


def settings(address: str, **changes: Any) -> HttpSettings:
    return HttpSettings(**{"request": RequestSettings(url=f"{address}/ask"), "timeout_s": 10.0, **changes})


def ask(
    application: Any, make: Callable[[str], HttpSettings], what: Case = QUESTION, times: int = 1
) -> tuple[Reply | CallError, FaultyServer]:
    async def asked() -> tuple[Reply | CallError, FaultyServer]:
        async with FaultyServer(application) as server:
            target = HttpTarget(make(server.address))
            try:
                replies = [await target.call(what, 0, CONTEXT) for _ in range(times)]
                return replies[-1], server
            except CallError as error:
                return error, server
            finally:
                await target.aclose()

    return asyncio.run(asked())


def with_session(address: str) -> HttpSettings:
    opening = SessionCall(request=RequestSettings(url=f"{address}/sessions", body="{}"), extract={"id": "$.id"})
    return settings(address, session=(opening,), request=RequestSettings(url=f"{address}/ask", body=BODY))


def test_each_case_has_a_session_of_its_own() -> None:
    reply, server = ask(Application(), with_session, times=2)
    assert isinstance(reply, Reply)
    assert server.paths == ["/sessions", "/ask", "/sessions", "/ask"]
    assert [server.asked[n]["session"] for n in (1, 3)] == ["s-1", "s-2"]
    assert {headers["baggage"] for headers in server.headers} == {"driftd.run=run-1"}


def test_setting_up_a_session_is_no_part_of_the_latency() -> None:
    async def slow_to_open(request: web.Request) -> web.StreamResponse:
        if request.path == "/sessions":
            await asyncio.sleep(0.5)
            return web.json_response({"id": "s"})
        return web.json_response({"answer": "yes"})

    reply, _ = ask(slow_to_open, with_session)
    assert isinstance(reply, Reply)
    assert reply.latency_ms < 400


def test_a_session_that_gives_nothing_to_keep_is_named() -> None:
    async def closed(_request: web.Request) -> web.StreamResponse:
        return web.json_response({"error": None})

    error, _ = ask(closed, with_session)
    assert str(error) == "session call 1: there is no value at $.id"


def polling(**changes: Any) -> Callable[[str], HttpSettings]:
    def make(address: str) -> HttpSettings:
        look = RequestSettings(url=f"{address}/answers/{{{{ reply.id }}}}", method="GET")
        return settings(address, poll=Poll(request=look, every_s=0.05), **changes)

    return make


def test_an_answer_that_comes_later_is_looked_for() -> None:
    reply, server = ask(Application(looks=3), polling())
    assert isinstance(reply, Reply)
    assert reply.text == "[Yes] it is."
    assert server.paths == ["/ask", *["/answers/7"] * 3]
    assert reply.latency_ms >= 150


def test_an_answer_that_never_comes_is_a_timeout() -> None:
    error, _ = ask(Application(looks=10**6), polling(timeout_s=0.4))
    assert isinstance(error, CallError)
    assert error.error_class == "timeout"


def test_a_state_can_say_that_the_answer_is_whole() -> None:
    states = ["queued", "running", "done"]

    async def telling(_request: web.Request) -> web.StreamResponse:
        return web.json_response({"id": 7, "status": states.pop(0), "answer": "half" if len(states) > 1 else "whole"})

    def make(address: str) -> HttpSettings:
        look = RequestSettings(url=f"{address}/answers/{{{{ reply.id }}}}", method="GET")
        return settings(address, poll=Poll(request=look, until="$[?$.status == 'done']", every_s=0.01))

    reply, _ = ask(telling, make)
    assert isinstance(reply, Reply)
    assert reply.text == "whole"


def test_a_failure_while_waiting_ends_the_wait() -> None:
    async def failing(request: web.Request) -> web.StreamResponse:
        failed = {"error": {"code": "content_filter", "message": "withheld"}}
        return web.json_response({"id": 7} if request.method == "POST" else failed)

    error, _ = ask(failing, polling())
    assert isinstance(error, CallError)
    assert error.error_class == "content_filter"


def test_the_default_body_holds_the_whole_conversation() -> None:
    parts = (Text(text="What?"), Image(url="https://example.com/a.png"))
    turns = (Message(role="assistant", content='Say "hi" </b>'), Message(role="user", content="What?", parts=parts))
    _, server = ask(Application(), settings, Case(id="c", input=turns))
    assert server.asked[0] == {
        "messages": [
            {"role": "assistant", "content": 'Say "hi" </b>'},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What?"},
                    {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
                ],
            },
        ]
    }


def test_headers_and_the_address_are_templates_too() -> None:
    def make(address: str) -> HttpSettings:
        headers = {"X-Shop": "{{ variables.shop }}", "Content-Type": "text/plain"}
        url = f"{address}/shops/{{{{ variables.shop | urlencode }}}}/ask"
        return settings(address, request=RequestSettings(url=url, headers=headers, method="GET"), answer="$")

    async def plain(_request: web.Request) -> web.StreamResponse:
        return web.Response(text="Yes, é.")

    reply, server = ask(plain, make, Case(id="c", input=QUESTION.input, variables={"shop": "a b"}))
    assert isinstance(reply, Reply)
    assert reply.text == "Yes, é."
    assert (server.paths, server.headers[0]["x-shop"]) == (["/shops/a b/ask"], "a b")
    assert server.asked == [None]


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ({"body": '{"q": "{{ question }}"}'}, "body is not valid JSON"),
        ({"body": "{{ nothing }}"}, "'nothing' is undefined"),
        ({"headers": {"X-Q": "{{ question }}"}}, "header x-q has a character that is not allowed"),
        ({"url": "{{ variables.host }}/ask"}, "no attribute 'host'"),
        ({"url": "{{ question }}"}, "url is not an http(s) address for this case"),
    ],
)
def test_a_request_that_cannot_be_made_of_a_case_is_a_failure_of_the_case(request_: dict[str, Any], why: str) -> None:
    def make(address: str) -> HttpSettings:
        return settings(address, request=RequestSettings(**{"url": f"{address}/ask", **request_}))

    error, server = ask(Application(), make)
    assert isinstance(error, CallError)
    assert (error.error_class, server.asked) == ("bad_template", [])
    assert why in str(error)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"answer": "answer"}, "answer 'answer' is not a valid JSONPath: it must begin with $"),
        ({"answer": "$["}, "answer '$[' is not a valid JSONPath"),
        ({"paths": {"colour": "$.c"}}, "an answer has no field 'colour'; known: model, system_fingerprint"),
        ({"request": RequestSettings(url="ftp://h/ask")}, "has no http(s) scheme"),
        ({"request": RequestSettings(url="http://h/{{")}, "url: is not a valid Jinja template"),
        ({"request": RequestSettings(url="http://h", headers={"X: y": "z"})}, "is not a valid header name"),
    ],
)
def test_settings_that_cannot_work_are_told_before_the_first_call(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(TargetError) as raised:
        HttpTarget(settings("http://127.0.0.1:1", **changes))
    assert sentence in str(raised.value)


@pytest.mark.parametrize(("answer", "text"), [({"a": 1}, '{"a": 1}'), (True, "true"), (7, "7"), ([], "[]")])
def test_an_answer_that_is_no_text_is_its_json(answer: Any, text: str) -> None:
    reply, _ = ask(Application(answer=answer), settings)
    assert isinstance(reply, Reply)
    assert reply.text == text


def test_an_answer_that_is_not_there_says_what_is() -> None:
    error, _ = ask(Application(answer=None), settings)
    assert isinstance(error, CallError)
    assert (error.error_class, str(error)) == (
        "malformed_reply", "there is no value at $.answer of the answer, which has: answer, id",
    )  # fmt: skip


def test_the_hash_of_the_settings_follows_what_is_asked_and_read_and_not_the_secrets() -> None:
    def named(**changes: Any) -> str | None:
        return HttpTarget(settings("http://h", **changes)).conditions.settings_hash

    request = RequestSettings(url="http://h/ask", headers={"X-Key": "one"})
    assert named(request=request) == named(request=RequestSettings(url="http://h/ask", headers={"X-Key": "two"}))
    assert len({named(), named(answer="$.a"), named(request=request), named(paths={"model": "$.m"})}) == 4


@pytest.mark.parametrize(("status", "there"), [(200, True), (404, True), (405, True), (401, False), (503, False)])
def test_a_dry_call_sees_whether_the_application_is_there(status: int, there: bool) -> None:
    async def behave(_request: web.Request) -> web.StreamResponse:
        return web.json_response({"error": "no"}, status=status)

    async def checked() -> bool:
        async with FaultyServer(behave) as server:
            target = HttpTarget(settings(server.address))
            try:
                await target.check()
                return True
            except CallError:
                return False
            finally:
                await target.aclose()
                assert server.asked == [None]

    assert asyncio.run(checked()) is there


def test_what_the_application_tells_is_kept() -> None:
    async def telling(_request: web.Request) -> web.StreamResponse:
        told = {"answer": "yes", "v": 3, "at": "2026-11-21T02:00:00Z", "usd": 0.25, "end": "stop", "id": "r"}
        return web.json_response(told, headers={"X-Recorded-Resample": "0"})

    paths = {"system_fingerprint": "$.v", "reported_at": "$.at", "cost_usd": "$.usd", "finish_reason": "$.end"}
    reply, _ = ask(telling, lambda address: settings(address, paths={**paths, "response_id": "$.id"}))
    assert isinstance(reply, Reply)
    assert (reply.system_fingerprint, reply.cost_usd, reply.finish_reason, reply.response_id) == (
        "3",
        0.25,
        "stop",
        "r",
    )
    assert reply.reported_at is not None
    assert reply.reported_at.isoformat() == "2026-11-21T02:00:00+00:00"
    assert json.dumps(dict(reply.reported)) == '{"recorded-resample": "0"}'

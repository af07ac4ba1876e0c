import asyncio
import socket
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from aiohttp import web

from replay.errors import CallError
from replay.targets.base import CallContext
from replay.targets.openai import OpenAITarget
from replay.targets.prompt import prompt_hash
from replay.types import Case, Message, Reply
from tests.replay.model_server import Answer, Asked, Gate, ModelServer, completion, error
from tests.replay.replays import KEY, case, settings

CONTEXT = CallContext(run_id="run-1", trace_id="ab" * 16, span_id="cd" * 8)


async def ask(server: ModelServer, what: Case | None = None, **changes: Any) -> Reply:
    target = OpenAITarget(settings(server.base_url, **changes))
    try:
        return await target.call(what or case(1), 3, CONTEXT)
    finally:
        await target.aclose()


def with_server(answer: Answer, test: Callable[[ModelServer], Coroutine[Any, Any, None]]) -> None:
    async def serve() -> None:
        async with ModelServer(answer) as server:
            await test(server)

    asyncio.run(serve())


def failure(answer: Answer, **changes: Any) -> CallError:
    errors: list[CallError] = []

    async def test(server: ModelServer) -> None:
        with pytest.raises(CallError) as raised:
            await ask(server, **changes)
        errors.append(raised.value)

    with_server(answer, test)
    return errors[0]


def test_a_call_sends_the_deployed_prompt_parameters_and_who_is_calling() -> None:
    async def test(server: ModelServer) -> None:
        question = Case(id="c", input=(Message(role="user", content="Is 7 prime?"),))
        await ask(server, question, system_prompt="Be brief.", temperature=0.0, top_p=1.0, max_tokens=5, seed=0)
        (asked,) = server.asked
        assert asked.body == {
            "model": "gpt-4",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is 7 prime?"}],
            "temperature": 0.0,
            "top_p": 1.0,
            "max_tokens": 5,
            "seed": 0,
        }
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert asked.headers["x-driftd-sample"] == "3"
        assert asked.headers["traceparent"] == f"00-{'ab' * 16}-{'cd' * 8}-01"
        assert asked.headers["baggage"] == "driftd.run=run-1"

    with_server(lambda asked: completion(), test)


def test_what_is_not_set_is_not_sent() -> None:
    async def test(server: ModelServer) -> None:
        await ask(server, api_key=None)
        (asked,) = server.asked
        assert set(asked.body) == {"model", "messages"}
        assert "authorization" not in asked.headers

    with_server(lambda asked: completion(), test)


def test_the_reply_has_its_cost_and_what_the_endpoint_reports() -> None:
    async def test(server: ModelServer) -> None:
        reply = await ask(server, input_usd_per_mtok=30.0, output_usd_per_mtok=60.0)
        assert reply.cost_usd == pytest.approx((10 * 30 + 2 * 60) / 1e6)
        assert (reply.text, reply.model, reply.reported) == ("yes", "gpt-4-0314", {"recorded-resample": "0.3"})

    with_server(lambda asked: completion(headers={"X-Recorded-Resample": "0.3"}), test)


@pytest.mark.parametrize("missing", [{"output_usd_per_mtok": 1.0}, {"input_usd_per_mtok": 1.0}, {}])
def test_without_both_prices_there_is_no_cost(missing: dict[str, Any]) -> None:
    async def test(server: ModelServer) -> None:
        assert (await ask(server, **missing)).cost_usd is None

    with_server(lambda asked: completion(), test)


def test_the_conditions_name_the_prompt_without_holding_it() -> None:
    target = OpenAITarget(settings("http://h/v1", system_prompt="Be brief.\n", prompt_id="p", prompt_version="2"))
    assert target.conditions.system_prompt_hash == prompt_hash("Be brief.")
    assert (target.conditions.prompt_id, target.conditions.prompt_version) == ("p", "2")
    assert "Be brief" not in repr(target.conditions) + repr(settings("http://h/v1", system_prompt="Be brief."))
    assert KEY not in repr(settings("http://h/v1")) + repr(target.conditions)


class ManualTime:
    def __init__(self) -> None:
        self.at = 100.0

    def monotonic(self) -> float:
        return self.at


def test_the_latency_is_the_answering_call_alone_without_the_wait_for_a_slot() -> None:
    time, gate = ManualTime(), Gate(calls=1000)

    def answer(asked: Asked) -> Any:
        if asked.question == "c1":
            return held()
        time.at += 2.0
        return completion()

    async def held() -> web.Response:
        await gate.pass_through()
        return completion()

    async def test(server: ModelServer) -> None:
        target = OpenAITarget(settings(server.base_url, concurrency=1), monotonic=time.monotonic)
        first = asyncio.create_task(target.call(case(1), 0, CONTEXT))
        await gate.reached.wait()
        second = asyncio.create_task(target.call(case(2), 0, CONTEXT))
        await asyncio.sleep(0)  # the second call now waits for the slot of the first
        time.at += 50.0
        gate.open()
        latencies = [(await first).latency_ms, (await second).latency_ms]
        await target.aclose()
        assert latencies == [50_000.0, 2_000.0]

    with_server(answer, test)


@pytest.mark.parametrize(
    ("answer", "error_class"),
    [
        (lambda asked: error(401, "invalid_api_key"), "auth"),
        (lambda asked: error(404, "unknown_case"), "unknown_case"),
        (lambda asked: error(500), "server_error"),
        (lambda asked: web.Response(text="{not json"), "malformed_reply"),
        (lambda asked: web.Response(body=b"not gzip", headers={"Content-Encoding": "gzip"}), "malformed_reply"),
        (lambda asked: completion(""), "empty_reply"),
        (lambda asked: completion("so", finish_reason="content_filter"), "content_filter"),
        (lambda asked: web.Response(status=307, headers={"Location": "/elsewhere"}), "bad_request"),
    ],
)
def test_every_way_to_fail_has_its_class(answer: Answer, error_class: str) -> None:
    assert failure(answer).error_class == error_class


def test_a_rate_limit_says_how_long_to_wait() -> None:
    limited = failure(lambda asked: error(429, **{"Retry-After": "7"}))
    assert (limited.error_class, limited.retryable, limited.retry_after_s) == ("rate_limit", True, 7.0)


def test_no_answer_in_time_is_a_timeout_even_when_bytes_keep_dripping() -> None:
    async def drip(asked: Asked) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(asked.request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.01)

    late = failure(drip, timeout_s=0.2)
    assert (late.error_class, late.retryable, str(late)) == ("timeout", True, "no answer within 0.2 s")


def test_a_refused_connection_is_a_connection_error_and_not_a_timeout() -> None:
    async def refused() -> CallError:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            target = OpenAITarget(settings(f"http://127.0.0.1:{unused.getsockname()[1]}/v1"))
            with pytest.raises(CallError) as raised:
                await target.call(case(1), 0, CONTEXT)
            await target.aclose()
            return raised.value

    error = asyncio.run(refused())
    assert error.error_class == "connection"
    assert str(error).startswith("ClientConnectorError: Cannot connect")


@pytest.mark.parametrize(
    ("sent", "error_class"), [(b"", "connection"), (b"SSH-2.0-OpenSSH\r\n\r\n", "malformed_reply")]
)
def test_a_server_that_hangs_up_or_speaks_another_protocol_is_told_apart(sent: bytes, error_class: str) -> None:
    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(sent)
        await writer.drain()
        writer.close()

    async def asked() -> CallError:
        server = await asyncio.start_server(rude, "127.0.0.1", 0)
        target = OpenAITarget(settings(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"))
        with pytest.raises(CallError) as raised:
            await target.call(case(1), 0, CONTEXT)
        await target.aclose()
        server.close()
        await server.wait_closed()
        return raised.value

    assert asyncio.run(asked()).error_class == error_class


@pytest.mark.parametrize("status", [200, 401])
def test_a_key_that_the_server_quotes_is_blanked(status: int) -> None:
    def answer(asked: Asked) -> web.Response:
        said = f"Incorrect API key provided: {asked.headers['authorization']}"
        return error(status, message=said)

    quoted = failure(answer)
    assert "***" in str(quoted)
    assert KEY not in str(quoted) + repr(quoted)


def test_one_reply_leaves_no_cookie_for_the_next() -> None:
    def answer(asked: Asked) -> web.Response:
        response = completion()
        response.set_cookie("backend", "blue")
        return response

    async def test(server: ModelServer) -> None:
        by_name = server.base_url.replace("127.0.0.1", "localhost")  # an ordinary cookie jar ignores bare addresses
        target = OpenAITarget(settings(by_name))
        for sample in range(2):
            await target.call(case(1), sample, CONTEXT)
        await target.aclose()
        assert ["cookie" in asked.headers for asked in server.asked] == [False, False]

    with_server(answer, test)


def test_a_check_needs_a_server_that_accepts_the_key_and_spends_nothing() -> None:
    async def test(server: ModelServer) -> None:
        target = OpenAITarget(settings(server.base_url))
        assert await target.check() is None  # this server has no list of models, but it is there
        server.models_status, server.models = 200, ["gpt-4", "gpt-4-0613"]
        assert await target.check() == frozenset({"gpt-4", "gpt-4-0613"})
        server.models_status = 401
        with pytest.raises(CallError) as raised:
            await target.check()
        assert raised.value.error_class == "auth"
        server.models_status = 503
        with pytest.raises(CallError) as raised:
            await target.check()
        await target.aclose()
        assert (raised.value.error_class, server.asked) == ("server_error", [])
        assert not server.asked

    with_server(lambda asked: completion(), test)

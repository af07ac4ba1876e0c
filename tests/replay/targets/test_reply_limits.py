"""No reply of a target takes more memory or time than its limits allow, whatever the server or the program does."""

import asyncio
import gzip
import json
import resource
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from aiohttp import web

from replay.errors import CallError
from replay.targets.http_request import RequestSettings
from replay.targets.sse import EventDecoder
from replay.targets.table import build_target
from replay.types import Case, Message, Reply, Tool, ToolResult
from tests.replay.targets.faulty import Behaviour, FaultyServer, answering, with_document
from tests.replay.targets.shapes import APPLICATION, CHAT, Shape
from tests.replay.targets.test_contract import CONTEXT, QUESTION, against, every_shape, every_stream

MB = 2**20
LIMIT = {"max_reply_bytes": MB}
TOO_LARGE = "reply exceeds 1 MiB (max_reply_mb of the target); raise the limit or ask for shorter answers"


@cache
def bomb(size: int) -> bytes:
    """Zeros, compressed to about a thousandth."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(MB)
    return b"".join([packer.compress(block) for _ in range(size // MB)]) + packer.flush()


def encoded(body: bytes, encoding: str, content_type: str = "application/json") -> Behaviour:
    async def behave(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=body, headers={"Content-Encoding": encoding, "Content-Type": content_type})

    return behave


def pouring(piece: bytes, content_type: str, pause_s: float = 0.0) -> Behaviour:
    """Never ends."""

    async def behave(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": content_type})
        await response.prepare(request)
        while True:
            await response.write(piece)
            await asyncio.sleep(pause_s)

    return behave


def failed(shape: Shape, behaviour: Behaviour, **changes: object) -> CallError:
    found, _ = against(shape, behaviour, **changes)
    assert isinstance(found, CallError), found
    return found


@every_shape
def test_a_small_body_that_decompresses_to_half_a_gigabyte_is_cut_at_the_limit(shape: Shape) -> None:
    content_type = "text/event-stream" if shape.streams else "application/json"
    body = bomb(512 * MB)
    assert len(body) < 0.6 * MB
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    error = failed(shape, encoded(body, "gzip", content_type), max_reply_bytes=4 * MB)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert error.error_class in {"reply_too_large", "malformed_reply"}  # a stream has a limit for one event too
    assert not error.retryable or error.error_class == "malformed_reply"
    assert peak < 40 * MB
    assert after - before < 100 * 1024  # KiB


@every_shape
@pytest.mark.parametrize("piece", [b"data: {}\n\n", b" " * 65536], ids=["events", "spaces"])
def test_an_endless_answer_ends_at_the_limit(shape: Shape, piece: bytes) -> None:
    content_type = "text/event-stream" if shape.streams else "application/json"
    error = failed(shape, pouring(piece * 100, content_type), **LIMIT)
    assert (error.error_class, str(error), error.retryable) == ("reply_too_large", TOO_LARGE, False)


@every_shape
def test_an_answer_that_drips_ends_at_the_deadline(shape: Shape) -> None:
    content_type = "text/event-stream" if shape.streams else "application/json"
    error = failed(shape, pouring(b" ", content_type, pause_s=0.02), timeout_s=0.6)
    assert error.error_class == "timeout"  # the answer itself never ends


@every_shape
def test_an_endless_refusal_keeps_its_class_and_is_not_read_to_its_end(shape: Shape) -> None:
    async def behave(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=503, headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        while True:
            await response.write(b"no room " * 8192)

    error = failed(shape, behave, **LIMIT)
    assert error.error_class == "server_error"
    assert "HTTP 503: no room no room" in str(error)
    assert len(str(error)) < 400


@every_shape
def test_an_answer_of_too_many_characters_is_refused(shape: Shape) -> None:
    assert failed(shape, answering(shape, "yes " * 100), max_reply_chars=399).error_class == "reply_too_large"
    found, _ = against(shape, answering(shape, "yes " * 100), max_reply_chars=400)
    assert isinstance(found, Reply)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, lambda raw: zlib.compress(raw, wbits=-15)])
def test_a_compressed_answer_is_read(pack: Callable[[bytes], bytes]) -> None:
    raw = json.dumps(CHAT.answer("yes " * 30_000)).encode()
    encoding = "gzip" if pack is gzip.compress else "deflate"
    found, _ = against(CHAT, encoded(pack(raw), encoding))
    assert isinstance(found, Reply)
    assert found.text == "yes " * 30_000


@pytest.mark.parametrize(
    ("body", "encoding", "why"),
    [
        (b"not gzip", "gzip", "cannot be decompressed"),
        (gzip.compress(b"{}" * 100)[:-9], "gzip", "truncated"),
        (gzip.compress(b"") * 20, "gzip", "more than one part"),
        (b"{}", "br", "was not requested"),
        (gzip.compress(gzip.compress(b"{}")), "gzip, gzip", "was not requested"),
    ],
    ids=["noise", "cut", "members", "brotli", "twice"],
)
def test_a_body_in_another_encoding_is_malformed(body: bytes, encoding: str, why: str) -> None:
    error = failed(CHAT, encoded(body, encoding))
    assert error.error_class == "malformed_reply"
    assert why in str(error)


def test_the_rounds_of_a_conversation_share_one_allowance() -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    answer = CHAT.answer("") | {"padding": "x" * 300_000}
    answer["choices"][0]["message"]["tool_calls"] = [call]
    case = Case(
        id="c1",
        input=(Message(role="user", content="Where?"),),
        tools=(Tool(name="find"),),
        tool_results=(ToolResult(name="find", result="there"),),
    )

    async def asked() -> int:
        async with FaultyServer(with_document(answer)) as server:
            target = CHAT.build(server.address, **LIMIT)
            with pytest.raises(CallError, match="exceeds 1 MiB"):
                await target.call(case, 0, CONTEXT)
            await target.aclose()
            return len(server.asked)

    assert asyncio.run(asked()) == 4  # the fourth answer is the one too many


def test_the_polls_of_an_application_share_one_allowance() -> None:
    from replay.targets.http import Poll

    async def polled() -> None:
        async with FaultyServer(with_document({"state": "working", "log": "x" * 300_000})) as server:
            poll = Poll(request=RequestSettings(url=f"{server.address}/poll", method="GET"), every_s=0.01)
            target = APPLICATION.build(server.address, poll=poll, **LIMIT)
            with pytest.raises(CallError, match="exceeds 1 MiB"):
                await target.call(QUESTION, 0, CONTEXT)
            await target.aclose()

    asyncio.run(polled())


@pytest.mark.parametrize("where", ["stdout", "stderr"])
def test_an_endless_output_of_a_program_ends_in_bounded_memory(tmp_path: Path, where: str) -> None:
    source = f"import sys\nwhile True: sys.{where}.write('x' * 65536)"

    async def asked() -> None:
        options = {"command": (sys.executable, "-c", source), "timeout_s": 3.0, **LIMIT}
        target = build_target("command", options)
        await target.call(QUESTION, 0, CONTEXT)

    tracemalloc.start()
    with pytest.raises(CallError) as raised:
        asyncio.run(asked())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert raised.value.error_class == {"stdout": "reply_too_large", "stderr": "timeout"}[where]
    assert peak < 10 * MB


@pytest.mark.timeout(100)  # joining all parts at every part would copy terabytes
def test_a_line_in_many_parts_costs_linear_time() -> None:
    """15 MiB in parts of 64 bytes."""
    decoder, piece = EventDecoder(), b"x" * 64
    decoder.feed(b"data: a\n\n")
    for _ in range(15 * MB // 64):
        assert decoder.feed(piece) == []


@every_stream
def test_a_stream_of_many_small_events_is_read_in_linear_time(shape: Shape) -> None:
    assert shape.stream is not None
    text = "word " * 20_000

    async def behave(request: web.Request) -> web.StreamResponse:
        body = b"".join(shape.stream(text)) if shape.stream else b""
        return web.Response(body=body, content_type="text/event-stream")

    found, _ = against(shape, behave)
    assert isinstance(found, Reply)
    assert found.text == text

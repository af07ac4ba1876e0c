"""What every kind of target does alike, over real HTTP and with a real process."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from replay.errors import CallError
from replay.targets.base import CallContext, Target
from replay.targets.prompt import prompt_hash
from replay.targets.table import TARGETS, build_target
from replay.types import Case, Message, Reply
from tests.replay.targets import faulty
from tests.replay.targets.faulty import FaultyServer
from tests.replay.targets.shapes import KEY, SHAPES, STREAMED, Shape

CONTEXT = CallContext(run_id="run-1", trace_id="ab" * 16, span_id="cd" * 8)
QUESTION = Case(id="c1", input=(Message(role="user", content='Is "7" prime?\nSay é.'),))
PROGRAM = """
import json, os, sys, time
asked = json.load(sys.stdin)
how = sys.argv[1]
answer = {"text": "[Yes] it is.", "model": "gpt-4-0314", "system_fingerprint": "fp_1", "reported_at": 1678838400,
          "input_tokens": 10, "output_tokens": 2}
if how == "silent":
    time.sleep(60)
elif how == "fails":
    sys.exit("it broke")
elif how == "malformed":
    print("yes")
elif how == "empty":
    print(json.dumps({**answer, "text": "  "}))
elif how == "filtered":
    print(json.dumps({"error_class": "content_filter", "error": "withheld"}))
elif how == "echo":
    told = {"asked": asked, "env": dict(os.environ)}
    print(json.dumps({**answer, "text": json.dumps(told)}))
else:
    print(json.dumps(answer))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """One kind of target. `serving` gives a target that is answered as the word says."""

    name: str
    serving: Callable[..., Any]


def over_http(shape: Shape) -> Rig:
    behaviours: dict[str, faulty.Behaviour] = {
        "well": faulty.answering(shape),
        "silent": faulty.silent,
        "fails": faulty.with_status(500),
        "malformed": faulty.with_document("{not json"),
        "empty": faulty.answering(shape, "  "),
        "filtered": faulty.with_document(shape.filtered()),
    }

    @asynccontextmanager
    async def serving(how: str, _folder: Path, **changes: Any) -> AsyncIterator[Target]:
        async with FaultyServer(behaviours[how]) as server:
            target = shape.build(server.address, **changes)
            try:
                yield target
            finally:
                await target.aclose()

    return Rig(name=shape.name, serving=serving)


@asynccontextmanager
async def a_process(how: str, folder: Path, **changes: Any) -> AsyncIterator[Target]:
    path = folder / "answer.py"
    path.write_text(PROGRAM)
    options = {"command": (sys.executable, str(path), how), "timeout_s": 20.0, "env": {"TOKEN": KEY}, **changes}
    target = build_target("command", options)
    try:
        yield target
    finally:
        await target.aclose()


RIGS = [*(over_http(shape) for shape in SHAPES), Rig(name="command", serving=a_process)]
every_kind = pytest.mark.parametrize("rig", RIGS, ids=[rig.name for rig in RIGS])
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=[shape.name for shape in SHAPES])
every_stream = pytest.mark.parametrize("shape", STREAMED, ids=[shape.name for shape in STREAMED])


def ask(rig: Rig, how: str, folder: Path, **changes: Any) -> Reply:
    async def asked() -> Reply:
        async with rig.serving(how, folder, **changes) as target:
            reply: Reply = await target.call(QUESTION, 3, CONTEXT)
            return reply

    return asyncio.run(asked())


def failure(rig: Rig, how: str, folder: Path, **changes: Any) -> CallError:
    with pytest.raises(CallError) as raised:
        ask(rig, how, folder, **changes)
    return raised.value


def against(shape: Shape, behaviour: faulty.Behaviour, **changes: Any) -> tuple[Reply | CallError, FaultyServer]:
    async def asked() -> tuple[Reply | CallError, FaultyServer]:
        async with FaultyServer(behaviour) as server:
            target = shape.build(server.address, **changes)
            try:
                return await target.call(QUESTION, 3, CONTEXT), server
            except CallError as error:
                return error, server
            finally:
                await target.aclose()

    return asyncio.run(asked())


def error_of(shape: Shape, behaviour: faulty.Behaviour, **changes: Any) -> CallError:
    found, _ = against(shape, behaviour, **changes)
    assert isinstance(found, CallError)
    return found


def test_every_kind_is_under_contract() -> None:
    assert {shape.kind for shape in SHAPES} | {"command"} == set(TARGETS)


@every_kind
def test_an_answer_comes_with_what_served_it_and_what_it_took(rig: Rig, tmp_path: Path) -> None:
    reply = ask(rig, "well", tmp_path, input_usd_per_mtok=30.0, output_usd_per_mtok=60.0)
    assert (reply.text, reply.model) == ("[Yes] it is.", "gpt-4-0314")
    assert (reply.input_tokens, reply.output_tokens) == (10, 2)
    assert reply.cost_usd == pytest.approx((10 * 30 + 2 * 60) / 1e6)
    assert reply.latency_ms > 0
    assert reply.reported_at is not None


@every_kind
@pytest.mark.parametrize(
    ("how", "error_class", "retryable"),
    [
        ("fails", "server_error", True),
        ("malformed", "malformed_reply", True),
        ("empty", "empty_reply", True),
        ("filtered", "content_filter", False),
    ],
)
def test_a_bad_answer_is_an_error_of_its_class(
    rig: Rig, how: str, error_class: str, retryable: bool, tmp_path: Path
) -> None:
    error = failure(rig, how, tmp_path)
    assert (error.error_class, error.retryable) == (error_class, retryable)


@every_kind
def test_no_answer_in_time_is_a_timeout(rig: Rig, tmp_path: Path) -> None:
    error = failure(rig, "silent", tmp_path, timeout_s=0.5)
    assert (error.error_class, error.retryable) == ("timeout", True)
    assert "no answer within 0.5 s" in str(error)


@every_kind
def test_the_prompt_is_named_by_its_hash_alone(rig: Rig, tmp_path: Path) -> None:
    async def conditions() -> Any:
        async with rig.serving("well", tmp_path, template="Be {{ how }}.", variables={"how": "brief"}) as target:
            return target.conditions

    found = asyncio.run(conditions())
    assert found.system_prompt_hash == prompt_hash("Be brief.")
    assert found.template_hash == prompt_hash("Be {{ how }}.")
    assert "brief" not in repr(found)
    assert KEY not in repr(found)


@every_kind
def test_a_prompt_that_lacks_a_variable_is_a_failure_of_that_case(rig: Rig, tmp_path: Path) -> None:
    assert failure(rig, "well", tmp_path, template="Be {{ how }}.").error_class == "bad_template"


@every_kind
def test_a_call_that_is_given_up_leaves_the_target_usable(rig: Rig, tmp_path: Path) -> None:
    async def given_up() -> None:
        async with rig.serving("silent", tmp_path, concurrency=1) as target:
            for _ in range(2):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.3):
                        await target.call(QUESTION, 0, CONTEXT)

    asyncio.run(given_up())


@every_shape
def test_the_question_the_prompt_and_the_caller_reach_the_server(shape: Shape) -> None:
    reply, server = against(shape, faulty.answering(shape), system_prompt="Be brief.")
    assert isinstance(reply, Reply)
    assert server.paths == [shape.path]
    assert shape.asked(server.asked[0]) == QUESTION.last_user_text
    assert shape.prompt(server.asked[0]) == "Be brief."
    [headers] = server.headers
    assert headers["traceparent"] == f"00-{'ab' * 16}-{'cd' * 8}-01"
    assert (headers["baggage"], headers["x-driftd-sample"]) == ("driftd.run=run-1", "3")
    assert headers["tracestate"] == "driftd=run-1"
    assert KEY in {headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer ")}


@every_shape
@pytest.mark.parametrize("behaviour", [faulty.reset, faulty.half], ids=["reset", "half a body"])
def test_a_connection_that_breaks_is_tried_again(shape: Shape, behaviour: faulty.Behaviour) -> None:
    error = error_of(shape, behaviour)
    assert (error.error_class, error.retryable) == ("connection", True)


@every_shape
def test_nothing_listening_is_a_connection_refused(shape: Shape) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"

    async def asked() -> None:
        target = shape.build(address)
        try:
            await target.call(QUESTION, 0, CONTEXT)
        finally:
            await target.aclose()

    with pytest.raises(CallError) as raised:
        asyncio.run(asked())
    assert raised.value.error_class == "connection"


@every_shape
def test_a_server_that_asks_to_be_left_alone_is(shape: Shape) -> None:
    error = error_of(shape, faulty.with_status(429, **{"Retry-After": "7"}))
    assert (error.error_class, error.retryable, error.retry_after_s) == ("rate_limit", True, 7.0)


@every_shape
@pytest.mark.parametrize(
    ("status", "error_class"), [(401, "auth"), (402, "quota"), (404, "not_found"), (503, "server_error")]
)
def test_a_refusal_has_its_class(shape: Shape, status: int, error_class: str) -> None:
    assert error_of(shape, faulty.with_status(status)).error_class == error_class


@every_shape
def test_no_message_holds_the_key_that_a_server_quotes(shape: Shape) -> None:
    quoting = {"error": {"message": f"the key {KEY} is spent"}}
    for behaviour in (faulty.with_status(401, quoting), faulty.with_document(quoting)):
        error = error_of(shape, behaviour)
        assert KEY not in str(error)
    found, _ = against(shape, faulty.answering(shape, f"You sent {KEY}."))
    assert isinstance(found, Reply)
    assert found.text == "You sent ***."


@every_shape
def test_an_answer_that_is_no_object_is_malformed(shape: Shape) -> None:
    for document in ("[]", '"yes"', "", "{}", '{"choices": {}}', '{"output": 3}', '{"content": "x"}', "[" * 100000):
        assert error_of(shape, faulty.with_document(document)).error_class in {"malformed_reply", "empty_reply"}


@every_stream
@pytest.mark.parametrize("abort", [True, False], ids=["reset", "ended"])
def test_a_stream_that_is_cut_is_no_answer(shape: Shape, abort: bool) -> None:
    assert shape.stream is not None
    events = shape.stream("[Yes] it is.")
    for kept in range(len(events) - 2):
        error = error_of(shape, faulty.cut_stream(events[:kept], abort=abort))
        assert error.error_class in ({"connection"} if abort else {"malformed_reply"}), kept
        assert error.retryable


@every_stream
def test_the_first_token_is_timed_apart_from_the_whole(shape: Shape) -> None:
    assert shape.stream is not None
    events = shape.stream("[Yes] it is, for sure.")

    async def slowly(request: Any) -> Any:
        return await faulty.write(request, events, pause_s=0.03)

    reply, _ = against(shape, slowly)
    assert isinstance(reply, Reply)
    assert reply.text == "[Yes] it is, for sure."
    assert reply.ttft_ms is not None
    assert 30 <= reply.ttft_ms < reply.latency_ms - 60


@every_stream
def test_a_failure_in_the_middle_of_a_stream_keeps_its_class(shape: Shape) -> None:
    assert shape.stream is not None
    told = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    error = error_of(shape, faulty.cut_stream([shape.stream("[Yes]")[0], faulty_event(told)], abort=False))
    assert (error.error_class, str(error)) == ("server_error", "busy")


@every_stream
def test_a_server_that_does_not_stream_is_read_whole(shape: Shape) -> None:
    reply, server = against(shape, faulty.with_document(shape.answer("[Yes] it is.")))
    assert isinstance(reply, Reply)
    assert (reply.text, reply.ttft_ms) == ("[Yes] it is.", None)
    assert server.asked[0]["stream"] is True


def faulty_event(document: Any) -> bytes:
    return f"event: error\ndata: {json.dumps(document)}\n\n".encode()

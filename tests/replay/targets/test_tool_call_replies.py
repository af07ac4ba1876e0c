"""A reply of tool calls alone is an answer: it is scored and stored as text, whatever kind of target gave it."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from replay.scorers.table import build_scorer
from replay.sinks import JsonlSink
from replay.targets.base import Target
from replay.targets.table import build_target
from replay.types import Case, Message, Reply, Tool, ToolCall
from tests.replay.replays import CONDITIONS, plan, replay
from tests.replay.targets.faulty import FaultyServer, with_document
from tests.replay.targets.replies import CALLED, TOOL_CALL, USE
from tests.replay.targets.shapes import SHAPES, Shape, chat, message, response

ANSWER = '{"name": "find", "arguments": {"order": 7}}'
CASE = Case(
    id="c1",
    input=(Message(role="user", content="Where is order 7?"),),
    tools=(Tool(name="find"),),
    references=(ANSWER,),
    must_include=("find", '"order": 7'),
)
ALONE: dict[str, Any] = {
    "chat": chat("", tool_calls=[TOOL_CALL]),
    "responses": response("", output=[CALLED]),
    "messages": {**message(""), "content": [USE]},
}
WHOLE = [shape for shape in SHAPES if shape.name in ALONE]
SCORERS = [build_scorer("exact", {}), build_scorer("must", {}), build_scorer("contains", {})]


class CallsATool:
    """A target of somebody else's that leaves the text empty."""

    conditions = CONDITIONS

    async def call(self, *_: object) -> Reply:
        return Reply(text=" ", latency_ms=1.0, tool_calls=(ToolCall(id="1", name="find", arguments='{"order": 7}'),))

    async def aclose(self) -> None: ...


async def labels(target: Target, folder: Path) -> list[str]:
    try:
        with JsonlSink(folder / "outcomes.jsonl") as sink:
            await replay(plan([CASE]), target, sink, scorers=SCORERS)
            (row,) = sink.outcomes("run-1")
    finally:
        await target.aclose()
    assert row.outcome.reply is not None
    assert row.outcome.reply.text == ANSWER
    assert row.outcome.reply.tool_calls[0].name == "find"
    return [score.label for score in row.scores]


@pytest.mark.parametrize("shape", WHOLE, ids=[shape.name for shape in WHOLE])
def test_a_model_that_only_calls_a_tool_is_scored(shape: Shape, tmp_path: Path) -> None:
    async def asked() -> list[str]:
        async with FaultyServer(with_document(ALONE[shape.name])) as server:
            return await labels(shape.build(server.address), tmp_path)

    assert asyncio.run(asked()) == ["pass"] * 3


@pytest.mark.parametrize("text", [{}, {"text": ""}, {"text": " "}, {"text": None}])
def test_a_program_that_only_calls_a_tool_is_scored(text: dict[str, Any], tmp_path: Path) -> None:
    answer = {**text, "tool_calls": [{"id": "1", "name": "find", "arguments": '{"order": 7}'}]}
    program = f"print({json.dumps(json.dumps(answer))})"
    target = build_target("command", {"command": (sys.executable, "-c", program), "timeout_s": 20.0})
    assert asyncio.run(labels(target, tmp_path)) == ["pass"] * 3


def test_a_target_that_leaves_the_text_empty_is_scored_by_its_calls(tmp_path: Path) -> None:
    assert asyncio.run(labels(CallsATool(), tmp_path)) == ["pass"] * 3

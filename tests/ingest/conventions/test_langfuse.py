"""Fields that Langfuse's SDK for JavaScript sends and its SDK for Python does not."""

import json
from typing import Any

import pytest

from monitor.domain.interaction import FinishReason, Interaction, Status, ToolCall
from monitor.ingest.conventions.langfuse import Langfuse
from tests.ingest.build import context, span, user

BARE: dict[str, Any] = {
    "gen_ai.operation.name": None,
    "gen_ai.provider.name": None,
    "gen_ai.request.model": None,
    "gen_ai.response.model": None,
    "gen_ai.response.finish_reasons": None,
    "langfuse.observation.type": "generation",
    "langfuse.observation.model.name": "gpt-4",
    "langfuse.observation.input": "refund?",
    "langfuse.observation.output": "30 days.",
}


def read(**of_observation: Any) -> Interaction:
    result = {f"langfuse.observation.{name}": value for name, value in of_observation.items()}
    return Langfuse().read_call(span(BARE | result), context())


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        (
            {"input": 23, "output": 6, "total": 40, "input_cached_tokens": 8, "output_reasoning_tokens": 3},
            (31, 9, 8, 3),
        ),
        (
            {"input": 31, "output": 9, "total": 40, "input_cached_tokens": 8, "output_reasoning_tokens": 3},
            (31, 9, 8, 3),
        ),
        ({"input": 23, "output": 9, "cache_read_input_tokens": 8, "total": 40}, (31, 9, 8, None)),
        ({"input": 31, "output": 9, "input_cache_read": 8, "output_reasoning": 3}, (31, 9, 8, 3)),
        ({"input": 23, "output": 6, "input_cached_tokens": "many"}, (23, 6, None, None)),
        ({"output": 6}, (None, 6, None, None)),
        ({"prompt_tokens": 31, "completion_tokens": 9}, (31, 9, None, None)),
        ({}, (None, None, None, None)),
    ],
)
def test_cached_tokens_are_included_once(usage: dict[str, Any], counted: tuple[int | None, ...]) -> None:
    found = read(usage_details=json.dumps(usage))
    tokens = (found.input_tokens, found.output_tokens, found.cached_input_tokens, found.reasoning_tokens)
    assert tokens == counted


def test_an_observation_of_level_error_failed_with_any_span_status() -> None:
    found = read(level="ERROR", status_message="Error: 429 slow down", output=None)
    assert (found.status, found.error_class, found.response_model) == (Status.ERROR, "rate_limit", None)
    assert read(level="WARNING").status is Status.OK


def test_calls_of_tools_without_a_role_are_a_message() -> None:
    call = {"function": {"name": "look", "arguments": "{}"}}
    found = read(output=json.dumps({"tool_calls": [call]}))
    assert [m.tool_calls for m in found.output_messages] == [(ToolCall(id=None, name="look", arguments="{}"),)]


@pytest.mark.parametrize("result", ["Be kind.", '"Be kind."'])
def test_the_instructions_and_the_status_of_a_response_are_metadata(result: str) -> None:
    found = read(**{"metadata.instructions": result, "metadata.status": "completed"})
    assert (found.system_prompt, found.input_messages) == ("Be kind.", (user("refund?"),))
    assert (found.finish_reason, found.status) == (FinishReason.STOP, Status.OK)


def test_instructions_that_the_input_has_are_no_second_system_prompt() -> None:
    requested = json.dumps({"instructions": "Be kind.", "input": "refund?"})
    assert read(input=requested, **{"metadata.instructions": '"Be kind."'}).system_prompt == "Be kind."

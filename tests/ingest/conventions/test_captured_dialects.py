"""Fields that only one client sends, read from its captured requests, in addition to the conformance suite."""

from functools import cache
from typing import Any

import pytest

from monitor.domain.interaction import CostSource, Interaction, Status
from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.http.body import decompress
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.otlp.decode import decode
from monitor.ingest.otlp.wire import TRACES
from tests.ingest.build import NOW
from tests.ingest.captures import captures, scenarios

RULES = DeploymentRules(by_service={}, default_deployment="support")
NAMES = {
    "traceloop-sdk": "openllmetry",
    "mlflow-otlp": "mlflow",
    "vercel-ai-sdk-v6": "vercel-ai",
    "litellm-otel-callback": "litellm",
    "pydantic-ai-otel-v6": "pydantic-ai",
}


@cache
def calls(client: str, scenario: str) -> tuple[Interaction, ...]:
    """Return the calls in start order."""
    found: list[Interaction] = []
    for request in captures(client):
        if request.scenario == scenario and request.path == "/v1/traces":
            plain = decompress(request.body, request.content_encoding, 1 << 20)
            result = TRACES.readers[request.content_type](plain)
            decoded = decode(result, rules=RULES, conventions=CONVENTIONS, now=NOW)
            assert not decoded.bad
            found += decoded.interactions
    return tuple(sorted(found, key=lambda call: call.started_at))


@pytest.mark.parametrize("client", NAMES)
def test_every_call_of_a_client_is_read_by_its_own_convention(client: str) -> None:
    assert {call.convention for scenario in scenarios(client) for call in calls(client, scenario)} == {NAMES[client]}


@pytest.mark.parametrize(
    ("client", "scenario", "reasoning"),
    [
        ("traceloop-sdk", "reasoning", 64),
        ("traceloop-sdk", "responses", 64),
        ("mlflow-otlp", "reasoning", 64),
        ("mlflow-otlp", "responses", 64),
        ("vercel-ai-sdk-v6", "responses", 64),
        ("pydantic-ai-otel-v6", "reasoning", 64),
        ("litellm-otel-callback", "chat", 0),
    ],
)
def test_tokens_of_reasoning_are_counted(client: str, scenario: str, reasoning: int) -> None:
    assert [call.reasoning_tokens for call in calls(client, scenario)] == [reasoning]


@pytest.mark.parametrize(
    ("client", "scenario", "cached"),
    [
        ("traceloop-sdk", "big_unicode", [128]),
        ("traceloop-sdk", "anthropic_multi_turn", [None, 512]),
        ("mlflow-otlp", "big_unicode", [128]),
        ("vercel-ai-sdk-v6", "chat", [0]),
        ("litellm-otel-callback", "multi_turn", [0]),
        ("pydantic-ai-otel-v6", "anthropic_chat", [0]),
    ],
)
def test_cached_tokens_are_counted(client: str, scenario: str, cached: list[int | None]) -> None:
    assert [call.cached_input_tokens for call in calls(client, scenario)] == cached


@pytest.mark.parametrize(
    ("client", "conversation", "user"),
    [
        ("traceloop-sdk", ("conv-42", "traceloop.association.properties.chat_id"), "user-831"),
        ("vercel-ai-sdk-v6", ("sess-42", "ai.telemetry.metadata.sessionId"), "user-831"),
        ("pydantic-ai-otel-v6", ("01a1fb41-274c-7304-be68-281010ed01ba", "gen_ai.conversation.id"), "user-831"),
        ("mlflow-otlp", (None, None), None),  # its exporter omits them
        ("litellm-otel-callback", (None, None), None),
    ],
)
def test_session_and_user_have_their_source(client: str, conversation: tuple[Any, Any], user: str | None) -> None:
    [chat] = calls(client, "chat")
    assert (chat.conversation_id, chat.conversation_source) == conversation
    assert chat.user_id == user


def test_the_user_that_was_sent_to_the_provider_is_the_user() -> None:
    assert [call.user_id for call in calls("litellm-otel-callback", "multi_turn")] == ["user-831"]
    assert [call.user_id for call in calls("mlflow-otlp", "multi_turn")] == ["user-831"]


@pytest.mark.parametrize(
    ("client", "scenario", "prompt"),
    [
        ("traceloop-sdk", "managed_prompt", ("support-answer", "7")),
        ("traceloop-sdk", "chat", (None, "v7")),
        ("mlflow-otlp", "chat", ("support-answer", "7")),
        ("vercel-ai-sdk-v6", "chat", (None, "v7")),
    ],
)
def test_the_version_of_the_prompt_is_known(client: str, scenario: str, prompt: tuple[str | None, str]) -> None:
    assert {(call.prompt_id, call.prompt_version) for call in calls(client, scenario)} == {prompt}


@pytest.mark.parametrize(
    ("client", "scenario", "cost"),
    [
        ("litellm-otel-callback", "chat", 2.835e-05),
        ("litellm-otel-callback", "stream_usage", 1.785e-05),
        ("pydantic-ai-otel-v6", "chat", 3.345e-05),
    ],
)
def test_a_reported_cost_is_kept(client: str, scenario: str, cost: float) -> None:
    [call] = calls(client, scenario)
    assert call.cost_usd == pytest.approx(cost)
    assert call.cost_source is CostSource.EMITTED


@pytest.mark.parametrize("client", ["traceloop-sdk", "mlflow-otlp", "vercel-ai-sdk-v6", "pydantic-ai-otel-v6"])
def test_a_stream_has_a_time_to_its_first_token(client: str) -> None:
    [call] = calls(client, "stream")
    assert call.ttft_ms is not None
    assert call.duration_ms is not None
    assert 0 < call.ttft_ms < call.duration_ms
    assert [chat.ttft_ms for chat in calls(client, "chat")] == [None]


@pytest.mark.parametrize("client", ["traceloop-sdk", "mlflow-otlp", "vercel-ai-sdk-v6", "pydantic-ai-otel-v6"])
def test_results_of_tools_name_the_calls_they_answer(client: str) -> None:
    first, second = calls(client, "tools")
    requested = [call.id for message in first.output_messages for call in message.tool_calls]
    again = [call.id for message in second.input_messages for call in message.tool_calls]
    answered = [message.tool_call_id for message in second.input_messages if message.role == "tool"]
    assert requested == again == answered
    assert all(requested)
    assert requested


def test_results_of_the_responses_api_name_the_calls_they_answer() -> None:
    first, second = calls("mlflow-otlp", "responses_tools")
    requested = [call.id for message in first.output_messages for call in message.tool_calls]
    assert requested == [message.tool_call_id for message in second.input_messages if message.role == "tool"]
    assert requested == ["call_c060be6d9bf1df2389ebdcfb"]


@pytest.mark.parametrize("client", NAMES)
def test_errors_have_one_class_in_every_spelling(client: str) -> None:
    [limited] = calls(client, "error_429")
    assert (limited.status, limited.error_class) == (Status.ERROR, "rate_limit")


@pytest.mark.parametrize("client", NAMES)
def test_no_text_stays_among_the_attributes(client: str) -> None:
    for scenario in scenarios(client):
        for call in calls(client, scenario):
            stored = str(call.attributes)
            assert "30 days" not in stored
            assert "Northwind" not in stored
            assert not call.input_text or call.input_text not in stored

"""The captured requests under tests/data/otlp, and the true calls in them."""

import json
from pathlib import Path
from typing import Any

from tests.ingest.capture import Capture, captures_in

DATA = Path(__file__).parent.parent / "data" / "otlp"
CLIENTS = (
    "otel-genai-span",
    "otel-openai-v2-legacy",
    "otel-openai-v2-exp-event",
    "otel-genai-nocontent",
    "otel-js-openai",
    "traceloop-sdk",
    "mlflow-otlp",
    "vercel-ai-sdk-v6",
    "litellm-otel-callback",
    "pydantic-ai-otel-v6",
    "openinference-openai",
    "openinference-langchain",
    "openinference-double",
    "double-genai-plus-openinference",
    "langfuse-sdk",
    "anthropic-sdk-native",
    "otel-evaluation-events",
    "llama-index-openinference",
    "logfire-openai",
)
NOT_INSTRUMENTED = {  # scenarios in which a client sent no span and no event
    ("otel-openai-v2-legacy", "responses"),
    ("otel-openai-v2-legacy", "responses_stream"),
    ("otel-openai-v2-legacy", "responses_tools"),
    ("otel-openai-v2-exp-event", "responses"),
    ("otel-openai-v2-exp-event", "responses_stream"),
    ("otel-openai-v2-exp-event", "responses_tools"),
    ("traceloop-sdk", "anthropic_stream_abandoned"),  # only the parent span arrived
    ("mlflow-otlp", "stream_abandoned"),
}
NOT_TOLD = {  # (client, scenario): fields that the instrumentation omits
    ("otel-openai-v2-legacy", "reasoning"): ["max_tokens", "reasoning"],  # it does not support max_completion_tokens
    ("otel-openai-v2-legacy", "big_unicode"): ["cache_read"],
    ("otel-openai-v2-exp-event", "reasoning"): ["max_tokens", "reasoning"],
    ("otel-openai-v2-exp-event", "big_unicode"): ["cache_read"],
    ("otel-openai-v2-exp-event", "image"): ["input_text", "n_input_messages"],  # text next to an image is lost
    ("traceloop-sdk", "multi_turn"): ["seed"],
    ("traceloop-sdk", "reasoning"): ["max_tokens"],
    ("traceloop-sdk", "image"): ["input_text", "n_input_messages"],  # the image is uploaded separately
    ("traceloop-sdk", "stream_abandoned"): ["finish_reasons"],
    ("traceloop-sdk", "stream_cut"): ["finish_reasons", "error_type"],  # reported as success
    ("openinference-openai", "stream_abandoned"): ["finish_reasons"],
    ("openinference-openai", "stream_cut"): ["finish_reasons"],
    ("anthropic-sdk-native", "anthropic_stream"): ["output_texts"],  # for a stream that the application reads itself
    ("anthropic-sdk-native", "anthropic_stream_abandoned"): ["output_texts", "output_tokens"],
    ("langfuse-sdk", "stream_cut"): ["error_type"],  # reported as success
    ("mlflow-otlp", "stream_cut"): ["finish_reasons"],  # its request failed, although chunks arrived
}
TOLD_OTHERWISE = {  # wrong values of the instrumentation
    ("logfire-openai", "lf_stream"): {"response_model": "gpt-4o-mini"},  # for a stream it sends the requested model
    ("logfire-openai", "lf_stream_usage"): {"response_model": "gpt-4o-mini"},
    ("logfire-openai", "lf_error"): {"response_model": "gpt-4o-mini-broken"},
    ("traceloop-sdk", "anthropic_stream"): {"output_tokens": 36},  # it adds the count of the first event
    ("traceloop-sdk", "anthropic_stream_helper"): {"output_tokens": 56},
    ("anthropic-sdk-native", "anthropic_error_429"): {"error_type": "rate_limit_error"},  # the provider's spelling
    ("anthropic-sdk-native", "anthropic_error_529"): {"error_type": "overloaded_error"},
    ("langfuse-sdk", "error_429"): {"error_type": "_OTHER"},  # it sends only the message, not the exception
    ("langfuse-sdk", "error_500"): {"error_type": "_OTHER"},
    ("langfuse-sdk", "error_conn"): {"error_type": "_OTHER"},
}


def captures(client: str) -> tuple[Capture, ...]:
    """Return every request of one client in order of arrival."""
    return captures_in(DATA / client)


def scenarios(client: str) -> list[str]:
    return list(dict.fromkeys(c.scenario for c in captures(client)))


def expected(client: str, scenario: str) -> list[dict[str, Any]]:
    """Return the true calls of a scenario, the oldest first; none when the client reports none."""
    if (client, scenario) in NOT_INSTRUMENTED:
        return []
    own = DATA / f"EXPECTED.{client}.json"
    truth = json.loads((DATA / "EXPECTED.json").read_text())
    if own.exists():
        truth |= json.loads(own.read_text())
    left_out = NOT_TOLD.get((client, scenario), [])
    otherwise = TOLD_OTHERWISE.get((client, scenario), {})
    told = [call | otherwise for call in truth.get(scenario, [])]
    if client == "langfuse-sdk":
        told = [as_langfuse_says(call, scenario) for call in told]
    return [{key: value for key, value in call.items() if key not in left_out} for call in told]


def as_langfuse_says(call: dict[str, Any], scenario: str) -> dict[str, Any]:
    """Return the call with the known differences of Langfuse's SDK. It replaces the requested model by the response
    model, adds the provider's defaults, and reports the end of a stream only. Tool calls are visible in a response
    only.
    """
    said = dict(call)
    if "response_model" in call:
        said["request_model"] = call["response_model"]
    if scenario != "manual_generation":
        said = {"temperature": 1.0, "top_p": 1.0} | said
    seen = scenario == "responses_tools" and "tool_calls" in call
    if scenario not in ("stream", "stream_usage", "tools_stream", "responses_stream") and not seen:
        said.pop("finish_reasons", None)
    return said

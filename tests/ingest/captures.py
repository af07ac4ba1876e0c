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
NOT_INSTRUMENTED = {  # scenarios a client went through without telling: no span, no event
    ("otel-openai-v2-legacy", "responses"),
    ("otel-openai-v2-legacy", "responses_stream"),
    ("otel-openai-v2-legacy", "responses_tools"),
    ("otel-openai-v2-exp-event", "responses"),
    ("otel-openai-v2-exp-event", "responses_stream"),
    ("otel-openai-v2-exp-event", "responses_tools"),
    ("traceloop-sdk", "anthropic_stream_abandoned"),  # only the span around it came
    ("mlflow-otlp", "stream_abandoned"),
}
NOT_TOLD = {  # (client, scenario): what the instrumentation leaves out
    ("otel-openai-v2-legacy", "reasoning"): ["max_tokens", "reasoning"],  # it does not know max_completion_tokens
    ("otel-openai-v2-legacy", "big_unicode"): ["cache_read"],
    ("otel-openai-v2-exp-event", "reasoning"): ["max_tokens", "reasoning"],
    ("otel-openai-v2-exp-event", "big_unicode"): ["cache_read"],
    ("otel-openai-v2-exp-event", "image"): ["input_text", "n_input_messages"],  # a text beside an image is lost
    ("traceloop-sdk", "multi_turn"): ["seed"],
    ("traceloop-sdk", "reasoning"): ["max_tokens"],
    ("traceloop-sdk", "image"): ["input_text", "n_input_messages"],  # the image went to a place of its own
    ("traceloop-sdk", "stream_abandoned"): ["finish_reasons"],
    ("traceloop-sdk", "stream_cut"): ["finish_reasons", "error_type"],  # told as success
    ("openinference-openai", "stream_abandoned"): ["finish_reasons"],
    ("openinference-openai", "stream_cut"): ["finish_reasons"],
    ("anthropic-sdk-native", "anthropic_stream"): ["output_texts"],  # of a stream that the application reads itself
    ("anthropic-sdk-native", "anthropic_stream_abandoned"): ["output_texts", "output_tokens"],
    ("langfuse-sdk", "stream_cut"): ["error_type"],  # told as success
    ("mlflow-otlp", "stream_cut"): ["finish_reasons"],  # its request failed, and its chunks are there
}
TOLD_OTHERWISE = {  # what the instrumentation says wrongly
    ("logfire-openai", "lf_stream"): {"response_model": "gpt-4o-mini"},  # of a stream it says what was asked for
    ("logfire-openai", "lf_stream_usage"): {"response_model": "gpt-4o-mini"},
    ("logfire-openai", "lf_error"): {"response_model": "gpt-4o-mini-broken"},
    ("traceloop-sdk", "anthropic_stream"): {"output_tokens": 36},  # it adds the count of the stream's first event
    ("traceloop-sdk", "anthropic_stream_helper"): {"output_tokens": 56},
    ("anthropic-sdk-native", "anthropic_error_429"): {"error_type": "rate_limit_error"},  # the provider's own words
    ("anthropic-sdk-native", "anthropic_error_529"): {"error_type": "overloaded_error"},
    ("langfuse-sdk", "error_429"): {"error_type": "_OTHER"},  # it sends the message alone, not what was raised
    ("langfuse-sdk", "error_500"): {"error_type": "_OTHER"},
    ("langfuse-sdk", "error_conn"): {"error_type": "_OTHER"},
}


def captures(client: str) -> tuple[Capture, ...]:
    """Everything one client sent, in the order it came."""
    return captures_in(DATA / client)


def scenarios(client: str) -> list[str]:
    return list(dict.fromkeys(c.scenario for c in captures(client)))


def expected(client: str, scenario: str) -> list[dict[str, Any]]:
    """The calls of a scenario, oldest first; none where the client tells of none."""
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
    """Its SDK overwrites the model that was asked for with the one that answered, fills in the provider's defaults, and
    tells how a stream ended alone; that an answer calls tools can be seen of a response.
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

"""Anthropic's client with OpenTelemetry's instrumentation. The client's own tracing is also on, so each call is
reported twice.
"""

import os

os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"

import otel

traces = otel.traces()

import anthropic_calls
import contract
from opentelemetry.instrumentation.genai.anthropic import AnthropicInstrumentor

AnthropicInstrumentor().instrument()
contract.run(anthropic_calls.scenarios())
traces.shutdown()

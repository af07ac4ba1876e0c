"""OpenAI's client with OpenTelemetry's genai-openai, the successor of openai-v2. Messages are
attributes of the span.
"""

import os

os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "span_only"

import contract
import openai_calls
import otel
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor

traces = otel.traces()
OpenAIInstrumentor().instrument()
contract.run(openai_calls.scenarios())
traces.shutdown()

"""Amazon's client for Bedrock with OpenTelemetry's instrumentation."""

import os

os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"

import contract
import otel
from opentelemetry.instrumentation.genai.bedrock import BedrockInstrumentor

traces = otel.traces()
BedrockInstrumentor().instrument()

import bedrock_calls

contract.run(bedrock_calls.scenarios())
traces.shutdown()

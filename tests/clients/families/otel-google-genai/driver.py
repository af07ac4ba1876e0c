"""Google's client for Gemini with OpenTelemetry's instrumentation."""

import os

os.environ |= {
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
}

import contract
import otel
from opentelemetry.instrumentation.google_genai import GoogleGenAiSdkInstrumentor

traces = otel.traces()
GoogleGenAiSdkInstrumentor().instrument()

import gemini_calls

contract.run(gemini_calls.scenarios())
traces.shutdown()

"""LangChain with OpenTelemetry's instrumentation."""

import os

os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"

import contract
import otel
from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor

traces = otel.traces()
LangChainInstrumentor().instrument()

import langchain_calls

contract.run(langchain_calls.scenarios())
traces.shutdown()

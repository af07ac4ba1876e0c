"""Google's client for Gemini with OpenInference's instrumentation."""

import contract
import otel
from openinference.instrumentation import using_session
from openinference.instrumentation.google_genai import GoogleGenAIInstrumentor

traces = otel.traces()
GoogleGenAIInstrumentor().instrument(tracer_provider=traces)

import gemini_calls


def turns() -> None:
    with using_session(contract.CONVERSATION):
        gemini_calls.turns(gemini_calls.client())


contract.run({**gemini_calls.scenarios(), "turns": turns})
traces.shutdown()

"""OpenAI's client with OpenInference's instrumentation. `using_session` sets the conversation."""

import contract
import openai_calls
import otel
from openinference.instrumentation import using_session
from openinference.instrumentation.openai import OpenAIInstrumentor

traces = otel.traces()
OpenAIInstrumentor().instrument(tracer_provider=traces)


def turns() -> None:
    with using_session(contract.CONVERSATION):
        openai_calls.turns(openai_calls.client())


contract.run({**openai_calls.scenarios(), "turns": turns})
traces.shutdown()

"""Anthropic's client with OpenInference's instrumentation. The client's own tracing is also on."""

import otel

traces = otel.traces()

import anthropic_calls
import contract
from openinference.instrumentation import using_session
from openinference.instrumentation.anthropic import AnthropicInstrumentor

AnthropicInstrumentor().instrument(tracer_provider=traces)


def turns() -> None:
    with using_session(contract.CONVERSATION):
        anthropic_calls.turns(anthropic_calls.client())


contract.run({**anthropic_calls.scenarios(), "turns": turns})
traces.shutdown()

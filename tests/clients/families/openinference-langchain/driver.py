"""LangChain with OpenInference's instrumentation."""

import contract
import otel
from openinference.instrumentation import using_session
from openinference.instrumentation.langchain import LangChainInstrumentor

traces = otel.traces()
LangChainInstrumentor().instrument(tracer_provider=traces)

import langchain_calls


def turns() -> None:
    with using_session(contract.CONVERSATION):
        langchain_calls.turns({})


contract.run({**langchain_calls.scenarios(), "turns": turns})
traces.shutdown()

"""OpenAI's client with OpenLLMetry's SDK."""

import contract
from traceloop.sdk import Traceloop

Traceloop.init(
    app_name=contract.SERVICE,
    api_endpoint=contract.OTLP,
    headers={"Authorization": f"Bearer {contract.TOKEN}"},
    telemetry_enabled=False,
)

import openai_calls
from opentelemetry import trace
from traceloop.sdk.decorators import workflow


@workflow(name="support")
def turns() -> None:
    Traceloop.set_association_properties({"session_id": contract.CONVERSATION})
    openai_calls.turns(openai_calls.client())


contract.run({**openai_calls.scenarios(), "turns": turns})
trace.get_tracer_provider().shutdown()

"""OpenAI's client with OpenLIT."""

import contract
import openlit

openlit.init(
    service_name=contract.SERVICE,
    otlp_endpoint=contract.OTLP,
    otlp_headers={"Authorization": f"Bearer {contract.TOKEN}"},
)

import openai_calls
from opentelemetry import trace

contract.run(openai_calls.scenarios())
trace.get_tracer_provider().shutdown()

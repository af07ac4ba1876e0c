"""OpenAI's client with Logfire."""

import contract
import logfire
import openai_calls
from logfire.experimental.annotations import get_traceparent, record_feedback
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor

logfire.configure(
    send_to_logfire=False,
    console=False,
    service_name=contract.SERVICE,
    additional_span_processors=[BatchSpanProcessor(OTLPSpanExporter())],
)
logfire.instrument_openai()


def feedback() -> None:
    with logfire.span("answer") as span:
        openai_calls.plain(openai_calls.client())
        parent = get_traceparent(span)
    record_feedback(parent, "user_feedback", False, comment="wrong")


contract.run({**openai_calls.scenarios(), "feedback": feedback})
logfire.shutdown()

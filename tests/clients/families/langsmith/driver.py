"""OpenAI's client wrapped by LangSmith, with LangSmith's OpenTelemetry export."""

import os

import contract

contract.without_otel_exporter()
os.environ |= {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_TRACING_MODE": "otel",
    "LANGSMITH_ENDPOINT": contract.OTLP,
    "LANGSMITH_API_KEY": contract.TOKEN,
}

import openai_calls
from langsmith import Client, traceable
from langsmith.wrappers import wrap_openai
from opentelemetry import trace

langsmith = Client()


@traceable(client=langsmith)
def turns() -> None:
    openai_calls.turns(client())


def client() -> object:
    return wrap_openai(openai_calls.client(), tracing_extra={"client": langsmith})


def in_session() -> None:
    turns(langsmith_extra={"metadata": {"session_id": contract.CONVERSATION}})


contract.run({**openai_calls.scenarios(client), "turns": in_session})
langsmith.flush()
trace.get_tracer_provider().force_flush()

"""Pydantic AI's agent, traced by Logfire."""

import contract
import logfire
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from pydantic_ai import Agent, ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

logfire.configure(
    send_to_logfire=False,
    console=False,
    service_name=contract.SERVICE,
    additional_span_processors=[BatchSpanProcessor(OTLPSpanExporter())],
)
logfire.instrument_pydantic_ai()

model = OpenAIChatModel(contract.MODEL, provider=OpenAIProvider(base_url=f"{contract.PROVIDER}/v1", api_key="none"))
settings = ModelSettings(
    temperature=contract.TEMPERATURE, top_p=contract.TOP_P, max_tokens=contract.MAX_TOKENS, seed=contract.SEED
)
agent = Agent(model, instructions=contract.SYSTEM, model_settings=settings)
with_tool = Agent(model, instructions=contract.SYSTEM, model_settings=settings)


@with_tool.tool_plain
def get_weather(city: str) -> str:
    """Return the weather in a city."""
    return contract.WEATHER


def plain() -> None:
    agent.run_sync(contract.QUESTION)


def stream() -> None:
    with agent.run_stream_sync(contract.QUESTION) as reply:
        for _ in reply.stream_text(delta=True):
            pass


def error() -> None:
    try:
        plain()
    except ModelHTTPError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def turns() -> None:
    first = agent.run_sync(contract.QUESTION, conversation_id=contract.CONVERSATION)
    agent.run_sync(contract.SECOND, message_history=first.new_messages(), conversation_id=contract.CONVERSATION)


contract.run(
    {
        "plain": plain,
        "stream": stream,
        "tool": lambda: with_tool.run_sync(contract.WEATHER_QUESTION),
        "retry": plain,
        "error": error,
        "turns": turns,
    }
)
logfire.shutdown()

"""Agno with OpenInference's instrumentation, set up as in its documentation."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import contract
import otel
from openinference.instrumentation.agno import AgnoInstrumentor

traces = otel.traces()
AgnoInstrumentor().instrument(tracer_provider=traces)

from agno.agent import Agent
from agno.models.message import Message
from agno.models.openai import OpenAIChat
from agno.run.base import RunStatus


def get_weather(city: str) -> str:
    """Return the weather in a city."""
    return contract.WEATHER


def agent(*tools: Any) -> Agent:
    model = OpenAIChat(
        id=contract.MODEL, base_url=f"{contract.PROVIDER}/v1", api_key="none", temperature=contract.TEMPERATURE,
        top_p=contract.TOP_P, max_tokens=contract.MAX_TOKENS, seed=contract.SEED,
    )  # fmt: skip
    return Agent(
        model=model,
        system_message=contract.SYSTEM,
        tools=list(tools),
        telemetry=False,
        session_id=contract.CONVERSATION,
    )


def plain(question: str = contract.QUESTION) -> Any:
    said = agent().run(question)
    assert said.status == RunStatus.completed, said.content
    return said


def stream(read: int | None = None) -> None:
    for number, _ in enumerate(agent().run(contract.QUESTION, stream=True), 1):
        if number == read:
            break


def error() -> None:
    said = agent().run(contract.QUESTION)
    assert said.status == RunStatus.error, "the provider rejected the call, and the client reports no error"


def parallel() -> None:
    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(plain, contract.PARALLEL))


def turns() -> None:
    said = plain()
    asked = [Message(role="user", content=contract.QUESTION), Message(role="assistant", content=said.content)]
    agent().run([*asked, Message(role="user", content=contract.SECOND)])


contract.run(
    {
        "plain": plain,
        "stream": stream,
        "tool": lambda: agent(get_weather).run(contract.WEATHER_QUESTION),
        "retry": plain,
        "error": error,
        "abandoned": lambda: stream(contract.READ_OF_ABANDONED),
        "parallel": parallel,
        "turns": turns,
    }
)
traces.shutdown()

"""Strands Agents with its own traces and default settings."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import contract
import otel
from openai import BadRequestError
from strands import Agent, tool
from strands.models.openai import OpenAIModel

traces = otel.traces()


@tool(name=contract.TOOL_NAME, description=contract.TOOL_DESCRIPTION)
def get_weather(city: str) -> str:
    """Return the weather in a city."""
    return contract.WEATHER


def agent(*tools: Any, **more: Any) -> Agent:
    model = OpenAIModel(
        client_args={"base_url": f"{contract.PROVIDER}/v1", "api_key": "none"},
        model_id=contract.MODEL,
        params={
            "temperature": contract.TEMPERATURE,
            "top_p": contract.TOP_P,
            "max_tokens": contract.MAX_TOKENS,
            "seed": contract.SEED,
        },
    )
    return Agent(model=model, system_prompt=contract.SYSTEM, tools=list(tools), callback_handler=None, **more)


def ask(question: str = contract.QUESTION) -> Any:
    return agent()(question)


def error() -> None:
    try:
        ask()
    except BadRequestError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def parallel() -> None:
    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(ask, contract.PARALLEL))


def turns() -> None:
    asked = agent(trace_attributes={"session.id": contract.CONVERSATION})
    asked(contract.QUESTION)
    asked(contract.SECOND)


contract.run(
    {
        "plain": ask,
        "tool": lambda: agent(get_weather)(contract.WEATHER_QUESTION),
        "retry": ask,
        "error": error,
        "parallel": parallel,
        "turns": turns,
    }
)
traces.shutdown()

"""Agents of AutoGen with OpenInference's instrumentation."""

import asyncio
from typing import Any

import contract
import otel
from openinference.instrumentation import using_session
from openinference.instrumentation.autogen_agentchat import AutogenAgentChatInstrumentor

traces = otel.traces()
AutogenAgentChatInstrumentor().instrument(tracer_provider=traces)

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openai import BadRequestError


async def get_weather(city: str) -> str:
    """Return the weather in a city."""
    return contract.WEATHER


def agent(*tools: Any) -> AssistantAgent:
    client = OpenAIChatCompletionClient(
        model=contract.MODEL, base_url=f"{contract.PROVIDER}/v1", api_key="none", temperature=contract.TEMPERATURE,
        top_p=contract.TOP_P, max_tokens=contract.MAX_TOKENS, seed=contract.SEED,
    )  # fmt: skip
    return AssistantAgent(
        "kettles", client, system_message=contract.SYSTEM, tools=list(tools) or None, reflect_on_tool_use=bool(tools)
    )


async def plain(question: str = contract.QUESTION) -> Any:
    return await agent().run(task=question)


async def error() -> None:
    try:
        await plain()
    except BadRequestError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


async def parallel() -> None:
    await asyncio.gather(*map(plain, contract.PARALLEL))


async def turns() -> None:
    with using_session(contract.CONVERSATION):
        asked = agent()
        await asked.run(task=contract.QUESTION)
        await asked.run(task=contract.SECOND)


async def tool() -> None:
    await agent(get_weather).run(task=contract.WEATHER_QUESTION)


scenarios = {"plain": plain, "tool": tool, "retry": plain, "error": error, "parallel": parallel, "turns": turns}
contract.run({name: lambda of=of: asyncio.run(of()) for name, of in scenarios.items()})
traces.shutdown()

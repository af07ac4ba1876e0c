"""Agents of Microsoft Agent Framework with its own spans."""

import asyncio
from typing import Any

import contract
import otel

traces = otel.traces()

from agent_framework import Agent, tool
from agent_framework.exceptions import ChatClientException
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatCompletionClient

enable_instrumentation(enable_sensitive_data=True)


@tool(name=contract.TOOL_NAME, description=contract.TOOL_DESCRIPTION, approval_mode="never_require")
def get_weather(city: str) -> str:
    return contract.WEATHER


def agent(*tools: Any) -> Agent:
    client = OpenAIChatCompletionClient(contract.MODEL, api_key="none", base_url=f"{contract.PROVIDER}/v1")
    options: Any = {
        "temperature": contract.TEMPERATURE,
        "top_p": contract.TOP_P,
        "max_tokens": contract.MAX_TOKENS,
        "seed": contract.SEED,
    }
    return Agent(client=client, instructions=contract.SYSTEM, tools=list(tools), default_options=options)


async def plain(question: str = contract.QUESTION) -> Any:
    return await agent().run(question)


async def stream() -> None:
    async for _ in agent().run(contract.QUESTION, stream=True):
        pass


async def error() -> None:
    try:
        await plain()
    except ChatClientException:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


async def parallel() -> None:
    await asyncio.gather(*map(plain, contract.PARALLEL))


async def turns() -> None:
    asked = agent()
    session = asked.create_session()
    await asked.run(contract.QUESTION, session=session)
    await asked.run(contract.SECOND, session=session)


scenarios = {
    "plain": plain, "stream": stream, "tool": lambda: agent(get_weather).run(contract.WEATHER_QUESTION),
    "retry": plain, "error": error, "parallel": parallel, "turns": turns,
}  # fmt: skip


async def run(name: str) -> None:
    await scenarios[name]()


contract.run({name: lambda name=name: asyncio.run(run(name)) for name in scenarios})
traces.shutdown()

"""OpenAI's Agents SDK with OpenInference's instrumentation, over chat completions and the Responses API."""

import asyncio
from typing import Any

import contract
import otel
from openinference.instrumentation import using_session
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

traces = otel.traces()
OpenAIAgentsInstrumentor().instrument(tracer_provider=traces)

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool
from openai import AsyncOpenAI, BadRequestError

SETTINGS = {"temperature": contract.TEMPERATURE, "top_p": contract.TOP_P, "max_tokens": contract.MAX_TOKENS}


@function_tool(name_override=contract.TOOL_NAME, description_override=contract.TOOL_DESCRIPTION)
def get_weather(city: str) -> str:
    return contract.WEATHER


def agent(*tools: Any, responses: bool = False) -> Agent[Any]:
    client = AsyncOpenAI(base_url=f"{contract.PROVIDER}/v1", api_key="none")
    if responses:
        model: Any = OpenAIResponsesModel(contract.MODEL, client)
        settings = ModelSettings(**SETTINGS)
    else:
        model = OpenAIChatCompletionsModel(contract.MODEL, client)
        settings = ModelSettings(**SETTINGS, include_usage=True, extra_args={"seed": contract.SEED})
    return Agent("kettles", instructions=contract.SYSTEM, model=model, model_settings=settings, tools=list(tools))


async def ask(question: str = contract.QUESTION, *tools: Any, responses: bool = False) -> Any:
    return await Runner.run(agent(*tools, responses=responses), question)


async def stream(*, responses: bool = False) -> None:
    async for _ in Runner.run_streamed(agent(responses=responses), contract.QUESTION).stream_events():
        pass


async def error() -> None:
    try:
        await ask()
    except BadRequestError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


async def parallel() -> None:
    await asyncio.gather(*map(ask, contract.PARALLEL))


async def turns() -> None:
    with using_session(contract.CONVERSATION):
        said = await ask()
        await Runner.run(agent(), [*said.to_input_list(), {"role": "user", "content": contract.SECOND}])


contract.run(
    {
        "plain": lambda: asyncio.run(ask()),
        "stream": lambda: asyncio.run(stream()),
        "tool": lambda: asyncio.run(ask(contract.WEATHER_QUESTION, get_weather)),
        "retry": lambda: asyncio.run(ask()),
        "error": lambda: asyncio.run(error()),
        "parallel": lambda: asyncio.run(parallel()),
        "turns": lambda: asyncio.run(turns()),
        "responses": lambda: asyncio.run(ask(responses=True)),
        "responses_stream": lambda: asyncio.run(stream(responses=True)),
    }
)
traces.shutdown()

"""Agents of Google's ADK with its own spans, over the Gemini API."""

import asyncio
import os
from typing import Any

import contract
import otel

os.environ |= {"GOOGLE_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": contract.PROVIDER}
traces, logs = otel.traces(), otel.logs()

from google.adk.agents import LlmAgent, RunConfig
from google.adk.agents.run_config import StreamingMode
from google.adk.runners import InMemoryRunner
from google.genai import errors, types

USER = "user-1"


def get_weather(city: str) -> str:
    """Return the weather in a city."""
    return contract.WEATHER


def runner(*tools: Any) -> InMemoryRunner:
    config = types.GenerateContentConfig(
        temperature=contract.TEMPERATURE,
        top_p=contract.TOP_P,
        max_output_tokens=contract.MAX_TOKENS,
        seed=contract.SEED,
    )
    agent = LlmAgent(
        name="kettles", model=contract.GEMINI, instruction=contract.SYSTEM, tools=list(tools),
        generate_content_config=config,
    )  # fmt: skip
    return InMemoryRunner(agent, app_name="shop")


async def ask(
    *questions: str,
    tools: Any = (),
    session_id: str = contract.CONVERSATION,
    streamed: StreamingMode = StreamingMode.NONE,
) -> None:
    made = runner(*tools)
    session = await made.session_service.create_session(app_name="shop", user_id=USER, session_id=session_id)
    for question in questions or (contract.QUESTION,):
        message = types.Content(role="user", parts=[types.Part(text=question)])
        run = made.run_async(
            user_id=USER, session_id=session.id, new_message=message, run_config=RunConfig(streaming_mode=streamed)
        )
        async for _ in run:
            pass


async def error() -> None:
    try:
        await ask()
    except errors.ClientError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


async def parallel() -> None:
    await asyncio.gather(*map(ask, contract.PARALLEL))


contract.run(
    {
        "plain": lambda: asyncio.run(ask()),
        "stream": lambda: asyncio.run(ask(streamed=StreamingMode.SSE)),
        "tool": lambda: asyncio.run(ask(contract.WEATHER_QUESTION, tools=[get_weather])),
        "error": lambda: asyncio.run(error()),
        "parallel": lambda: asyncio.run(parallel()),
        "turns": lambda: asyncio.run(ask(contract.QUESTION, contract.SECOND)),
    }
)
traces.shutdown()
logs.shutdown()

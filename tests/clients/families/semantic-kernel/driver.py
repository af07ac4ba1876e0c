"""Semantic Kernel with its own diagnostics. Its texts are log events."""

import asyncio
import logging
import os
from typing import Any

os.environ["SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE"] = "true"

import contract
import otel
from opentelemetry.sdk._logs import LoggingHandler

traces, logs = otel.traces(), otel.logs()
handler = LoggingHandler(logger_provider=logs)
handler.addFilter(logging.Filter("semantic_kernel"))
logging.getLogger().addHandler(handler)
logging.getLogger().setLevel(logging.INFO)

from openai import AsyncOpenAI
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory
from semantic_kernel.exceptions import ServiceResponseException
from semantic_kernel.functions import kernel_function


class Weather:
    @kernel_function(name=contract.TOOL_NAME, description=contract.TOOL_DESCRIPTION)
    def get_weather(self, city: str) -> str:
        return contract.WEATHER


def service() -> OpenAIChatCompletion:
    client = AsyncOpenAI(base_url=f"{contract.PROVIDER}/v1", api_key="none")
    return OpenAIChatCompletion(ai_model_id=contract.MODEL, async_client=client)


def settings(**more: Any) -> OpenAIChatPromptExecutionSettings:
    return OpenAIChatPromptExecutionSettings(
        temperature=contract.TEMPERATURE,
        top_p=contract.TOP_P,
        max_tokens=contract.MAX_TOKENS,
        seed=contract.SEED,
        **more,
    )


def history(question: str = contract.QUESTION) -> ChatHistory:
    asked = ChatHistory(system_message=contract.SYSTEM)
    asked.add_user_message(question)
    return asked


async def plain(question: str = contract.QUESTION) -> Any:
    return await service().get_chat_message_content(history(question), settings())


async def stream() -> None:
    async for _ in service().get_streaming_chat_message_content(history(), settings()):
        pass


async def tool() -> None:
    kernel = Kernel()
    kernel.add_plugin(Weather(), "shop")
    chosen = settings(function_choice_behavior=FunctionChoiceBehavior.Auto())
    await service().get_chat_message_content(history(contract.WEATHER_QUESTION), chosen, kernel=kernel)


async def error() -> None:
    try:
        await plain()
    except ServiceResponseException:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


async def parallel() -> None:
    await asyncio.gather(*map(plain, contract.PARALLEL))


async def turns() -> None:
    asked = history()
    asked.add_message(await service().get_chat_message_content(asked, settings()))
    asked.add_user_message(contract.SECOND)
    await service().get_chat_message_content(asked, settings())


scenarios = {
    "plain": plain,
    "stream": stream,
    "tool": tool,
    "retry": plain,
    "error": error,
    "parallel": parallel,
    "turns": turns,
}
contract.run({name: lambda of=of: asyncio.run(of()) for name, of in scenarios.items()})
traces.shutdown()
logs.shutdown()

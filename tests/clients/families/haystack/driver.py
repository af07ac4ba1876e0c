"""A pipeline of Haystack with OpenInference's instrumentation."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import contract
import otel
from openinference.instrumentation import using_session
from openinference.instrumentation.haystack import HaystackInstrumentor

traces = otel.traces()
HaystackInstrumentor().instrument(tracer_provider=traces)

from haystack import Pipeline
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.core.errors import PipelineRuntimeError
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.utils import Secret

OPTIONS = {
    "temperature": contract.TEMPERATURE,
    "top_p": contract.TOP_P,
    "max_tokens": contract.MAX_TOKENS,
    "seed": contract.SEED,
}


def ask(messages: list[ChatMessage], *, streamed: bool = False, tools: Any = None) -> ChatMessage:
    options = {**OPTIONS, "stream_options": {"include_usage": True}} if streamed else OPTIONS
    generator = OpenAIChatGenerator(
        api_key=Secret.from_token("none"), model=contract.MODEL, api_base_url=f"{contract.PROVIDER}/v1",
        generation_kwargs=options, tools=tools, streaming_callback=(lambda _: None) if streamed else None,
    )  # fmt: skip
    pipeline = Pipeline()
    pipeline.add_component("llm", generator)
    said: ChatMessage = pipeline.run({"llm": {"messages": messages}})["llm"]["replies"][0]
    return said


def messages(question: str) -> list[ChatMessage]:
    return [ChatMessage.from_system(contract.SYSTEM), ChatMessage.from_user(question)]


def plain(question: str = contract.QUESTION) -> ChatMessage:
    return ask(messages(question))


def tool() -> None:
    tools = [
        Tool(
            name=contract.TOOL_NAME,
            description=contract.TOOL_DESCRIPTION,
            parameters=contract.TOOL_PARAMETERS,
            function=lambda city: contract.WEATHER,
        )
    ]
    asked = messages(contract.WEATHER_QUESTION)
    said = ask(asked, tools=tools)
    [call] = said.tool_calls
    assert call.arguments == {"city": "Paris"}
    ask([*asked, said, ChatMessage.from_tool(contract.WEATHER, origin=call)], tools=tools)


def error() -> None:
    try:
        plain()
    except PipelineRuntimeError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def parallel() -> None:
    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(plain, contract.PARALLEL))


def turns() -> None:
    with using_session(contract.CONVERSATION):
        asked = messages(contract.QUESTION)
        ask([*asked, ask(asked), ChatMessage.from_user(contract.SECOND)])


contract.run(
    {
        "plain": plain,
        "stream": lambda: ask(messages(contract.QUESTION), streamed=True),
        "tool": tool,
        "retry": plain,
        "error": error,
        "parallel": parallel,
        "turns": turns,
    }
)
traces.shutdown()

"""LlamaIndex's client of OpenAI with OpenInference's instrumentation."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import contract
import otel
from openai import BadRequestError
from openinference.instrumentation import using_session
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

traces = otel.traces()
LlamaIndexInstrumentor().instrument(tracer_provider=traces)

from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI


def model() -> OpenAI:
    return OpenAI(
        model=contract.MODEL, api_base=f"{contract.PROVIDER}/v1", api_key="none", temperature=contract.TEMPERATURE,
        max_tokens=contract.MAX_TOKENS, additional_kwargs={"top_p": contract.TOP_P, "seed": contract.SEED},
    )  # fmt: skip


def messages(question: str) -> list[ChatMessage]:
    return [ChatMessage(role="system", content=contract.SYSTEM), ChatMessage(role="user", content=question)]


def plain(question: str = contract.QUESTION) -> Any:
    return model().chat(messages(question))


def stream(read: int | None = None) -> None:
    pieces = model().stream_chat(messages(contract.QUESTION), stream_options={"include_usage": True})
    for number, _ in enumerate(pieces, 1):
        if number == read:
            break


def get_weather(city: str) -> str:
    return contract.WEATHER


def tool() -> None:
    asked, llm = messages(contract.WEATHER_QUESTION), model()
    tools = [FunctionTool.from_defaults(get_weather, contract.TOOL_NAME, contract.TOOL_DESCRIPTION)]
    said = llm.chat_with_tools(tools, chat_history=asked)
    [call] = llm.get_tool_calls_from_response(said)
    assert json.loads(json.dumps(call.tool_kwargs)) == {"city": "Paris"}
    result = ChatMessage(role="tool", content=contract.WEATHER, additional_kwargs={"tool_call_id": call.tool_id})
    llm.chat_with_tools(tools, chat_history=[*asked, said.message, result])


def error() -> None:
    try:
        plain()
    except BadRequestError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def parallel() -> None:
    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(plain, contract.PARALLEL))


def turns() -> None:
    with using_session(contract.CONVERSATION):
        asked = messages(contract.QUESTION)
        said = model().chat(asked).message
        model().chat([*asked, said, ChatMessage(role="user", content=contract.SECOND)])


contract.run(
    {
        "plain": plain,
        "stream": stream,
        "tool": tool,
        "retry": plain,
        "error": error,
        "abandoned": lambda: stream(contract.READ_OF_ABANDONED),
        "parallel": parallel,
        "turns": turns,
    }
)
traces.shutdown()

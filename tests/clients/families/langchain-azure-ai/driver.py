"""LangChain with the tracer of langchain-azure-ai, which exports to the provider configured here."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import contract
import otel

traces = otel.traces()

from langchain_azure_ai.callbacks.tracers import AzureAIOpenTelemetryTracer
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from openai import BadRequestError

tracer = AzureAIOpenTelemetryTracer(enable_content_recording=True, provider_name="openai")
CONFIG: dict[str, Any] = {"callbacks": [tracer]}
TOOL = {
    "type": "function",
    "function": {
        "name": contract.TOOL_NAME,
        "description": contract.TOOL_DESCRIPTION,
        "parameters": contract.TOOL_PARAMETERS,
    },
}


def model(**more: Any) -> ChatOpenAI:
    return ChatOpenAI(
        model=contract.MODEL, base_url=f"{contract.PROVIDER}/v1", api_key="none", temperature=contract.TEMPERATURE,
        top_p=contract.TOP_P, max_tokens=contract.MAX_TOKENS, seed=contract.SEED, **more,
    )  # fmt: skip


def messages(question: str) -> list[Any]:
    return [SystemMessage(contract.SYSTEM), HumanMessage(question)]


def plain(question: str = contract.QUESTION) -> Any:
    return model().invoke(messages(question), CONFIG)


def stream() -> None:
    for _ in model(stream_usage=True).stream(messages(contract.QUESTION), CONFIG):
        pass


def tool() -> None:
    asked, bound = messages(contract.WEATHER_QUESTION), model().bind_tools([TOOL])
    said = bound.invoke(asked, CONFIG)
    [call] = said.tool_calls
    assert call["args"] == {"city": "Paris"}
    bound.invoke([*asked, said, ToolMessage(contract.WEATHER, tool_call_id=call["id"])], CONFIG)


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
    config = {**CONFIG, "metadata": {"thread_id": contract.CONVERSATION, "session_id": contract.CONVERSATION}}
    asked = messages(contract.QUESTION)
    said = model().invoke(asked, config)
    model().invoke([*asked, said, HumanMessage(contract.SECOND)], config)


contract.run(
    {
        "plain": plain,
        "stream": stream,
        "tool": tool,
        "retry": plain,
        "error": error,
        "parallel": parallel,
        "turns": turns,
    }
)
traces.shutdown()

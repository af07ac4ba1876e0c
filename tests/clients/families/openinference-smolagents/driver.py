"""The models of smolagents with OpenInference's instrumentation."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import contract
import otel
from openai import BadRequestError
from openinference.instrumentation import using_session
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import ChatMessage, MessageRole, OpenAIServerModel
from smolagents import tool as as_tool

traces = otel.traces()
SmolagentsInstrumentor().instrument(tracer_provider=traces)


@as_tool
def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: The city.
    """
    return contract.WEATHER


def model() -> OpenAIServerModel:
    return OpenAIServerModel(
        contract.MODEL, api_base=f"{contract.PROVIDER}/v1", api_key="none", temperature=contract.TEMPERATURE,
        top_p=contract.TOP_P, max_tokens=contract.MAX_TOKENS, seed=contract.SEED,
    )  # fmt: skip


def said(role: MessageRole, text: str) -> ChatMessage:
    return ChatMessage(role=role, content=[{"type": "text", "text": text}])


def messages(question: str) -> list[ChatMessage]:
    return [said(MessageRole.SYSTEM, contract.SYSTEM), said(MessageRole.USER, question)]


def plain(question: str = contract.QUESTION) -> Any:
    return model().generate(messages(question))


def stream() -> None:
    for _ in model().generate_stream(messages(contract.QUESTION)):
        pass


def tool() -> None:
    """Run only the call of the tool: smolagents sends a result as text of the user."""
    said = model().generate(messages(contract.WEATHER_QUESTION), tools_to_call_from=[get_weather])
    assert [call.function.name for call in said.tool_calls] == [contract.TOOL_NAME]


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
        answer = model().generate(asked)
        asked += [said(MessageRole.ASSISTANT, answer.content), said(MessageRole.USER, contract.SECOND)]
        model().generate(asked)


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

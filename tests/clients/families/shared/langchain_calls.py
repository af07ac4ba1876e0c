"""The scenarios with LangChain's chat model for OpenAI."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import contract
import openai
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool as as_tool
from langchain_openai import ChatOpenAI


@as_tool
def get_weather(city: str) -> str:
    """Return the weather in a city."""
    return contract.WEATHER


def model() -> ChatOpenAI:
    return ChatOpenAI(
        base_url=f"{contract.PROVIDER}/v1",
        api_key="none",
        model=contract.MODEL,
        temperature=contract.TEMPERATURE,
        top_p=contract.TOP_P,
        max_tokens=contract.MAX_TOKENS,
        seed=contract.SEED,
        stream_usage=True,
    )


def messages(*said: str) -> list[BaseMessage]:
    """Return the messages of user and assistant in turns, after the system prompt."""
    kinds = (HumanMessage, AIMessage)
    return [SystemMessage(contract.SYSTEM), *(kinds[n % 2](text) for n, text in enumerate(said))]


def plain(config: dict[str, Any], question: str = contract.QUESTION) -> Any:
    return model().invoke(messages(question), config)


def stream(config: dict[str, Any], read: int | None = None) -> None:
    pieces = model().stream(messages(contract.QUESTION), config)
    for number, _ in enumerate(pieces, 1):
        if number == read:
            pieces.close()
            break


def tool(config: dict[str, Any]) -> None:
    bound = model().bind_tools([get_weather])
    asked = messages(contract.WEATHER_QUESTION)
    said = bound.invoke(asked, config)
    [call] = said.tool_calls
    result = ToolMessage(contract.WEATHER, tool_call_id=call["id"])
    bound.invoke([*asked, said, result], config)


def error(config: dict[str, Any]) -> None:
    try:
        plain(config)
    except openai.BadRequestError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def parallel(config: dict[str, Any]) -> None:
    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(lambda question: plain(config, question), contract.PARALLEL))


def turns(config: dict[str, Any]) -> None:
    said = model().invoke(messages(contract.QUESTION), config)
    model().invoke(messages(contract.QUESTION, said.content, contract.SECOND), config)


def chain(config: dict[str, Any]) -> None:
    """Run a prompt, the model and a parser as one runnable. The steps around the call are not calls."""
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate

    prompt = ChatPromptTemplate.from_messages([("system", contract.SYSTEM), ("human", "{question}")])
    (prompt | model() | StrOutputParser()).invoke({"question": contract.QUESTION}, config)


def agent(config: dict[str, Any]) -> None:
    """Run LangChain's agent: two calls of the model and one of the tool."""
    from langchain.agents import create_agent

    made = create_agent(model(), tools=[get_weather], system_prompt=contract.SYSTEM)
    made.invoke({"messages": [{"role": "user", "content": contract.WEATHER_QUESTION}]}, config)


def scenarios(callbacks: Sequence[Any] = ()) -> Mapping[str, Callable[[], object]]:
    config = {"callbacks": list(callbacks)} if callbacks else {}
    return {
        "plain": lambda: plain(config),
        "stream": lambda: stream(config),
        "tool": lambda: tool(config),
        "retry": lambda: plain(config),
        "error": lambda: error(config),
        "abandoned": lambda: stream(config, contract.READ_OF_ABANDONED),
        "parallel": lambda: parallel(config),
        "turns": lambda: turns(config),
        "chain": lambda: chain(config),
        "agent": lambda: agent(config),
    }

"""The scenarios with Anthropic's own client. Its version 2 has no temperature."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import contract

TOOL = {
    "name": contract.TOOL_NAME,
    "description": contract.TOOL_DESCRIPTION,
    "input_schema": contract.TOOL_PARAMETERS,
}
OPTIONS: dict[str, Any] = {
    "model": contract.CLAUDE,
    "system": contract.SYSTEM,
    "max_tokens": contract.MAX_TOKENS,
}


def client(**options: Any) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=contract.PROVIDER, api_key="none", **options)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def plain(made: Any, question: str = contract.QUESTION) -> Any:
    return made.messages.create(messages=[user(question)], **OPTIONS)


def stream(made: Any, read: int | None = None) -> None:
    """Stream with the client's helper: all of it, or a few chunks before the client disconnects."""
    with made.messages.stream(messages=[user(contract.QUESTION)], **OPTIONS) as pieces:
        for number, _ in enumerate(pieces.text_stream, 1):
            if number == read:
                break


def raw_stream(made: Any) -> None:
    for _ in made.messages.create(messages=[user(contract.QUESTION)], stream=True, **OPTIONS):
        pass


def tool(made: Any) -> None:
    asked = [user(contract.WEATHER_QUESTION)]
    said = made.messages.create(messages=asked, tools=[TOOL], **OPTIONS)
    [call] = said.content
    assert call.input == {"city": "Paris"}
    result = {"type": "tool_result", "tool_use_id": call.id, "content": contract.WEATHER}
    back = {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in said.content]}
    made.messages.create(messages=[*asked, back, {"role": "user", "content": [result]}], tools=[TOOL], **OPTIONS)


def error(made: Any) -> None:
    try:
        plain(made)
    except anthropic.BadRequestError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def parallel(made: Any) -> None:
    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(lambda question: plain(made, question), contract.PARALLEL))


def turns(made: Any) -> None:
    asked = [user(contract.QUESTION)]
    said = made.messages.create(messages=asked, **OPTIONS)
    asked += [{"role": "assistant", "content": said.content[0].text}, user(contract.SECOND)]
    made.messages.create(messages=asked, **OPTIONS)


def scenarios(make: Callable[[], Any] = client) -> Mapping[str, Callable[[], object]]:
    return {
        "plain": lambda: plain(make()),
        "stream": lambda: stream(make()),
        "raw_stream": lambda: raw_stream(make()),
        "tool": lambda: tool(make()),
        "retry": lambda: plain(make()),
        "error": lambda: error(make()),
        "abandoned": lambda: stream(make(), contract.READ_OF_ABANDONED),
        "parallel": lambda: parallel(make()),
        "turns": lambda: turns(make()),
    }

"""The scenarios with OpenAI's own client. An instrumentation must be active before the client is created."""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import contract
import openai

TOOL = {
    "type": "function",
    "function": {
        "name": contract.TOOL_NAME,
        "description": contract.TOOL_DESCRIPTION,
        "parameters": contract.TOOL_PARAMETERS,
    },
}
OPTIONS = {
    "temperature": contract.TEMPERATURE,
    "top_p": contract.TOP_P,
    "max_tokens": contract.MAX_TOKENS,
    "seed": contract.SEED,
}


def client(**options: Any) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{contract.PROVIDER}/v1", api_key="none", **options)


def messages(*questions: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": contract.SYSTEM}, *({"role": "user", "content": q} for q in questions)]


def plain(made: Any, question: str = contract.QUESTION) -> Any:
    return made.chat.completions.create(model=contract.MODEL, messages=messages(question), **OPTIONS)


def stream(made: Any, read: int | None = None) -> None:
    """Stream all of it, or a few chunks before the client disconnects."""
    usage = {"include_usage": True}
    with made.chat.completions.create(
        model=contract.MODEL, messages=messages(contract.QUESTION), stream=True, stream_options=usage, **OPTIONS
    ) as pieces:
        for number, _ in enumerate(pieces, 1):
            if number == read:
                break


def tool(made: Any) -> None:
    asked = messages(contract.WEATHER_QUESTION)
    options = {"model": contract.MODEL, "tools": [TOOL], **OPTIONS}
    said = made.chat.completions.create(messages=asked, **options).choices[0].message
    [call] = said.tool_calls
    assert json.loads(call.function.arguments) == {"city": "Paris"}
    result = {"role": "tool", "tool_call_id": call.id, "content": contract.WEATHER}
    made.chat.completions.create(messages=[*asked, said.model_dump(exclude_none=True), result], **options)


def error(made: Any) -> None:
    try:
        plain(made)
    except openai.BadRequestError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def parallel(made: Any) -> None:
    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(lambda question: plain(made, question), contract.PARALLEL))


def turns(made: Any) -> None:
    asked = messages(contract.QUESTION)
    said = made.chat.completions.create(model=contract.MODEL, messages=asked, **OPTIONS).choices[0].message
    asked += [{"role": "assistant", "content": said.content}, {"role": "user", "content": contract.SECOND}]
    made.chat.completions.create(model=contract.MODEL, messages=asked, **OPTIONS)


def responses(made: Any, **more: Any) -> Any:
    return made.responses.create(
        model=contract.MODEL, instructions=contract.SYSTEM, input=contract.QUESTION, temperature=contract.TEMPERATURE,
        top_p=contract.TOP_P, max_output_tokens=contract.MAX_TOKENS, **more,
    )  # fmt: skip


def responses_stream(made: Any) -> None:
    for _ in responses(made, stream=True):
        pass


def scenarios(make: Callable[[], Any] = client) -> Mapping[str, Callable[[], object]]:
    return {
        "plain": lambda: plain(make()),
        "stream": lambda: stream(make()),
        "tool": lambda: tool(make()),
        "retry": lambda: plain(make()),
        "error": lambda: error(make()),
        "abandoned": lambda: stream(make(), contract.READ_OF_ABANDONED),
        "parallel": lambda: parallel(make()),
        "turns": lambda: turns(make()),
        "responses": lambda: responses(make()),
        "responses_stream": lambda: responses_stream(make()),
    }

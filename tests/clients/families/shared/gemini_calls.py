"""The scenarios with Google's own client for Gemini."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import contract
from google import genai
from google.genai import errors, types

TOOL = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(
            name=contract.TOOL_NAME,
            description=contract.TOOL_DESCRIPTION,
            parameters_json_schema=contract.TOOL_PARAMETERS,
        )
    ]
)


def client() -> genai.Client:
    retries = types.HttpRetryOptions(attempts=3, initial_delay=0.05)
    return genai.Client(
        api_key="none", http_options=types.HttpOptions(base_url=contract.PROVIDER, retry_options=retries)
    )


def config(**more: Any) -> types.GenerateContentConfig:
    return types.GenerateContentConfig(
        system_instruction=contract.SYSTEM, temperature=contract.TEMPERATURE, top_p=contract.TOP_P,
        max_output_tokens=contract.MAX_TOKENS, seed=contract.SEED, **more,
    )  # fmt: skip


def plain(made: genai.Client, question: str = contract.QUESTION) -> Any:
    return made.models.generate_content(model=contract.GEMINI, contents=question, config=config())


def stream(made: genai.Client, read: int | None = None) -> None:
    pieces = made.models.generate_content_stream(model=contract.GEMINI, contents=contract.QUESTION, config=config())
    for number, _ in enumerate(pieces, 1):
        if number == read:
            pieces.close()
            break


def tool(made: genai.Client) -> None:
    asked = [types.Content(role="user", parts=[types.Part(text=contract.WEATHER_QUESTION)])]
    first = made.models.generate_content(model=contract.GEMINI, contents=asked, config=config(tools=[TOOL]))
    [call] = first.function_calls
    result = types.Part.from_function_response(name=call.name, response={"result": contract.WEATHER})
    more = [*asked, first.candidates[0].content, types.Content(role="user", parts=[result])]
    made.models.generate_content(model=contract.GEMINI, contents=more, config=config(tools=[TOOL]))


def error(made: genai.Client) -> None:
    try:
        plain(made)
    except errors.ClientError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def parallel(made: genai.Client) -> None:
    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(lambda question: plain(made, question), contract.PARALLEL))


def turns(made: genai.Client) -> None:
    chat = made.chats.create(model=contract.GEMINI, config=config())
    chat.send_message(contract.QUESTION)
    chat.send_message(contract.SECOND)


def scenarios(make: Callable[[], genai.Client] = client) -> Mapping[str, Callable[[], object]]:
    return {
        "plain": lambda: plain(make()),
        "stream": lambda: stream(make()),
        "tool": lambda: tool(make()),
        "retry": lambda: plain(make()),
        "error": lambda: error(make()),
        "abandoned": lambda: stream(make(), contract.READ_OF_ABANDONED),
        "parallel": lambda: parallel(make()),
        "turns": lambda: turns(make()),
    }

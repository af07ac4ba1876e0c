"""LiteLLM's SDK with its OpenTelemetry callback."""

import os

os.environ |= {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
}

import contract
import litellm
from opentelemetry import trace

litellm.callbacks = ["otel"]
MODEL = f"openai/{contract.MODEL}"
OPTIONS = {
    "api_base": f"{contract.PROVIDER}/v1",
    "api_key": "none",
    "temperature": contract.TEMPERATURE,
    "top_p": contract.TOP_P,
    "max_tokens": contract.MAX_TOKENS,
    "seed": contract.SEED,
}
TOOL = {
    "type": "function",
    "function": {
        "name": contract.TOOL_NAME,
        "description": contract.TOOL_DESCRIPTION,
        "parameters": contract.TOOL_PARAMETERS,
    },
}


def messages(question: str) -> list[dict[str, object]]:
    return [{"role": "system", "content": contract.SYSTEM}, {"role": "user", "content": question}]


def plain(question: str = contract.QUESTION, **more: object) -> None:
    litellm.completion(model=MODEL, messages=messages(question), **OPTIONS, **more)


def stream(read: int | None = None) -> None:
    pieces = litellm.completion(
        model=MODEL,
        messages=messages(contract.QUESTION),
        stream=True,
        stream_options={"include_usage": True},
        **OPTIONS,
    )
    for number, _ in enumerate(pieces, 1):
        if number == read:
            break


def tool() -> None:
    asked = messages(contract.WEATHER_QUESTION)
    said = litellm.completion(model=MODEL, messages=asked, tools=[TOOL], **OPTIONS).choices[0].message
    [call] = said.tool_calls
    result = {"role": "tool", "tool_call_id": call.id, "content": contract.WEATHER}
    litellm.completion(model=MODEL, messages=[*asked, said.model_dump(), result], tools=[TOOL], **OPTIONS)


def error() -> None:
    try:
        plain()
    except litellm.BadRequestError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def parallel() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(plain, contract.PARALLEL))


contract.run(
    {
        "plain": plain,
        "stream": stream,
        "tool": tool,
        "retry": lambda: plain(num_retries=2),
        "error": error,
        "parallel": parallel,
    }
)
import time

time.sleep(1)  # its callbacks run in other threads, and it has no function that waits for them
trace.get_tracer_provider().force_flush()

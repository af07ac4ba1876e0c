"""DSPy's language model with OpenInference's instrumentation."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import contract
import otel
from openinference.instrumentation import using_session
from openinference.instrumentation.dspy import DSPyInstrumentor

traces = otel.traces()
DSPyInstrumentor().instrument(tracer_provider=traces)

import dspy

TOOL = {
    "type": "function",
    "function": {
        "name": contract.TOOL_NAME,
        "description": contract.TOOL_DESCRIPTION,
        "parameters": contract.TOOL_PARAMETERS,
    },
}


def model() -> dspy.LM:
    return dspy.LM(
        f"openai/{contract.MODEL}", api_base=f"{contract.PROVIDER}/v1", api_key="none", cache=False,
        temperature=contract.TEMPERATURE, top_p=contract.TOP_P, max_tokens=contract.MAX_TOKENS, seed=contract.SEED,
    )  # fmt: skip


def messages(question: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": contract.SYSTEM}, {"role": "user", "content": question}]


def plain(question: str = contract.QUESTION) -> Any:
    return model()(messages=messages(question))


def tool() -> None:
    asked = messages(contract.WEATHER_QUESTION)
    [said] = model()(messages=asked, tools=[TOOL])
    [call] = said["tool_calls"]
    assert json.loads(call.function.arguments) == {"city": "Paris"}
    calls = [{"id": call.id, "type": "function", "function": dict(call.function)}]
    asked += [{"role": "assistant", "content": None, "tool_calls": calls}]
    model()(messages=[*asked, {"role": "tool", "tool_call_id": call.id, "content": contract.WEATHER}], tools=[TOOL])


def error() -> None:
    try:
        plain()
    except dspy.LMInvalidRequestError:
        return
    raise AssertionError("the provider rejected the call, and the client reports no error")


def parallel() -> None:
    with ThreadPoolExecutor(len(contract.PARALLEL)) as pool:
        list(pool.map(plain, contract.PARALLEL))


def turns() -> None:
    with using_session(contract.CONVERSATION):
        asked = messages(contract.QUESTION)
        [said] = model()(messages=asked)
        asked += [{"role": "assistant", "content": said}, {"role": "user", "content": contract.SECOND}]
        model()(messages=asked)


contract.run({"plain": plain, "tool": tool, "retry": plain, "error": error, "parallel": parallel, "turns": turns})
traces.shutdown()

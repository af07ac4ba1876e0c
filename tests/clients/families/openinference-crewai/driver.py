"""Agents of CrewAI with OpenInference's instrumentations of CrewAI and of OpenAI's client."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false"}

import contract
import otel
from openinference.instrumentation import using_session
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor

traces = otel.traces()
CrewAIInstrumentor().instrument(tracer_provider=traces)
OpenAIInstrumentor().instrument(tracer_provider=traces)

from crewai import LLM, Agent, Crew, Task
from openai import BadRequestError


def crew(question: str, **more: Any) -> Crew:
    llm = LLM(
        model=f"openai/{contract.MODEL}", base_url=f"{contract.PROVIDER}/v1", api_key="none",
        temperature=contract.TEMPERATURE, top_p=contract.TOP_P, max_tokens=contract.MAX_TOKENS, seed=contract.SEED,
        **more,
    )  # fmt: skip
    agent = Agent(role="clerk", goal=contract.SYSTEM, backstory="You know kettles.", llm=llm, max_retry_limit=0)
    return Crew(agents=[agent], tasks=[Task(description=question, expected_output="an answer", agent=agent)])


def plain(question: str = contract.QUESTION) -> Any:
    return crew(question).kickoff()


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
        plain()
        plain(contract.SECOND)


contract.run(
    {
        "plain": plain,
        "stream": lambda: crew(contract.QUESTION, stream=True).kickoff(),
        "retry": plain,
        "error": error,
        "parallel": parallel,
        "turns": turns,
    }
)
traces.shutdown()

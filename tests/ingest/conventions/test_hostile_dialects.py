"""Any value of any attribute of any convention: a span is recognized without an error, and read or malformed."""

import json
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.errors import MalformedRecord
from monitor.ingest.conventions import langsmith, litellm, mlflow, mlflow_texts, pydantic_ai, traceloop, vercel
from monitor.ingest.conventions.base import Convention
from monitor.ingest.conventions.span_call import CallFields
from tests.ingest.build import context, event, log_record, span
from tests.properties import examples

KEYS = st.sampled_from(
    [
        "role", "parts", "content", "type", "text", "tool_calls", "function", "name", "id", "kwargs", "lc", "messages",
        "input", "output", "choices", "message", "delta", "index", "finish_reason", "generations", "candidates",
        "usage", "prompt_tokens", "input_tokens", "prompt_tokens_details", "cached_tokens", "model", "stream",
        "toolName", "toolCallId", "args", "result", "value", "event.name", "system", "instructions", "version",
        "temperature",
    ]
)  # fmt: skip
WORDS = st.sampled_from(["", "stop", "user", "system", "text", "tool-call", "tool_use", "human", "[", '[{"', "NaN"])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
VALUES = PLAIN | PLAIN.map(json.dumps) | PLAIN.map(lambda value: json.dumps(value)[:-1])
COMMON = [
    "gen_ai.usage.input_tokens",
    "gen_ai.response.finish_reasons",
    "gen_ai.request.model",
    "error.type",
    "user.id",
]
INDEXED = [f"gen_ai.{kind}.{n}" for kind in ("prompt", "completion") for n in ("0", "1", "x", "9" * 5000)]
FIELDS = ("role", "content", "tool_calls.0.name", "tool_calls")
DIALECTS: dict[str, tuple[Convention, dict[str, Any], list[str]]] = {
    "vercel": (
        vercel.Vercel(),
        {vercel.OPERATION: "ai.streamText.doStream"},
        ["ai.prompt.messages", "ai.response.toolCalls", "ai.response.text", "ai.usage.inputTokens", *vercel.USER],
    ),
    "mlflow": (
        mlflow.MLflow(),
        {mlflow.TYPE: '"LLM"'},
        [mlflow_texts.INPUTS, mlflow_texts.OUTPUTS, mlflow.USAGE, mlflow.COST, mlflow.LINKED, *mlflow.PARAMETERS],
    ),
    "langsmith": (
        langsmith.LangSmith(),
        {langsmith.KIND: "llm"},
        [langsmith.INPUTS, langsmith.OUTPUTS, langsmith.USAGE, "gen_ai.usage.input_token_details"],
    ),
    "litellm": (
        litellm.LiteLLM(),
        {"litellm.call_id": "c", "llm.request.type": "completion"},
        ["gen_ai.input.messages", litellm.USAGE, "gen_ai.cost.total_cost", "llm.user"],
    ),
    "pydantic-ai": (
        pydantic_ai.PydanticAI(),
        {"logfire.msg": "m"},
        ["events", "request_data", "response_data", "gen_ai.output.messages", "operation.cost"],
    ),
    "traceloop": (
        traceloop.Traceloop(),
        {"llm.request.type": "chat"},
        [f"{message}.{field}" for message in INDEXED for field in FIELDS],
    ),
}  # fmt: skip


@given(data=st.data(), dialect=st.sampled_from(sorted(DIALECTS)), chunk=VALUES)
@settings(max_examples=examples(300), deadline=None)
def test_no_value_raises_anything_but_malformed(data: st.DataObject, dialect: str, chunk: Any) -> None:
    convention, sign, names = DIALECTS[dialect]
    result = data.draw(st.dictionaries(st.sampled_from([*names, *COMMON, *sign]), VALUES, max_size=6))
    chunks = [event(f"{mlflow_texts.CHUNK}{n}", **{"mlflow.chunk.value": chunk}) for n in ("1", "x", "9" * 5000)]
    events = (*chunks, event("exception", **{"exception.type": chunk, "exception.message": chunk}))
    claimed = span(result, events=events, failed=True)
    convention.role_of(claimed)
    with suppress(MalformedRecord):
        found = convention.read_call(span(result | sign, events=events), context(result))
        assert set(CallFields.__annotations__) <= set(type(found).__struct_fields__)
        json.dumps(dict(found.attributes), allow_nan=False).encode()


@given(
    body=VALUES, result=st.dictionaries(st.sampled_from(["gen_ai.prompt", "message.content", "finish_reason"]), VALUES)
)
@settings(max_examples=examples(100), deadline=None)
def test_no_event_of_litellm_raises_anything_but_malformed(body: Any, result: dict[str, Any]) -> None:
    for name in ("gen_ai.content.prompt", "gen_ai.content.completion"):
        record = log_record("", body, attributes=result | {"event_name": name})
        assert litellm.LiteLLM().claims_log(record)
        with suppress(MalformedRecord):
            litellm.LiteLLM().read_texts(record)

"""Captured requests of real clients, through a real server into a real store, compared with the true calls."""

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from monitor.domain.interaction import ContentState, Document, Interaction, Status, UsageSource
from monitor.ingest.conventions.finish_reasons import finish_reason
from monitor.ingest.http.body import decompress
from monitor.ingest.otlp.wire import TRACES
from monitor.store.traffic import interactions
from tests.ingest.capture import Capture
from tests.ingest.captures import CLIENTS, captures, expected, scenarios
from tests.ingest.pipeline import IngestPipeline, ingest_pipeline, otlp_app, served

WITHOUT_CONTENT = "otel-genai-nocontent"


def receive(pipeline: IngestPipeline, requests: Iterable[Capture]) -> None:
    with served(otlp_app(pipeline)) as client:
        for request in requests:
            answer = request.send(client)
            assert answer.status_code == 200, answer.text
            assert answer.headers["content-type"] == request.content_type
            assert answer.content == (b"" if "protobuf" in request.content_type else b"{}"), "nothing is rejected"


def by_scenario(pipeline: IngestPipeline, client: str) -> dict[str, list[Interaction]]:
    """Return the interactions of each scenario, without duplicates, the oldest first. Spans do not name their scenario;
    their traces do.
    """
    scenario_of = {span: s for s in scenarios(client) for span in spans_of(client, s)}
    found: dict[str, list[Interaction]] = {s: [] for s in scenarios(client)}
    rows = {row.id: row for row in reversed(pipeline.rows())}
    for row in rows.values():
        if row.duplicate_of is None:
            found[scenario_of[row.id]].append(row)
        else:
            assert rows[row.duplicate_of].duplicate_of is None, "what is kept is no double itself"
            assert scenario_of[row.duplicate_of] == scenario_of[row.id]
    return found


def spans_of(client: str, scenario: str) -> list[str]:
    """Return the ids of all spans of a scenario. This uses only the decoders of the tested code."""
    found = []
    for request in captures(client):
        if request.scenario == scenario and request.path.endswith("/v1/traces"):
            plain = decompress(request.body, request.content_encoding, 1 << 20)
            found += [f"{s.trace_id}:{s.span_id}" for s in TRACES.readers[request.content_type](plain).spans]
    return found


def check(client: str, found: dict[str, list[Interaction]]) -> None:
    for scenario, calls in found.items():
        truth = expected(client, scenario)
        assert len(calls) == len(truth), f"{client} {scenario}"
        for call, true in zip(sorted_like(calls, truth), truth, strict=True):
            check_call(call, true, f"{client} {scenario}", with_content=client != WITHOUT_CONTENT)


def sorted_like(calls: list[Interaction], truth: list[dict[str, Any]]) -> list[Interaction]:
    """Return the calls in the order of the truth. Concurrent calls start in any order, so their token counts identify
    them.
    """
    tokens = [true.get("input_tokens") for true in truth]
    if len(set(tokens)) == len(tokens) > 1:
        return sorted(calls, key=lambda c: tokens.index(c.input_tokens))
    return calls


def check_call(call: Interaction, true: dict[str, Any], where: str, *, with_content: bool) -> None:
    facts = {
        "request_model": call.request_model,
        "response_model": call.response_model,
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
        "temperature": call.temperature,
        "top_p": call.top_p,
        "seed": call.seed,
        "max_tokens": call.max_tokens,
    }
    facts |= {"cache_read": call.cached_input_tokens} if "cache_read" in true else {}
    facts |= {"reasoning": call.reasoning_tokens} if "reasoning" in true else {}
    assert facts == {name: true.get(name) for name in facts}, where
    counted = call.input_tokens is not None or call.output_tokens is not None
    assert call.usage_source is (UsageSource.EMITTED if counted else UsageSource.ABSENT), where
    check_end(call, true, where, with_content=with_content)
    if with_content:
        check_texts(call, true, where)
    else:
        assert call.content_state is ContentState.ABSENT, where
        assert (call.input_messages, call.output_messages, call.system_prompt) == ((), (), None)
    assert call.deployment == "support"
    assert call.identity == call.response_model


def check_end(call: Interaction, true: dict[str, Any], where: str, *, with_content: bool) -> None:
    """Check status and error. One client writes `openai.RateLimitError` and another `RateLimitError` for the same
    error.
    """
    if "error_type" in true:
        assert call.status is Status.ERROR, where
        assert call.error_class, where
        assert call.error_type, where
        # For an interrupted stream, the error is that of the layer below the provider's client.
        if "APIConnection" not in true["error_type"]:
            assert call.error_type.split(".")[-1] == true["error_type"].split(".")[-1], where
    else:
        assert call.status is not Status.ERROR, where
        assert call.error_class is None, where
    reasons = true.get("finish_reasons", [None])
    if with_content or "error" not in reasons:
        assert call.finish_reason == finish_reason(reasons[0]), where


def check_texts(call: Interaction, true: dict[str, Any], where: str) -> None:
    assert call.system_prompt == true.get("system_prompt"), where
    assert call.input_text == true.get("input_text", call.input_text), where
    of_system = 1 if "system_prompt" in true else 0
    result = true.get("n_input_messages", 0)
    assert len(call.input_messages) in (result, result - of_system), where
    assert [m.content for m in call.output_messages] == true.get("output_texts", []), where
    tools = [{"name": c.name, "arguments": json.loads(c.arguments)} for m in call.output_messages for c in m.tool_calls]
    assert tools == true.get("tool_calls", []), where
    requested = {c.id for m in call.input_messages for c in m.tool_calls}
    assert {m.tool_call_id for m in call.input_messages if m.role == "tool"} <= requested, where
    something_told = "n_input_messages" in true or "output_texts" in true
    expected_states = (ContentState.FULL, ContentState.PARTIAL) if something_told else (ContentState.ABSENT,)
    if "content_state" in true:
        expected_states = (ContentState(true["content_state"]),)
    assert call.content_state in expected_states, where


@pytest.mark.parametrize("client", CLIENTS)
def test_rows_have_the_requests_and_answers_of_the_client(client: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, captures(client))
        pipeline.join()
        check(client, by_scenario(pipeline, client))
        assert pipeline.letters() == []


@pytest.mark.parametrize("client", CLIENTS)
def test_every_request_sent_twice_changes_nothing(client: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, captures(client))
        before = len(pipeline.rows())
        pipeline.join()
        receive(pipeline, captures(client))
        pipeline.join()
        assert len(pipeline.rows()) == before
        check(client, by_scenario(pipeline, client))


def test_texts_sent_twice_before_the_join_are_stored_once(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, [*captures("otel-js-openai"), *captures("otel-js-openai")])
        pipeline.join()
        check("otel-js-openai", by_scenario(pipeline, "otel-js-openai"))


@pytest.mark.parametrize("client", CLIENTS)
def test_texts_before_their_spans_are_joined_too(client: str, tmp_path: Path) -> None:
    """Requests are sent in reverse order. Only the logs of one client keep their order, because it is the message
    order.
    """
    spans = [c for c in captures(client) if c.path.endswith("/v1/traces")]
    logs = [c for c in captures(client) if c.path == "/v1/logs"]
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, logs)
        assert pipeline.join() == 0
        receive(pipeline, reversed(spans))
        pipeline.join()
        check(client, by_scenario(pipeline, client))


@pytest.mark.parametrize("client", CLIENTS)
def test_any_order_of_requests_gives_the_same(client: str, tmp_path: Path) -> None:
    shuffled = list(captures(client))
    random.Random(7).shuffle(shuffled)
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, shuffled)
        pipeline.join()
        check(client, by_scenario(pipeline, client))


def test_calls_inherit_session_and_user_of_the_request(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, captures("otel-genai-span"))
        found = by_scenario(pipeline, "otel-genai-span")
    [chat] = found["chat"]
    assert (chat.conversation_id, chat.user_id) == ("sess-42", "user-831")
    assert (chat.provider, chat.system_fingerprint) == ("openai", "fp_44709d6fcb")
    assert chat.attributes["service.version"] == "2.7.1"
    [agent] = found["agent_conversation"]
    assert agent.conversation_id == "conv-42"
    [versioned] = found["manual_prompt_version"]
    assert (versioned.prompt_id, versioned.prompt_version) == ("support-answer", "7")


AROUND = {  # client: sessions, users, and prompts with their versions
    "otel-genai-span": ({"sess-42", "conv-42", "sess-late"}, {"user-831", "user-007"}, {("support-answer", "7")}),
    "otel-openai-v2-legacy": ({"sess-42", "sess-late"}, {"user-831", "user-007"}, set()),
    "otel-openai-v2-exp-event": ({"sess-42", "sess-late"}, {"user-831", "user-007"}, set()),
    "otel-genai-nocontent": ({"sess-42"}, {"user-831"}, set()),
    "otel-js-openai": ({"sess-42"}, {"user-831"}, set()),
    "openinference-openai": ({"sess-42"}, {"user-831"}, {(None, "v7")}),
    "openinference-langchain": ({"sess-42"}, {"user-831"}, {(None, "v7")}),
    "openinference-double": ({"sess-42"}, {"user-831"}, {(None, "v7")}),
    "double-genai-plus-openinference": ({"sess-42"}, {"user-831"}, set()),
    "langfuse-sdk": ({"sess-42"}, {"user-831"}, {("support-answer", "7")}),
    "anthropic-sdk-native": ({"sess-42", "conv-42"}, {"user-831"}, set()),
    "traceloop-sdk": ({"conv-42"}, {"user-831"}, {(None, "v7"), ("support-answer", "7")}),
    "vercel-ai-sdk-v6": ({"sess-42"}, {"user-831"}, {(None, "v7")}),
}


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("client", AROUND)
def test_calls_inherit_session_user_and_prompt_in_any_order(client: str, tmp_path: Path, *, backwards: bool) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, reversed(captures(client)) if backwards else captures(client))
        pipeline.join()
        rows = pipeline.rows()
    sessions, users, prompts = AROUND[client]
    assert {row.conversation_id for row in rows} == sessions
    assert {row.user_id for row in rows} == users
    assert {(r.prompt_id, r.prompt_version) for r in rows if r.prompt_id or r.prompt_version} == prompts
    assert all(row.conversation_source and row.user_source for row in rows)


FOUND = Document(id="kb-12", content="Refunds within 30 days", score=0.91)
READ = {  # (client, scenario): the documents retrieved for its call
    ("otel-genai-span", "rag_retrieval"): [FOUND],
    ("openinference-openai", "rag_chain"): [FOUND, Document(id="kb-40", content="Warranty 2 years", score=0.52)],
    ("openinference-langchain", "lc_rag"): [
        Document(id="kb-40", content="Warranty is 2 years"),
        Document(id="kb-12", content="Refunds within 30 days"),
    ],
    ("langfuse-sdk", "rag_observe"): [FOUND],
    ("mlflow-otlp", "rag"): [FOUND],
}


@pytest.mark.parametrize(("client", "scenario"), READ)
def test_a_call_has_the_documents_retrieved_for_it(client: str, scenario: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, captures(client))
        pipeline.join()
        found = by_scenario(pipeline, client)
    assert [list(call.documents) for call in found[scenario]] == [READ[client, scenario]]
    assert all(not call.documents for s, calls in found.items() for call in calls if (client, s) not in READ)


@pytest.mark.parametrize(
    ("client", "duplicates"),
    [("double-genai-plus-openinference", 11), ("openinference-double", 4), ("otel-genai-span", 0)],
)
def test_a_call_reported_by_two_instrumentations_counts_once(client: str, duplicates: int, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, captures(client))
        pipeline.join()
        result = pipeline.rows()
        with pipeline.store.read() as tx:
            counted = interactions.count(tx)
    assert sum(row.duplicate_of is not None for row in result) == duplicates
    assert counted == len(result) - duplicates


def test_interrupted_streams_are_incomplete_even_with_a_success_status(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, [*captures("otel-genai-span"), *captures("otel-genai-nocontent")])
        rows = pipeline.rows()
    incomplete = [(r.provider, r.response_model) for r in rows if r.status is Status.INCOMPLETE]
    assert sorted(incomplete) == [
        ("anthropic", "claude-sonnet-4-5-20250929"),
        ("openai", "gpt-4o-mini-2024-07-18"),
        ("openai", "gpt-4o-mini-2024-07-18"),
    ]


def test_embeddings_tools_agents_and_retrieval_are_not_interactions(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        receive(pipeline, captures("otel-genai-span"))
        found = by_scenario(pipeline, "otel-genai-span")
    assert found["embeddings"] == []
    assert len(found["agent_conversation"]) == len(found["rag_retrieval"]) == 1

"""A sealed question is not readable anywhere: not in the file, not over the API, not through a replay echo."""

import json
from pathlib import Path

import httpx
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from tests.app.house import DEPLOYMENT, FROZEN, SETTLE_S, House, daemon
from tests.app.stored import stored


def log_call(house: House, text: str, trace_id: str | None = None) -> None:
    """Send one call as an instrumented application does, optionally in a given trace."""
    exporter = OTLPSpanExporter(endpoint=f"{house.app.addresses['ingest.otlp']}/v1/traces")
    provider = TracerProvider(resource=Resource.create({"service.name": DEPLOYMENT}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4",
        "gen_ai.response.model": "gpt-4-0314",
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": text}]}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "[Yes]"}]}]),
        "gen_ai.response.finish_reasons": ["stop"],
    }
    context = None
    if trace_id is not None:
        from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

        parent = SpanContext(int(trace_id, 16), 0x1234, is_remote=True, trace_flags=TraceFlags(1))
        context = set_span_in_context(NonRecordingSpan(parent))
    provider.get_tracer("app").start_span("chat gpt-4", context=context, attributes=attributes).end()
    provider.shutdown()


def test_after_a_replay_the_file_holds_no_sealed_text(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        house.import_primes(40)
        run = house.replay()
        questions = [q.question for q in house.data.questions[:40]]
        answers = [q.answers["gpt-4-0314"][0].text for q in house.data.questions[:40]]
    assert run["scored"] == 40
    held = stored(tmp_path)
    assert not [text for text in (*questions, *answers) if len(text) > 20 and text.encode() in held]


def test_the_same_search_finds_a_text_that_is_not_sealed(tmp_path: Path) -> None:
    """Prove that the search of the test above can find a text."""
    with daemon(tmp_path) as house:
        log_call(house, "What are the opening hours on Sundays in the Leipzig shop?")
        house.app.settle(SETTLE_S)
    held = stored(tmp_path)
    assert b"opening hours on Sundays" in held


def test_a_replay_that_echoes_through_an_instrumented_application_is_no_traffic(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        house.import_primes(5)
        run = house.replay()
        outcome = house.listed("outcomes", run_id=run["id"])[0]
        with house.app.store.read() as tx:
            from monitor.store.engine.pagination import PageQuery
            from monitor.store.runs import outcomes

            trace_id = outcomes.page(tx, run["id"], PageQuery(), None).items[0].trace_id
        log_call(house, house.data.questions[0].question, trace_id)
        house.app.settle(SETTLE_S)
        (echo,) = house.listed("interactions")
    assert outcome["text"] is None
    assert (echo["origin"], echo["input_text"], echo["output_text"]) == ("replay", "", "")


def test_a_sealed_question_in_traffic_is_recognized_without_being_written_down(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        house.import_primes(5)
        log_call(house, house.data.questions[3].question)
        log_call(house, "Is 91 a prime number?")
        house.app.settle(SETTLE_S)
        seen = {item["origin"]: item["input_text"] for item in house.listed("interactions")}
    assert seen == {"sealed_match": "", "production": "Is 91 a prime number?"}


def test_cases_and_outcomes_come_without_their_texts(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        house.import_primes(3)
        run = house.replay()
        cases = house.listed("cases", set_name=FROZEN)
        shown = house.listed("outcomes", run_id=run["id"])
        refused = house.api.get("/api/v1/cases", params={"set_name": FROZEN, "reveal": "true"})
    assert [case["input"] for case in cases] == [None] * 3
    assert [case["references"] for case in cases] == [None] * 3
    assert [(one["text"], one["scores"][0]["reason"]) for one in shown] == [(None, None)] * 3
    assert refused.status_code == httpx.codes.FORBIDDEN

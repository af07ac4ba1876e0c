import json
from pathlib import Path
from typing import Any

import pytest

from monitor.domain.interaction import ChatMessage, ContentState, Interaction, Origin, SpanContent
from monitor.ingest.normalize.replay_echo import STRIPPED, EchoFilter
from monitor.store.traffic import interactions
from replay.evalsets.sealing import Sealer, new_key
from tests.ingest import build
from tests.ingest.build import NOW, interaction, native, user
from tests.ingest.pipeline import ingest_file, ingest_pipeline, normalizer, otlp_app, served

PREFIX = "0af7651916cd43dd"
QUESTION = "Is 17077 a prime number? Think step by step."
ORDINARY = "Is your shop open on the second Sunday of Advent?"
SEALER = Sealer(new_key())
SEALED = frozenset({SEALER.mac(QUESTION)})


def known_run(trace_id: str) -> str | None:
    return "run-1" if trace_id.startswith(PREFIX) else None


def sealed(text: str) -> bool:
    return SEALER.mac(text) in SEALED


ECHO = EchoFilter(known_run=known_run, sealed=sealed)


def assert_stripped(found: Interaction, origin: Origin, run_id: str | None) -> None:
    assert (found.origin, found.run_id, found.content_state) == (origin, run_id, ContentState.REDACTED)
    assert (found.system_prompt, found.input_messages, found.output_messages) == (None, (), ())
    assert found.attributes == ({"driftd.run": run_id} if run_id else {})


def test_production_traffic_passes_unchanged() -> None:
    item = interaction(trace_id="f" * 32, attributes={"a": "b"})
    assert ECHO.interaction(item) is item


@pytest.mark.parametrize(
    "fields",
    [
        {"trace_id": build.TRACE},
        {"trace_id": build.TRACE.upper()},
        {"attributes": {"driftd.run": "run-1", "input.value": QUESTION}},
    ],
)
def test_a_replay_is_recognized_by_its_trace_or_its_baggage(fields: dict[str, Any]) -> None:
    assert_stripped(ECHO.interaction(interaction(system_prompt="Be kind.", **fields)), Origin.REPLAY, "run-1")


def test_a_run_named_by_another_span_of_the_trace_counts() -> None:
    assert_stripped(ECHO.interaction(interaction(), run="run-9"), Origin.REPLAY, "run-9")


@pytest.mark.parametrize("text", [QUESTION, f"  {QUESTION}\n"])
def test_a_sealed_input_is_not_traffic_and_its_text_is_not_stored(text: str) -> None:
    followed = (user(text), ChatMessage(role="assistant", content="No."), user("sure?"))
    for messages in ((user(text),), followed):
        assert_stripped(ECHO.interaction(interaction(input_messages=messages)), Origin.SEALED_MATCH, None)


def test_texts_of_an_echo_are_not_kept_at_all() -> None:
    def content(**fields: Any) -> SpanContent:
        built: dict[str, Any] = {
            "trace_id": "f" * 32,
            "span_id": build.SPAN,
            "received_at": NOW,
            "input_messages": (user("hi"),),
        }
        return SpanContent(**built | fields)

    assert ECHO.content(content()) == content()
    assert ECHO.content(content(trace_id=build.TRACE)) is None
    assert ECHO.content(content(input_messages=(user(QUESTION),))) is None
    assert ECHO.content(content(), run="run-1") is None


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps({"request": {"messages": [{"content": QUESTION}]}}),
        json.dumps({"attributes": [{"value": {"stringValue": json.dumps([{"content": QUESTION}])}}]}),
        '{"broken": ["' + QUESTION + '", ',
        json.dumps({"traceId": build.TRACE}),
        json.dumps({"attributes": {"driftd.run": "run-1"}}),
        json.dumps(json.dumps(json.dumps({"content": QUESTION}))),
        '{"content": "' + QUESTION.replace("?", "\\u003f") + '"',
    ],
)
def test_an_unreadable_record_with_an_echo_is_not_stored(raw: str) -> None:
    assert ECHO.raw(raw.encode()) == STRIPPED


def test_other_unreadable_records_are_kept_unchanged() -> None:
    for raw in (b'{"a": "hi"', b"\xff\xfe\x00", b'"\\uZZZZ" "', json.dumps({"traceId": "f" * 32}).encode()):
        assert ECHO.raw(raw) == raw
    assert ECHO.raw(b"{}", run="run-1") == STRIPPED


def test_a_sealed_case_never_reaches_the_disk_on_any_ingest_path(tmp_path: Path) -> None:
    """Spans, events, malformed spans, native records and broken lines contain the case. Then all bytes of the store are
    searched.
    """
    question = json.dumps([{"role": "user", "content": QUESTION}])
    lines = tmp_path / "calls.jsonl"
    broken = {"type": "interaction", "request": {"messages": [{"role": "user", "content": QUESTION}]}}
    good = native(request={"messages": [{"role": "user", "content": QUESTION}]})
    ordinary = native(user_id="u-1", request={"messages": [{"role": "user", "content": ORDINARY}]})
    lines.write_text("\n".join([json.dumps(good), json.dumps(broken), json.dumps(good)[:-5], json.dumps(ordinary)]))
    with ingest_pipeline(tmp_path, with_normalizer=normalizer(known_run=known_run, sealed=sealed)) as pipeline:
        with served(otlp_app(pipeline)) as client:
            for path, body in otlp_requests(question):
                client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})
        ingest_file(pipeline, lines)
        pipeline.join()
        origins = {row.origin for row in pipeline.rows()}
        with pipeline.store.read() as tx:
            counted = interactions.count(tx)
        letters = pipeline.letters()
        bytes_on_disk = pipeline.everything_on_disk()
    assert origins == {Origin.REPLAY, Origin.SEALED_MATCH, Origin.PRODUCTION}
    assert counted == 1, "the ordinary question alone is production traffic"
    assert len(letters) == 4
    assert ORDINARY.encode() in bytes_on_disk, "or this test would find nothing anyway"
    assert QUESTION.encode() not in bytes_on_disk
    assert b"refund?" not in bytes_on_disk


def otlp_requests(question: str) -> list[tuple[str, dict[str, Any]]]:
    def attribute(key: str, text: str) -> dict[str, Any]:
        return {"key": key, "value": {"stringValue": text}}

    def span(trace: str, start: str = str(build.START_NS)) -> dict[str, Any]:
        call = [attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.input.messages", question)]
        return {"traceId": trace, "spanId": build.SPAN, "startTimeUnixNano": start, "attributes": call, "name": "chat"}

    def traces(*spans: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}

    def logs(trace: str, text: str) -> tuple[str, dict[str, Any]]:
        body = {"kvlistValue": {"values": [attribute("content", text)]}}
        record = {"traceId": trace, "spanId": build.SPAN, "eventName": "gen_ai.user.message", "body": body}
        return "/v1/logs", {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}

    root = {
        "traceId": "c" * 32,
        "spanId": "0" * 15 + "1",
        "name": "POST",
        "attributes": [attribute("driftd.run", "run-1")],
    }
    return [
        traces(span(build.TRACE)),
        traces(span("d" * 32), span("e" * 32, start="0")),
        traces(root, span("c" * 32)),
        traces(span("b" * 32, start="x")),
        logs(build.TRACE, QUESTION),
        logs(build.TRACE, "refund?"),
        logs("d" * 32, QUESTION),
    ]


@pytest.mark.timeout(20)
def test_an_unclosed_quote_takes_linear_time() -> None:
    reason_expected = '"' + '\\"' * 200_000
    found = EchoFilter(known_run=known_run, sealed=lambda text: text == "secret").raw
    for raw in (reason_expected, json.dumps(reason_expected), json.dumps(json.dumps(reason_expected))):
        assert found(raw.encode()) == raw.encode()
    assert found(json.dumps(["secret", reason_expected]).encode()) == STRIPPED

"""A malformed record with half an emoji affects only itself, also while a sealed set is loaded."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.api.auth import Tokens
from monitor.config.kafka import KafkaTopicConfig
from monitor.ingest.limits import Limits
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.redact.redactor import Redactor
from monitor.ingest.redact.rules import RulesByDeployment
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import dead_letters, feedback
from replay.evalsets.sealing import Sealer, new_key
from tests.api.house import open_house
from tests.ingest import build
from tests.ingest.ingest_paths import INGEST_PATHS, NATIVE_PATHS, read_from_kafka
from tests.ingest.pipeline import (
    IngestPipeline,
    compat_app,
    ingest_file,
    ingest_pipeline,
    no_run,
    normalizer,
    otlp_app,
    served,
)
from tests.ingest.test_limits_everywhere import call, message_attribute, request, span, text

HALF = "\ud83d"
ESCAPED = json.dumps([{"role": "user", "content": f"half {HALF}"}])  # ASCII: the half is an escape
MAIL = "anna@example.org"
SEALER = Sealer(new_key())
SEALED = frozenset({SEALER.mac("Is 17077 a prime number?")})
GOOD = [f"good {i}" for i in range(9)]


def sealed(words: str) -> bool:
    return any(mac in SEALED for mac in SEALER.macs(words))


@cache
def strict() -> Normalizer:
    """Return a normalizer with redaction and a frozen set, as in a daemon."""
    redactor = Redactor(RulesByDeployment(), b"of this test")
    return normalizer(known_run=no_run, sealed=sealed, redactor=redactor)


def nine_and_one_letter(pipeline: IngestPipeline) -> None:
    pipeline.join()
    assert len(pipeline.rows()) == len(GOOD)
    [letter] = pipeline.letters()
    assert letter.reason
    assert MAIL.encode() not in letter.raw
    letter.raw.decode()  # the stored bytes are valid UTF-8


@pytest.mark.parametrize("ingest_path", INGEST_PATHS)
def test_half_a_character_in_json_inside_a_malformed_span(ingest_path: str, tmp_path: Path) -> None:
    bad = span("bad", message_attribute("x"), text("input.value", ESCAPED), text("mail", MAIL), startTimeUnixNano="0")
    spans = [span(name, message_attribute("fine")) for name in GOOD]
    with ingest_pipeline(tmp_path, with_normalizer=strict()) as pipeline:
        with INGEST_PATHS[ingest_path](pipeline, Limits(), tmp_path) as send:
            assert not send("traces", request("traces", *spans[:4], bad, *spans[4:]))
        nine_and_one_letter(pipeline)


def over_http(pipeline: IngestPipeline, body: bytes, _folder: Path) -> None:
    with served(otlp_app(pipeline)) as client:
        answer = client.post("/v1/traces", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 200, answer.text
        assert answer.json()["partialSuccess"]["rejectedSpans"] == "1"


def in_kafka(pipeline: IngestPipeline, body: bytes, _folder: Path) -> None:
    topic = KafkaTopicConfig.model_validate({"format": "otlp_json", "signal": "traces"})
    read_from_kafka(pipeline, topic, [body], Limits())


def in_a_file(pipeline: IngestPipeline, body: bytes, folder: Path) -> None:
    (folder / "spans.jsonl").write_bytes(body)
    ingest_file(pipeline, folder / "spans.jsonl")


RAW = f"half {HALF} of {MAIL}"
BAD_SPANS: dict[str, Callable[[], dict[str, Any]]] = {
    "value": lambda: span("bad", text("input.value", RAW), startTimeUnixNano="x"),
    "key": lambda: span("bad", text(RAW, "x"), startTimeUnixNano="x"),
    "name": lambda: span("bad", startTimeUnixNano="x") | {"name": RAW},
    "trace id": lambda: span("bad", startTimeUnixNano="x") | {"traceId": HALF * 32},
    "unknown field": lambda: span("bad", startTimeUnixNano="x") | {RAW: RAW},
    "user": lambda: span("bad", text("user.id", HALF), startTimeUnixNano="x"),
    "in the reason": lambda: span("bad", startTimeUnixNano="0") | {"name": RAW},
    "no attribute": lambda: span("bad") | {"attributes": [text(RAW, "x"), 5]},
}


@pytest.mark.parametrize("send", [over_http, in_kafka, in_a_file])
@pytest.mark.parametrize("place", BAD_SPANS)
def test_half_a_character_in_otlp_json(
    place: str, send: Callable[[IngestPipeline, bytes, Path], None], tmp_path: Path
) -> None:
    spans = [*(span(name, message_attribute("fine")) for name in GOOD), BAD_SPANS[place]()]
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()
    with ingest_pipeline(tmp_path, with_normalizer=strict()) as pipeline:
        send(pipeline, body, tmp_path)
        nine_and_one_letter(pipeline)


def bad_native() -> dict[str, Any]:
    return call("bad", conversation_id=f"half {HALF}", attributes={"said": ESCAPED, "mail": MAIL}, unknown=HALF)


@pytest.mark.parametrize("ingest_path", NATIVE_PATHS)
def test_half_a_character_in_a_native_record(ingest_path: str, tmp_path: Path) -> None:
    bad = bad_native()
    if ingest_path == "file, parquet":  # Parquet columns are those of a record, and Parquet texts are UTF-8
        bad = call("bad", conversation_id=ESCAPED, attributes={"said": ESCAPED, "mail": MAIL}, started_at="never")
    records = [*(call(name) for name in GOOD), bad]
    with ingest_pipeline(tmp_path, with_normalizer=strict()) as pipeline:
        NATIVE_PATHS[ingest_path](pipeline, records, Limits(), tmp_path)
        nine_and_one_letter(pipeline)


@pytest.mark.parametrize("cut", [0, 40, 3])
def test_half_a_character_in_a_line_that_ends_early(cut: int, tmp_path: Path) -> None:
    lines = [json.dumps(call(name)) for name in GOOD] + [json.dumps(bad_native())[: -cut or None]]
    (tmp_path / "calls.jsonl").write_text("\n".join(lines))
    with ingest_pipeline(tmp_path, with_normalizer=strict()) as pipeline:
        ingest_file(pipeline, tmp_path / "calls.jsonl")
        nine_and_one_letter(pipeline)


def test_half_a_character_over_the_api(tmp_path: Path) -> None:
    bad = json.dumps([*(call(name) for name in GOOD), bad_native()]).encode()
    with open_house(tmp_path, tokens=Tokens(), with_normalizer=strict()) as pipeline:
        headers = {"content-type": "application/json"}
        answer = pipeline.ask("POST", "/api/v1/interactions", content=bad, headers=headers)
        assert answer.status_code == 200, answer.text
        assert (answer.json()["accepted"], [r["index"] for r in answer.json()["rejected"]]) == (9, [9])
        with pipeline.store.read() as tx:
            [letter] = dead_letters.page(tx, PageQuery(limit=9)).items
    assert letter.reason == answer.json()["rejected"][0]["reason"]


SCORE = {"traceId": "abce9c308561dcc852c61dd348c41fff", "name": "user_feedback", "value": 0, "dataType": "BOOLEAN"}
COMPAT: dict[str, tuple[str, Callable[[list[Any]], Any], dict[str, Any]]] = {
    "langfuse": ("/api/public/scores", list, SCORE),
    "langfuse, batch": (
        "/api/public/ingestion",
        lambda scores: {"batch": [{"id": "e", "type": "score-create", "body": score} for score in scores]},
        SCORE,
    ),
    "phoenix": (
        "/v1/span_annotations",
        lambda them: {"data": them},
        {"name": "user_feedback", "annotator_kind": "HUMAN", "span_id": "c8ba3b94979b3df8", "result": {"score": 0}},
    ),
}


@pytest.mark.parametrize("product", COMPAT)
def test_half_a_character_in_requests_of_other_products(product: str, tmp_path: Path) -> None:
    path, packed, record = COMPAT[product]
    good = [record | {"comment" if "langfuse" in product else "identifier": name} for name in GOOD]
    body = json.dumps(packed([*good, {**record, "name": 5, "comment": ESCAPED, HALF: HALF}])).encode()
    with ingest_pipeline(tmp_path, with_normalizer=strict()) as pipeline:
        with served(compat_app(pipeline)) as client:
            answer = client.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code < 500, answer.text
        [letter] = pipeline.letters()
        with pipeline.store.read() as tx:
            assert feedback.count(tx) == len(GOOD)
    assert letter.source in product


WORDS = st.text(st.characters(codec=None, exclude_categories=()), max_size=30) | st.sampled_from([HALF, RAW, ESCAPED])


@given(raw=st.recursive(WORDS, lambda inner: st.dictionaries(WORDS, inner) | st.lists(inner), max_leaves=9))
def test_any_text_may_be_in_a_malformed_record(raw: Any) -> None:
    """The text is JSON with escapes, JSON in JSON, or truncated; it is in the reason too."""
    step, once = strict(), json.dumps(raw)
    for written in (once, json.dumps(once), once[: len(once) // 2], once.replace('"', "")):
        for reason in (once, str(raw)):
            letter = step.dead_letter(source="x", code="malformed", reason=reason, raw=written.encode(), now=build.NOW)
            letter.raw.decode()
            letter.reason.encode()


@given(words=WORDS)
def test_a_sealed_question_with_half_a_character_is_recognized_as_it_is_stored(words: str) -> None:
    assert SEALER.mac(words) == SEALER.mac("".join("�" if "\ud800" <= c <= "\udfff" else c for c in words))

"""An unreadable optional value affects at most its attribute, on every ingest path."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields, replace

from monitor.clock import SystemClock
from monitor.domain.interaction import Interaction, Origin
from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.conventions.unread import UNREAD
from monitor.ingest.intake import Batch, Counts, Pending, Receipt
from monitor.ingest.limits import Limits
from monitor.ingest.native.record import decode_record
from monitor.ingest.normalize.unread_counts import UnreadCounts
from monitor.ingest.otlp import json as otlp_json
from monitor.ingest.otlp import protobuf as otlp_protobuf
from monitor.ingest.otlp.decode import decode
from monitor.ingest.spans import OtlpRequest
from monitor.ingest.writer import record_commit_metrics
from monitor.telemetry import current_span_context
from monitor.telemetry.instruments import Telemetry
from tests.ingest.build import NOW, alone, interaction, native
from tests.ingest.ingest_paths import INGEST_PATHS, NATIVE_PATHS
from tests.ingest.odd_values import COMPLETE, ODD, SOUND, Odd, id_of, request_of
from tests.ingest.pipeline import RULES, ingest_pipeline, normalizer
from tests.ingest.transports import as_json

READERS: dict[str, Callable[[bytes], OtlpRequest]] = {
    "protobuf": otlp_protobuf.read_traces,
    "json": lambda body: otlp_json.read_traces(as_json("traces", body)),
}
OF_THE_SPAN = frozenset(
    ["id", "trace_id", "span_id", "started_at", "received_at", "source", "attributes", "identity", "prompt_hash"]
)


def decoded(request: OtlpRequest) -> list[Interaction]:
    found = decode(request, rules=RULES, conventions=CONVENTIONS, now=NOW)
    assert found.bad == ()
    return list(found.interactions)


def differing(one: Interaction, other: Interaction) -> dict[str, Any]:
    """Return the values of `other` in the fields that differ."""
    names = [f.name for f in fields(Interaction) if f.name not in OF_THE_SPAN]
    return {name: getattr(other, name) for name in names if getattr(one, name) != getattr(other, name)}


def expected_fields(case: Odd, sound: Interaction) -> dict[str, Any]:
    return {name: value for name, value in (COMPLETE | case.fields).items() if getattr(sound, name) != value}


def plain(value: Any) -> Any:
    """Return a value as it is stored: lists and maps as JSON, and numbers that are not finite as text."""
    if isinstance(value, list | dict):
        return json.dumps(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity"
    return value


@pytest.mark.parametrize("encoding", READERS)
@pytest.mark.parametrize("case", ODD, ids=lambda case: case.label)
def test_an_unreadable_value_affects_at_most_its_attribute(case: Odd, encoding: str) -> None:
    sound, odd = decoded(READERS[encoding](request_of((case,))))
    assert differing(sound, odd) == expected_fields(case, sound)
    if case.unread:
        assert (odd.attributes[case.name], odd.attributes[UNREAD]) == (plain(case.value), [case.name])
    else:
        assert odd.attributes == sound.attributes


def test_there_are_forty_values() -> None:
    assert len({case.label for case in ODD}) == len(ODD) == 40
    assert {case.name for case in ODD} <= SOUND.keys()


@pytest.mark.parametrize("ingest_path", INGEST_PATHS)
def test_none_of_them_is_a_dead_letter_on_any_ingest_path(ingest_path: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        with INGEST_PATHS[ingest_path](pipeline, Limits(), tmp_path) as send:
            assert send("traces", request_of()) == ""
        rows = {row.id: row for row in pipeline.rows()}
        assert pipeline.letters() == []
    assert len(rows) == len(ODD) + 1
    sound = rows[id_of(0)]
    for number, case in enumerate(ODD, 1):
        row = rows[id_of(number)]
        assert differing(sound, row) == expected_fields(case, sound), case.label
        assert row.attributes.get(UNREAD, []) == ([case.name] if case.unread else []), case.label
        assert row.attributes.get(case.name) == (plain(case.value) if case.unread else None), case.label


ODD_NATIVE: dict[str, tuple[dict[str, Any], Any]] = {  # a native record: its fields, and the unread values
    "request.max_tokens": ({"request": {"max_tokens": -1}}, -1),
    "request.temperature": ({"request": {"temperature": "hot"}}, "hot"),
    "request.seed": ({"request": {"seed": 2**64}}, 2**64),
    "request": ({"request": [7]}, [7]),
    "response.id": ({"response": {"id": ["r"]}}, ["r"]),
    "response": ({"response": "none"}, "none"),
    "usage.input_tokens": ({"usage": {"input_tokens": -1, "output_tokens": 4}}, -1),
    "usage.output_tokens": ({"usage": {"output_tokens": 1.5}}, 1.5),
    "usage": ({"usage": 12}, 12),
    "duration_ms": ({"duration_ms": -1}, -1),
    "cost_usd": ({"cost_usd": -0.5}, -0.5),
    "user_id": ({"user_id": {"name": "Nora"}}, {"name": "Nora"}),
    "conversation_id": ({"conversation_id": ["c"]}, ["c"]),
    "documents": ({"documents": 7}, 7),
    "documents.score": ({"documents": [{"content": "x", "score": "high"}]}, "high"),
    "prompt": ({"prompt": "support"}, "support"),
    "attributes": ({"attributes": [1]}, [1]),
    "error": ({"error": [1]}, [1]),
}


INSIDE_A_FIELD = {name for name, (odd, _) in ODD_NATIVE.items() if isinstance(next(iter(odd.values())), dict)}
PARQUET = "file, parquet"  # its columns have types, so the odd value is inside a column


@pytest.mark.parametrize("ingest_path", NATIVE_PATHS)
def test_unreadable_values_of_native_records_affect_only_their_field(ingest_path: str, tmp_path: Path) -> None:
    names = INSIDE_A_FIELD if ingest_path == PARQUET else ODD_NATIVE.keys()
    with ingest_pipeline(tmp_path) as pipeline:
        for name in names:
            NATIVE_PATHS[ingest_path](pipeline, [native(id=name, **ODD_NATIVE[name][0])], Limits(), tmp_path)
        assert pipeline.letters() == []
        rows = {row.id: row for row in pipeline.rows()}
    assert rows.keys() == names


@pytest.mark.parametrize("name", ODD_NATIVE)
def test_unread_values_of_a_native_record_are_kept(name: str) -> None:
    odd, raw = ODD_NATIVE[name]
    found = decode_record(native(**odd), NOW, "support")
    assert isinstance(found, Interaction)
    assert (found.attributes[name], found.attributes[UNREAD]) == (plain(raw), [name])


def test_numbers_as_texts_are_read_in_native_records_too() -> None:
    found = decode_record(
        native(usage={"input_tokens": "12", "output_tokens": 4.0}, response={"id": 7}), NOW, "support"
    )
    assert isinstance(found, Interaction)
    assert (found.input_tokens, found.output_tokens, found.response_id) == (12, 4, "7")
    assert UNREAD not in found.attributes


def test_only_driftd_sets_the_unread_attribute() -> None:
    lied = {UNREAD: ["anything"]}
    [_, odd] = decoded(otlp_protobuf.read_traces(request_of((Odd(UNREAD, ["anything"], {}),))))
    assert UNREAD not in odd.attributes
    found = decode_record(native(attributes=lied | {"a": 1}), NOW, "support")
    assert isinstance(found, Interaction)
    assert found.attributes == {"a": 1}


def test_a_long_value_is_kept_up_to_a_bound() -> None:
    item = interaction(attributes={"gen_ai.request.seed": ["x" * 5000], UNREAD: ["gen_ai.request.seed"]})
    stored = alone(normalizer(), item).attributes["gen_ai.request.seed"]
    assert len(stored) == 2001


@pytest.mark.parametrize("raw", ["{a sealed question", '{"content": "a sealed question", ', ["a sealed question"]])
def test_an_unread_value_with_a_sealed_case_is_not_stored(raw: Any) -> None:
    """The whole value is searched, because the question may be anywhere in it."""
    item = interaction(attributes={"gen_ai.input.messages": raw, UNREAD: ["gen_ai.input.messages"]}, input_messages=())
    sealed = normalizer(sealed=lambda text: text.strip("{") == "a sealed question")
    found = alone(sealed, item)
    assert (found.origin, found.attributes) == (Origin.SEALED_MATCH, {})


def test_unread_values_are_counted_by_attribute_name() -> None:
    telemetry = Telemetry()
    items = decoded(otlp_protobuf.read_traces(request_of(ODD[:6])))
    batch = Batch(interactions=tuple(replace(item) for item in items))
    pending = Pending(batch=batch, receipt=Receipt(), submitted=0.0, origin=current_span_context(), bytes_=1)
    unread = UnreadCounts(SystemClock())
    record_commit_metrics(telemetry, [pending], [Counts(accepted=7, duplicates=0)], unread, waited_s=[0.0], took_s=0.0)
    lines = telemetry.exposition().decode().splitlines()
    assert 'driftd_ingest_unread_total{attribute="gen_ai.request.max_tokens"} 4.0' in lines
    assert unread.of_last_day().by_name["gen_ai.request.max_tokens"] == 4

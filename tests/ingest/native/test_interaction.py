"""A record has the same result from its bytes as from its parsed JSON, or is left to the parsed JSON."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.interaction import Interaction
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.unread import UNREAD
from monitor.ingest.json_text import read_json
from monitor.ingest.limits import Limits
from monitor.ingest.native.record import DEFAULTS, decode_record, read_bytes, read_record
from tests.ingest.build import NOW, native, native_feedback
from tests.ingest.native.test_record import FULL, JSON
from tests.properties import examples

SMALL = Limits(depth=5, attributes=2, value_chars=2_000)


def from_bytes(value: bytes, limits: Limits = DEFAULTS) -> Any:
    """Return the interaction or the reason of the rejection; None when the bytes are left to the parsed JSON."""
    try:
        return read_bytes(value, NOW, "default", "kafka", limits)
    except MalformedRecord as error:
        return str(error)


def from_json(value: bytes, limits: Limits = DEFAULTS) -> Any:
    """Return the record or the reason of the rejection."""
    try:
        return read_record(read_json(value, "the value"), NOW, "default", "kafka", limits)
    except MalformedRecord as error:
        return str(error)


PLAIN = [
    FULL,
    native(),
    native(request={"messages": ["hi", {"role": 7, "content": 7}]}),
    native(id="a", error="timeout", response=None),
    native(error={"type": "429", "message": {"any": 1}}, usage=None, prompt=None),
    native(id="", deployment="", user_id="", trace_id="", provider="", error="", attributes=None),
    native(error={"type": ""}),
    native(attributes={UNREAD: ["x"], "a": 1}),
    native(started_at="2026-11-21t03:00:00.123456789+01:00", cost_usd=0, duration_ms=2**70),
    {"type": "interaction", "started_at": "2026-11-21T02:00:00Z"},
]


@pytest.mark.parametrize("record", PLAIN)
def test_a_record_without_odd_values_is_decoded_from_its_bytes(record: dict[str, Any]) -> None:
    written = json.dumps(record).encode()
    assert isinstance(from_bytes(written), Interaction)
    assert from_bytes(written) == from_json(written)


@pytest.mark.parametrize(
    "record",
    [
        native(started_at=None),
        native(started_at="2026-02-30T02:00:00Z"),
        native(started_at="20261121T020000Z"),
        native(trace_id="abc"),
        native(span_id="0AF7651916CD43DD8448EB211C80319C"),
    ],
)
def test_a_wrong_identifying_field_has_the_same_reason_from_bytes(record: dict[str, Any]) -> None:
    written = json.dumps(record).encode()
    assert from_bytes(written).startswith("field ")
    assert from_bytes(written) == from_json(written)


@pytest.mark.parametrize(
    "written",
    [
        json.dumps(native_feedback()).encode(),
        json.dumps([native()]).encode(),
        json.dumps(native(promt={})).encode(),
        json.dumps(native(usage={"input_tokens": 1.0})).encode(),
        json.dumps(native(request={"max_tokens": 2**63})).encode(),
        json.dumps(native(request={"seed": -(2**63)})).encode(),
        json.dumps(native(user_id="\ud83d")).encode(),
        b"\xef\xbb\xbf" + json.dumps(native()).encode(),
        json.dumps(native())[:-1].encode() + b', "cost_usd": NaN}',
        json.dumps(native())[:-1].encode() + b', "attributes": ' + b'{"a": ' * 5_000 + b"1" + b"}" * 5_001,
        b"\xff",
        b"",
    ],
)
def test_other_records_are_left_to_the_parsed_json(written: bytes) -> None:
    assert from_bytes(written) is None


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else 1


PART = {"type": "tool_call", "name": "look"}
INSIDE = [
    native(attributes={"a": nested(5), "b": 1}),
    native(request={"messages": [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}]}),
    native(request={"messages": [{"role": "user", "content": [PART | {"arguments": nested(1)}]}]}),
    native(error={"type": "429", "message": nested(5)}),
]
BEYOND = [
    native(attributes={"a": nested(6)}),
    native(attributes={"a": 1, "b": 1, "c": 1}),
    native(request={"messages": [{"role": "user", "content": [PART | {"arguments": nested(2)}]}]}),
    native(request={"messages": [{"role": "user", "content": "hi", "finish_reason": nested(4)}]}),
    native(request={"messages": [{"parts": [{"type": "text", "content": "hi"}], "content": nested(4)}]}),
    native(error={"type": "429", "message": nested(6)}),
    native(user_id="u" * 2_001),
]


@pytest.mark.parametrize("record", INSIDE)
def test_a_record_within_the_limits_is_decoded_from_its_bytes(record: dict[str, Any]) -> None:
    written = json.dumps(record).encode()
    assert isinstance(from_bytes(written, SMALL), Interaction)
    assert from_bytes(written, SMALL) == from_json(written, SMALL)


@pytest.mark.parametrize("record", BEYOND)
def test_a_record_beyond_a_limit_is_rejected(record: dict[str, Any]) -> None:
    written = json.dumps(record).encode()
    assert "(ingest.limits." in from_json(written, SMALL)
    assert from_bytes(written, SMALL) in {None, from_json(written, SMALL)}
    assert isinstance(from_bytes(written), Interaction)


@given(change=st.dictionaries(st.sampled_from(["attributes", "request", "documents", "error"]), JSON, max_size=3))
@settings(max_examples=examples(200))
def test_limits_give_the_same_result_from_bytes_and_json(change: dict[str, Any]) -> None:
    written = json.dumps(FULL | change).encode()
    for limits in (SMALL, Limits(depth=4, attributes=1), Limits(depth=1)):
        assert from_bytes(written, limits) in (None, from_json(written, limits))


@given(change=st.dictionaries(st.sampled_from([*FULL, "what"]), JSON, max_size=3))
@settings(max_examples=examples(400))
def test_any_value_of_a_field_gives_the_same_result_from_bytes_and_json(change: dict[str, Any]) -> None:
    written = json.dumps(FULL | change).encode()
    assert from_bytes(written) in (None, from_json(written))


@given(
    part=st.sampled_from(["request", "response", "usage", "prompt"]),
    change=st.dictionaries(
        st.sampled_from(["model", "messages", "seed", "id", "version", "input_tokens", "temperature"]), JSON, max_size=3
    ),
)
@settings(max_examples=examples(400))
def test_any_value_inside_an_object_gives_the_same_result_from_bytes_and_json(
    part: str, change: dict[str, Any]
) -> None:
    written = json.dumps(FULL | {part: FULL[part] | change}).encode()
    assert from_bytes(written) in (None, from_json(written))


@given(
    name=st.sampled_from(["request", "response", "usage", "prompt", "error"]),
    odd=JSON.filter(lambda value: not isinstance(value, dict)),
)
@settings(max_examples=examples(200))
def test_a_value_in_the_place_of_an_object_never_rejects_a_record(name: str, odd: Any) -> None:
    assert isinstance(decode_record(native(id="a") | {name: odd}, NOW, "default"), Interaction)
